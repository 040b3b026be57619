"""W3C extended logs: IIS and CloudFront.

A ``#Fields`` line says what the columns are, and may change in mid-file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record
from lobrest.logs.formats.text import METHOD
from lobrest.logs.formats.times import TimeReader, duration

_FIELDS: Final = b"#Fields:"
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d$", re.ASCII)
_STATUS: Final = re.compile(r"[1-5]\d\d$", re.ASCII)


class W3cParser:
    """Reads lines by the fields named last.

    The only parser that remembers: a directive holds until the next one.
    """

    def __init__(self, options: FormatOptions) -> None:
        self._times = TimeReader()
        self._fields = _names(options.context)

    def __call__(self, line: bytes) -> Record | None:
        if line.startswith(b"#"):
            if line.startswith(_FIELDS):
                self._fields = _names(line)
            return None
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text.strip():
            return None
        edge = "x-edge-location" in self._fields
        words = text.split("\t") if edge else text.split(" ")
        if self._fields and len(words) == len(self._fields):
            held: Mapping[str, str] = dict(zip(self._fields, words, strict=True))
        else:
            held = guessed(words)
        return self._record(held, edge=edge)

    def _record(self, held: Mapping[str, str], *, edge: bool) -> Record:
        method, stem = held.get("cs-method", "").upper(), held.get("cs-uri-stem", "")
        if not METHOD.match(method) or not stem.startswith("/"):
            raise LineError("no method or path")
        moment = self._times.iso(f"{held.get('date', '')}T{held.get('time', '')}Z")
        moment -= duration(_shown(held.get("time-taken")), 1.0 if edge else 1e-3)
        query = _shown(held.get("cs-uri-query"))
        agent = _shown(held.get("cs(User-Agent)"))
        agent = unquote(unquote(agent)) if edge else agent.replace("+", " ")
        return Record(
            max(moment, 0.0),
            method,
            f"{stem}?{query}" if query else stem,
            status_number(held.get("sc-status", "")),
            Actor(
                name=_shown(held.get("cs-username")),
                cookie=_shown(held.get("cs(Cookie)")),
                address=_shown(held.get("x-forwarded-for")) or _shown(held.get("c-ip")),
                agent=agent,
            ),
            host=_shown(held.get("x-host-header"))
            or _shown(held.get("cs-host"))
            or _shown(held.get("cs(Host)")),
        )


def guessed(words: Sequence[str]) -> dict[str, str]:
    """IIS columns of a file whose ``#Fields`` line was cut off: the order hardly ever changes."""
    at = next((n for n, word in enumerate(words[:8]) if n >= 2 and word.isalpha() and word.isupper()), -1)
    if at < 0 or len(words) < at + 9 or not _DATE.match(words[0]):
        raise LineError("line does not fit the format")
    names = ["cs-method", "cs-uri-stem", "cs-uri-query", "s-port", "cs-username", "c-ip"]
    held = {"date": words[0], "time": words[1], **dict(zip(names, words[at:], strict=False))}
    rest = list(words[at + len(names) :])
    if rest and rest[0].startswith("HTTP/"):
        rest.pop(0)
    held["cs(User-Agent)"] = rest[0] if rest else "-"
    for place, word in enumerate(rest):
        if place and _STATUS.match(word) and rest[place + 1 : place + 2] and rest[place + 1].isdigit():
            held["sc-status"] = word
            if len(rest) == place + 4 and rest[-1].isdigit():
                held["time-taken"] = rest[-1]
            return held
    raise LineError("line does not fit the format")


def context(block: bytes, before: bytes) -> bytes:
    """The last ``#Fields`` line so far."""
    place = block.rfind(b"\n" + _FIELDS)
    if place >= 0:
        place += 1
    elif block.startswith(_FIELDS):
        place = 0
    else:
        return before
    return block[place : place + 4096].split(b"\n", 1)[0].strip()


def _names(line: bytes) -> tuple[str, ...]:
    return tuple(line.removeprefix(_FIELDS).decode("utf-8", "replace").split())


def _shown(text: str | None) -> str:
    return "" if text is None or text == "-" else text


def _is_edge(line: bytes) -> bool:
    return line.startswith(b"#") or line.count(b"\t") > 10


W3C: Final = Format("iis", "IIS W3C extended log", W3cParser, context=context, specific=5)
CLOUDFRONT: Final = Format(
    "cloudfront", "CloudFront standard log", W3cParser, context=context, specific=7, looks_like=_is_edge
)
