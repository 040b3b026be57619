"""What container engines and collectors put around a line."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final

import msgspec

from lobrest.logs.formats.json_lines import decode_tolerantly
from lobrest.logs.formats.record import LineError, Parser, Record

_CRI = re.compile(rb"^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ")
_COMPOSE = re.compile(rb"^(?:[\w.-]{1,80}\s*\| |\[pod/[^\]\s]{1,250}\] )")
_SYSLOG = re.compile(
    rb"^(?:<\d{1,3}>)?(?:\d )?"
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) "
    rb"\S+ [\w./-]{1,60}(?:\[\d+\])?(?::| \S+ \S+ (?:-|\[.*?\])) ?(?:nginx: )?"
)


class _Docker(msgspec.Struct, gc=False):
    """Where collectors put the line; they use the same names for other things too."""

    log: Any = None
    message: Any = None
    MESSAGE: Any = None
    line: Any = None
    text_payload: Any = msgspec.field(default=None, name="textPayload")
    raw: Any = msgspec.field(default=None, name="_raw")


_KEYS: Final = tuple(f'"{field.encode_name}":'.encode() for field in msgspec.structs.fields(_Docker))


class Wrapping(StrEnum):
    """How lines are wrapped."""

    NONE = ""
    DOCKER = "docker"
    """``{"log": "…\\n", "stream": "stdout", "time": "…"}``, or the line as ``message``, as shippers have it."""
    CRI = "cri"
    """``2024-05-01T10:00:00.123Z stdout F …``."""
    COMPOSE = "compose"
    """``web-1  | …``, or kubectl's ``[pod/web/nginx] …``."""
    SYSLOG = "syslog"

    def unwrapped(self, parse: Parser) -> Parser:
        """The parser for wrapped lines."""
        if self is Wrapping.NONE:
            return parse
        unwrap = Unwrapper(self)

        def parse_wrapped(line: bytes) -> Record | None:
            return parse(unwrap(line))

        return parse_wrapped


class Unwrapper:
    """Takes one kind of wrapping off."""

    def __init__(self, wrapping: Wrapping) -> None:
        self._wrapping = wrapping
        self._decoder = msgspec.json.Decoder(_Docker)

    def __call__(self, line: bytes) -> bytes:
        if self._wrapping is Wrapping.DOCKER:
            held: _Docker = decode_tolerantly(self._decoder, line.strip())
            inner = next((text for text in msgspec.structs.astuple(held) if isinstance(text, str)), None)
            if inner is None:
                raise LineError("no line inside the container's JSON")
            return inner.rstrip("\n").encode("utf-8", "replace")
        pattern = {Wrapping.CRI: _CRI, Wrapping.COMPOSE: _COMPOSE, Wrapping.SYSLOG: _SYSLOG}[self._wrapping]
        found = pattern.match(line)
        return line[found.end() :] if found else line


def find_wrapping(lines: list[bytes]) -> Wrapping:
    """How most of the lines are wrapped."""
    if not lines:
        return Wrapping.NONE
    counts = dict.fromkeys(Wrapping, 0)
    for line in lines:
        if line.startswith(b"{") and any(key in line for key in _KEYS):
            counts[Wrapping.DOCKER] += _is_wrapped(line)
        elif _CRI.match(line):
            counts[Wrapping.CRI] += 1
        elif _SYSLOG.match(line):
            counts[Wrapping.SYSLOG] += 1
        elif _COMPOSE.match(line):
            counts[Wrapping.COMPOSE] += 1
    best = max(counts, key=lambda wrapping: counts[wrapping])
    return best if 2 * counts[best] > len(lines) else Wrapping.NONE


def _is_wrapped(line: bytes) -> bool:
    try:
        inner = Unwrapper(Wrapping.DOCKER)(line)
    except LineError:
        return False
    # A logger's own message is no access line: that has a request in it.
    return b"HTTP/" in inner or inner.lstrip().startswith((b"{", b"#"))
