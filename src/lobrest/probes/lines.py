"""Lines that have run, in the forms tools write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from lobrest.errors import ProbeError

_MOST_LINES: Final = 1_000_000
"""A line number beyond this is none: it would only cost memory."""
_GO: Final = re.compile(r"^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$")
_PLAIN: Final = re.compile(r"^(.+?):(\d+)$")

Lines = dict[str, int]
"""By file a number whose bits are the lines that have run."""


def parse_lines(data: bytes, *, source: str) -> Lines:
    """JSON (``{"file": [1, 2]}`` or a report of coverage.py), LCOV, Go's text format, or ``file:line`` a line.

    Raises ``ProbeError`` for anything else.
    """
    text = data.decode("utf-8", "replace").strip()
    if not text:
        return {}
    if text.startswith("{"):
        return _from_json(text, source)
    lines = text.splitlines()
    if text.startswith("mode:"):
        return _from_go(lines[1:], source)
    if any(line.startswith("SF:") for line in lines[:50]):
        return _from_lcov(lines)
    found: Lines = {}
    for line in lines:
        plain = _PLAIN.match(line.strip())
        if plain is None:
            raise ProbeError("is no line coverage", source=source, hint=f"cannot read {line[:60]!r}")
        _add(found, plain[1], [int(plain[2][:9])])
    return found


def bits(numbers: Iterable[int]) -> int:
    """Line numbers as one number."""
    mask = 0
    for number in numbers:
        if 0 <= number < _MOST_LINES:
            mask |= 1 << number
    return mask


def _add(found: Lines, file: str, numbers: Iterable[int]) -> None:
    found[file] = found.get(file, 0) | bits(numbers)


def _from_json(text: str, source: str) -> Lines:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProbeError("is no JSON", source=source) from error
    files = told.get("files", told)
    found: Lines = {}
    for file, known in files.items() if isinstance(files, dict) else ():
        numbers = known.get("executed_lines") if isinstance(known, dict) else known
        if isinstance(numbers, list):
            _add(found, str(file), (one for one in numbers if isinstance(one, int)))
    return found


def _from_lcov(lines: Iterable[str]) -> Lines:
    found: Lines = {}
    file = ""
    for line in lines:
        if line.startswith("SF:"):
            file = line[3:]
        elif line.startswith("DA:"):
            number, _, times = line[3:].partition(",")
            if number.isdigit() and times.partition(",")[0] not in ("0", ""):
                _add(found, file, [int(number[:9])])
    return found


def _from_go(lines: Iterable[str], source: str) -> Lines:
    found: Lines = {}
    for line in lines:
        block = _GO.match(line)
        if block is None:
            raise ProbeError("is no coverage of Go", source=source)
        if block[4] != "0":
            first, last = int(block[2][:7]), int(block[3][:7])
            _add(found, block[1], range(first, min(last, first + 10_000) + 1))
    return found
