"""Python services: the data file of coverage.py, or an address that tells what has run."""

from __future__ import annotations

import asyncio
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Final

from lobrest.errors import ProbeError
from lobrest.probes.lines import Lines, bits, parse_lines

_SECONDS: Final = 10.0
_LARGEST: Final = 64 << 20


class PythonFileProbe:
    """The file that coverage.py writes whenever the service calls ``Coverage.save``; parallel files beside it too."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def lines(self) -> Lines:
        """See ``ports.CoverageProbe``."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> Lines:
        files = [self._file, *sorted(self._file.parent.glob(f"{self._file.name}.*"))]
        there = [file for file in files if file.is_file() and file.stat().st_size]
        found: Lines = {}
        for file in there:
            for name, mask in self._one(file).items():
                found[name] = found.get(name, 0) | mask
        return found

    def _one(self, file: Path) -> Lines:
        found: Lines = {}
        try:
            with closing(
                sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
            ) as data:
                names = dict(data.execute("SELECT id, path FROM file"))
                for number, blob in data.execute("SELECT file_id, numbits FROM line_bits"):
                    name = str(names.get(number, number))
                    found[name] = found.get(name, 0) | int.from_bytes(blob, "little")
                arcs: dict[str, list[int]] = {}
                for number, first, last in data.execute("SELECT file_id, fromno, tono FROM arc"):
                    arcs.setdefault(str(names.get(number, number)), []).extend((first, last))
                for name, ends in arcs.items():
                    found[name] = found.get(name, 0) | bits(one for one in ends if one > 0)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):  # being written: next time
                return {}
            raise ProbeError(f"cannot be read: {error}", source=str(file)) from error
        except (sqlite3.DatabaseError, TypeError) as error:
            raise ProbeError("is no data file of coverage.py", source=str(file)) from error
        return found

    async def close(self) -> None:
        """Nothing is held."""


class UrlProbe:
    """An address that answers with what has run, in any form that ``parse_lines`` reads."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def lines(self) -> Lines:
        """See ``ports.CoverageProbe``."""
        return await asyncio.to_thread(self._fetch)

    def _fetch(self) -> Lines:
        try:
            with urllib.request.urlopen(self._url, timeout=_SECONDS) as answer:
                return parse_lines(answer.read(_LARGEST), source=self._url)
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise ProbeError(f"does not answer: {error}", source=self._url) from error

    async def close(self) -> None:
        """Nothing is held."""
