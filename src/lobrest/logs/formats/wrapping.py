"""What container engines and collectors put around a line."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from lobrest.logs.formats.json_lines import decode_tolerantly
from lobrest.logs.formats.record import LineError, Parser, Record

_CRI = re.compile(rb"^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ")
_COMPOSE = re.compile(rb"^[\w.-]{1,80}\s*\| ")
_SYSLOG = re.compile(
    rb"^(?:<\d{1,3}>)?(?:\d )?"
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) "
    rb"\S+ [\w./-]{1,60}(?:\[\d+\])?(?::| \S+ \S+ (?:-|\[.*?\])) ?(?:nginx: )?"
)


class _Docker(msgspec.Struct, gc=False):
    log: str | None = None
    message: str | None = None
    MESSAGE: str | None = None


class Wrapping(StrEnum):
    """How lines are wrapped."""

    NONE = ""
    DOCKER = "docker"
    """``{"log": "…\\n", "stream": "stdout", "time": "…"}``, or the line as ``message``."""
    CRI = "cri"
    """``2024-05-01T10:00:00.123Z stdout F …``."""
    COMPOSE = "compose"
    """``web-1  | …``."""
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
            inner = next((text for text in (held.log, held.message, held.MESSAGE) if text is not None), None)
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
        if line.startswith(b"{") and (b'"log":' in line or b'"message":' in line or b'"MESSAGE":' in line):
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
