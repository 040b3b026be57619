"""Go services built with ``-cover``: the folder of ``GOCOVERDIR``, read with Go's own tool.

Go writes counters when a program ends. A service that is to tell while it runs is built with
``-covermode=atomic`` and calls ``runtime/coverage.WriteCountersDir`` now and then; otherwise the folder changes
only when it is restarted.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from lobrest.errors import ProbeError
from lobrest.probes.command import output_of
from lobrest.probes.lines import Lines, parse_lines


class GoProbe:
    """What all the counter files of a folder show together."""

    def __init__(self, folder: Path, *, go: str | None = None) -> None:
        self._folder = folder
        self._go = go or shutil.which("go") or "go"
        self._read: frozenset[tuple[str, int]] = frozenset()
        self._known: Lines = {}

    async def lines(self) -> Lines:
        """See ``ports.CoverageProbe``. The tool is run only when there is something new to read."""
        try:
            files = [file for file in self._folder.iterdir() if file.name.startswith("cov")]
            there = frozenset((file.name, file.stat().st_mtime_ns) for file in files)
        except OSError as error:
            raise ProbeError(f"cannot be read: {error.strerror}", source=str(self._folder)) from error
        if there == self._read or not any(name.startswith("covcounters") for name, _ in there):
            return self._known
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "lines.txt"
            await output_of([self._go, "tool", "covdata", "textfmt", f"-i={self._folder}", f"-o={text}"])
            self._known = parse_lines(text.read_bytes(), source=str(self._folder))
        self._read = there
        return self._known

    async def close(self) -> None:
        """Nothing is held."""
