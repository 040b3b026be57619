"""Lines of ``key=value`` pairs: Go services, Heroku's router, Grafana's tools."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from lobrest.errors import ConfigError
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import JsonLineParser, shape_of_map
from lobrest.logs.formats.record import FormatOptions, LineError, Record
from lobrest.logs.formats.text import unescape

_PAIR: Final = re.compile(r'([A-Za-z_@][\w.@/-]{0,79}+)=(?:"((?:[^"\\]|\\.)*+)"|([^\s"]*+))(?=\s|$)')
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_MOST_PAIRS: Final = 200
_LONGEST: Final = 1 << 20
_LEAST_PAIRS: Final = 3


class LogfmtParser:
    """Pairs are read as the fields of a JSON line; a time in front is the time where no pair is."""

    def __init__(self, options: FormatOptions) -> None:
        if options.fields:
            known = shape_of_map(options.fields)
        elif options.shape is not None:
            known = options.shape
        else:
            raise ConfigError("no field map for key=value lines, and none could be found")
        self._parse = JsonLineParser(known)

    def __call__(self, line: bytes) -> Record | None:
        if not line.strip() or line.startswith(b"#"):
            return None
        return self._parse(as_json_line(line))


def as_json_line(line: bytes) -> bytes:
    """The pairs of a line as a JSON object; raises ``LineError`` where there are none."""
    text = line[:_LONGEST].decode("utf-8", "replace").strip()
    held: dict[str, str] = {}
    for found in _PAIR.finditer(text):
        name, quoted, plain = found.groups()
        held.setdefault(name, plain if quoted is None else unescape(quoted))
        if len(held) >= _MOST_PAIRS:
            break
    if len(held) < _LEAST_PAIRS:
        raise LineError("no key=value pairs")
    stamp = _STAMP.match(text)
    if stamp is not None:
        held.setdefault("timestamp", stamp.group())
    return msgspec.json.encode(held)


def _looks_like(line: bytes) -> bool:
    return not line.startswith(b"{") and line.count(b"=") >= _LEAST_PAIRS


LOGFMT: Final = Format("logfmt", "key=value pairs", LogfmtParser, specific=1, looks_like=_looks_like)
