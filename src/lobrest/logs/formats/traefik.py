"""Traefik's common log: combined, then the count, router, server and duration."""

from __future__ import annotations

import re
from typing import Final

from lobrest.logs.formats.combined import CombinedParser
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.record import FormatOptions, LineError, Record

_TAIL: Final = re.compile(rb' \d+ "[^"]*" "[^"]*" (\d+)ms\s*$')


class TraefikParser:
    """A combined line whose time is when the answer was done."""

    def __init__(self, options: FormatOptions) -> None:
        self._combined = CombinedParser(options)

    def __call__(self, line: bytes) -> Record | None:
        if not line.strip() or line.startswith(b"#"):
            return None
        # Only the end is searched: names of routers and servers are short.
        found = _TAIL.search(line, max(len(line) - 2048, 0))
        if found is None:
            raise LineError("line does not fit the format")
        record = self._combined(line[: found.start()])
        if record is not None:
            # The stamp has whole seconds; a shorter duration would only mix up neighbours.
            record.start = max(record.start - int(found.group(1)[-8:]) / 1000, 0.0)
        return record


TRAEFIK: Final = Format("traefik", "Traefik common log", TraefikParser, specific=6)
