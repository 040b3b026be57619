"""Text logs by a template: literal text and named fields to a parser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lobrest.errors import ConfigError
from lobrest.logs.formats.json_lines import status_number, visible
from lobrest.logs.formats.record import Actor, Body, LineError, Parser, Record, origin_form, url_host
from lobrest.logs.formats.times import TimeReader, duration, epoch

_QUOTED = r'(?:[^"\\]|\\.)*'
_HEX = re.compile(r"\\x([0-9A-Fa-f]{2})")
_SIMPLE = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\t": "\t", "\\r": "\r"}
_SIMPLE_PATTERN = re.compile(r'\\["\\ntr]')
_WORD = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s"]++))', re.DOTALL)
METHOD = re.compile(r"[A-Za-z][A-Za-z_-]{0,31}$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Piece:
    """A literal, or a field that plays a role (or none: then it is skipped)."""

    literal: str = ""
    role: str = ""
    is_field: bool = False


@dataclass(frozen=True, slots=True)
class TextShape:
    """What a template means."""

    pieces: tuple[Piece, ...]
    duration_unit: float = 1.0
    time_is_start: bool = False
    json_escaped: bool = False


class TemplateParser:
    """Matches whole lines against the pieces."""

    def __init__(self, known: TextShape) -> None:
        self._shape = known
        roles = {piece.role for piece in known.pieces if piece.role}
        if not (roles & {"clf", "iso", "epoch"}):
            raise ConfigError("the log format has no time")
        if "request" not in roles and not ({"method"} <= roles and roles & {"target", "path"}):
            raise ConfigError("the log format has no request")
        self._pattern = re.compile(pattern_of(known.pieces), re.DOTALL)
        self._roles = roles
        self._times = TimeReader()
        self._has_body = "body" in roles

    def __call__(self, line: bytes) -> Record | None:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text.strip() or text[0] == "#":
            return None
        found = self._pattern.match(text)
        if found is None:
            raise LineError("line does not fit the format")
        held = found.groupdict()
        for role, value in held.items():
            if value is None or value == "-":
                held[role] = ""
            elif "\\" in value:
                held[role] = unescape(value)
        return self._record(held)

    def _record(self, held: Mapping[str, str]) -> Record:
        at = held.get
        if at("clf"):
            moment = self._times.clf(held["clf"])
        elif at("epoch"):
            try:
                moment = epoch(float(held["epoch"]))
            except ValueError:
                raise LineError("time not understood") from None
        else:
            moment = self._times.iso(at("iso") or "")
        if not self._shape.time_is_start:
            moment -= duration(at("duration"), self._shape.duration_unit)
        if "request" in self._roles:
            method, target = request_line(at("request") or "")
        else:
            method, target = (at("method") or "").upper(), origin_form(at("target") or at("path") or "")
            if not METHOD.match(method) or not target:
                raise LineError("no request line")
        query = (at("query") or "").lstrip("?")
        if query and "?" not in target:
            target = f"{target}?{query}"
        body = at("body") or ""
        return Record(
            start=max(moment, 0.0),
            method=method,
            target=target,
            status=status_number(at("status") or ""),
            actor=Actor(
                name=visible(at("user")),
                token=visible(at("token")),
                cookie=visible(at("cookie")),
                address=at("address") or "",
                agent=at("agent") or "",
                acting_as=visible(at("acting_as")),
            ),
            body=body,
            body_kind=Body.TEXT if self._has_body else Body.UNKNOWN,
            media_type=at("media_type") or "",
            location=at("location") or "",
            host=at("host")
            or url_host((at("request") or "").partition(" ")[2])
            or url_host(at("target") or ""),
            request_id=at("request_id") or "",
        )


def template_parser(known: TextShape) -> Parser:
    """The parser of a template."""
    return TemplateParser(known)


def pattern_of(pieces: Sequence[Piece]) -> str:
    """A regular expression without nested repetition: every field ends at the character that follows it."""
    seen: set[str] = set()
    parts: list[str] = []
    for number, piece in enumerate(pieces):
        if not piece.is_field:
            parts.append(re.escape(piece.literal))
            continue
        after = pieces[number + 1].literal[:1] if number + 1 < len(pieces) else ""
        quoted = number > 0 and pieces[number - 1].literal[-1:] == '"' and after == '"'
        inner = _inner(piece.role, after, quoted=quoted)
        if piece.role and piece.role not in seen:
            seen.add(piece.role)
            parts.append(f"(?P<{piece.role}>{inner})")
        else:
            parts.append(f"(?:{inner})")
    # Servers append fields in later releases: what comes after the known ones is left alone.
    return "".join(parts)


def _inner(role: str, after: str, *, quoted: bool) -> str:
    if quoted:
        return _QUOTED
    if role == "clf":
        return r"[^\]\s]+(?: [+-]\d{4})?"
    if role == "address":
        # Proxies in between make it a list with blanks.
        return r"[^\s,]+(?:, ?[^\s,]+)*"
    if not after:
        return r"\S*"
    if after == " ":
        return r"[^\s]*(?:, [^\s]+)*" if role in ("", "duration") else r"[^\s]*"
    return f"[^{re.escape(after)}]*"


def quoted_words(text: str, start: int = 0, *, most: int = 64) -> list[str]:
    """Words and quoted strings from a place on, in one pass: a quote that never closes ends it."""
    words: list[str] = []
    while len(words) < most:
        found = _WORD.match(text, start)
        if found is None:
            break
        words.append(found.group(1) if found.group(1) is not None else found.group(2))
        start = found.end()
    return words


def request_line(text: str) -> tuple[str, str]:
    """Method and target of ``GET /path HTTP/1.1``; the protocol may be missing, the path may have blanks."""
    method, _, rest = text.partition(" ")
    target, blank, protocol = rest.rpartition(" ")
    if not blank or not protocol.startswith(("HTTP/", "HTTP")):
        target = rest
    if not target or not METHOD.match(method):
        raise LineError("no request line")
    target = origin_form(target)
    if target[0] not in "/*":
        raise LineError("no request line")
    return method.upper(), target


def unescape(text: str) -> str:
    """Undo ``\\xHH`` and backslash escapes; bytes that are no UTF-8 become U+FFFD."""
    if "\\x" in text:
        text = _HEX.sub(_byte, text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        text = _joined(text)
    return _SIMPLE_PATTERN.sub(lambda found: _SIMPLE[found.group()], text)


_HIGH: Final = 0xF700
"""A private area: bytes above 127 wait here until they are joined to UTF-8."""


def _byte(found: re.Match[str]) -> str:
    value = int(found.group(1), 16)
    return chr(value) if value < 128 else chr(_HIGH + value)


def _joined(text: str) -> str:
    if not any(_HIGH + 128 <= ord(character) < _HIGH + 256 for character in text):
        return text
    raw = bytearray()
    for character in text:
        code = ord(character)
        if _HIGH + 128 <= code < _HIGH + 256:
            raw.append(code - _HIGH)
        else:
            raw.extend(character.encode("utf-8", "replace"))
    return raw.decode("utf-8", "replace")
