"""Which exchanges are kept whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from lobrest.store.records import Keep

FIRST_FEW: Final = 5
"""Exchanges of one operation and status that are interesting."""


class Keeping:
    """Decides by what was kept before: ``kept`` counts that by operation and status, across a resume."""

    def __init__(self, keep: Keep, kept: Mapping[tuple[str, int], int] | None = None) -> None:
        # Looked up once: members of an enumeration are slow to come by, and every request asks.
        self._everything = keep is Keep.ALL
        self._some = keep is Keep.INTERESTING
        self._kept: Counter[tuple[str, int]] = Counter(kept or {})

    def wants(self, operation: str, status: int) -> bool:
        """Is this exchange to be kept? Each yes to an interesting one counts."""
        if not self._some:
            return self._everything
        if self._kept[operation, status] >= FIRST_FEW:
            return False
        self._kept[operation, status] += 1
        return True
