"""Any text line that has a request line, a status behind it, and a time somewhere.

Web frameworks write such lines in a hundred ways. What a collector puts in front may be the only time there is,
so lines are read with it.
"""

from __future__ import annotations

import re
from typing import Final

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record
from lobrest.logs.formats.text import request_line, unescape
from lobrest.logs.formats.times import TimeReader

_REQUEST: Final = re.compile(
    r'\\?["\']?(?P<request>[A-Z]{3,10} /[^\s"\\]{0,8000} HTTP/\d(?:\.\d)?)\\?["\']?'
    r"[\s,;:=]{1,4}(?:status(?:_code)?[=: ]{1,3}|code[=: ]{1,3})?(?P<status>[1-5]\d\d)(?!\d)",
)
_ISO: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?!\d)", re.ASCII
)
_CLF: Final = re.compile(
    r"(\d\d?/[A-Z][a-z]{2}/\d{4})[: ](\d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?)", re.ASCII
)
_ADDRESS: Final = re.compile(
    r"(?<![\w.:])(?:(\d{1,3}(?:\.\d{1,3}){3})|\[?([0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})\]?)(?![\w.])"
)
_LONGEST: Final = 64 << 10


class LooseParser:
    """The first of each kind counts."""

    def __init__(self, _options: FormatOptions) -> None:
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        text = line[:_LONGEST].decode("utf-8", "replace")
        if not text.strip() or text[0] == "#":
            return None
        found = _REQUEST.search(text)
        if found is None:
            raise LineError("no request line")
        method, target = request_line(unescape(found["request"]))
        address = _ADDRESS.search(_ISO.sub(" ", text[: found.start()]))
        actor = Actor(address=(address.group(1) or address.group(2)) if address else "")
        return Record(self._time(text), method, target, status_number(found["status"]), actor)

    def _time(self, text: str) -> float:
        iso = _ISO.search(text)
        if iso is not None:
            return self._times.iso(iso.group().replace(" ", "T", 1))
        clf = _CLF.search(text)
        if clf is None:
            raise LineError("no time")
        return self._times.clf(f"{clf.group(1)}:{clf.group(2)}")


LOOSE: Final = Format("text", "text lines with a request, a status and a time", LooseParser, specific=0)
