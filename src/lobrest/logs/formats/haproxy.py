"""HAProxy's HTTP log, with or without captured headers."""

from __future__ import annotations

import re
from typing import Final

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record
from lobrest.logs.formats.text import request_line, unescape
from lobrest.logs.formats.times import TimeReader

_TIMERS: Final = re.compile(r"^\+?-?\d+(?:/\+?-?\d+){3,4}$")


class HaproxyParser:
    """``client:port [accept date] frontend backend/server timers status bytes … "request"``."""

    def __init__(self, _options: FormatOptions) -> None:
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        text = line.decode("utf-8", "replace").strip()
        if not text or text[0] == "#":
            return None
        head, bracket, rest = text.partition(" [")
        # A syslog prefix has brackets of its own: haproxy[5089].
        stamp, closing, rest = rest.partition("] ")
        if not bracket or not closing:
            raise LineError("line does not fit the format")
        moment = self._times.clf(stamp)
        middle, quote, request = rest.partition('"')
        if not quote:
            raise LineError("no request line")
        words = middle.split(" ")[:40]
        place = next((number for number, word in enumerate(words) if _TIMERS.match(word)), -1)
        if place < 0 or place + 1 >= len(words):
            raise LineError("line does not fit the format")
        method, target = request_line(unescape(request.rpartition('"')[0] or request))
        address = head.rsplit(" ", 1)[-1].rpartition(":")[0]
        return Record(
            moment,
            method,
            target,
            status_number(words[place + 1]),
            Actor(address="" if address == "-" else address),
        )


HAPROXY: Final = Format("haproxy", "HAProxy HTTP log", HaproxyParser, specific=6)
