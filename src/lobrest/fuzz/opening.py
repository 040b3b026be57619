"""Which flows are played first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lobrest.fuzz.pool import PoolItem
from lobrest.model.operation import OperationId
from lobrest.model.slice import Slice


def in_playing_order(slices: Iterable[Slice]) -> tuple[list[Slice], list[Slice]]:
    """Flows that show operations no flow before them has shown, and the others.

    What needs nothing comes first, it is cheap; then long flows before short ones.
    """
    by_size = sorted(
        slices,
        key=lambda piece: (bool(piece.instances), -len({entry.operation for entry in piece.entries})),
    )
    shown: set[OperationId] = set()
    leading: list[Slice] = []
    following: list[Slice] = []
    for piece in by_size:
        operations = {entry.operation for entry in piece.entries}
        (leading if operations - shown else following).append(piece)
        shown |= operations
    return leading, following


def interleaved(left: Sequence[PoolItem], right: Sequence[PoolItem]) -> list[PoolItem]:
    """Both in their order, evenly mixed: flows teach what single operations need, and those cost little."""
    mixed = [((index + 0.5) / len(left), 0, item) for index, item in enumerate(left)]
    mixed += [((index + 0.5) / len(right), 1, item) for index, item in enumerate(right)]
    return [item for _, _, item in sorted(mixed, key=lambda one: one[:2])]
