"""User queues and slices as columns: a few arrays instead of millions of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lobrest.model.slice import Strategy

Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]
Integers = NDArray[np.integer]

STRATEGY_BITS: Final = {Strategy.MLTS: 1, Strategy.STWS: 2}


@dataclass(frozen=True, slots=True)
class QueueColumns:
    """The entries of all users, user after user, each user's in time order. Entries are known by position.

    The instances of entry ``i`` are ``instance_ids[instance_offsets[i]:instance_offsets[i + 1]]``, each once.
    An id that is negative counts for nothing.
    """

    times: Floats
    queue_offsets: Offsets
    """Queue ``q`` is the entries from ``queue_offsets[q]`` up to ``queue_offsets[q + 1]``."""
    instance_offsets: Offsets
    instance_ids: Ids
    rows: Offsets
    """Where each entry stands in the table it was gathered from."""

    def __len__(self) -> int:
        return len(self.times)

    @property
    def queue_count(self) -> int:
        """How many users there are."""
        return len(self.queue_offsets) - 1

    @property
    def instance_count(self) -> int:
        """One more than the largest id."""
        return int(self.instance_ids.max(initial=-1)) + 1

    @property
    def size(self) -> int:
        """Entries and their instances together: what a pass over everything costs."""
        return len(self.times) + len(self.instance_ids)

    def with_instances(self, instance_ids: Ids) -> QueueColumns:
        """The same entries with other ids at the same places."""
        return replace(self, instance_ids=instance_ids)

    def queues_of(self, entries: Integers) -> Offsets:
        """The queue of each of some entries."""
        return np.searchsorted(self.queue_offsets, entries, side="right").astype(np.int64) - 1


def gather_queues(
    times: Floats, users: Integers, instance_offsets: Integers, instance_ids: Integers
) -> QueueColumns:
    """Queues from a table in any order: by user, then by time; entries of equal time keep the table's order.

    Raises ``ValueError`` for columns that do not fit each other.
    """
    count = len(times)
    if len(users) != count or len(instance_offsets) != count + 1:
        raise ValueError("columns of different lengths")
    if instance_offsets[-1] != len(instance_ids):
        raise ValueError("the instance offsets do not fit the instances")
    if np.isnan(times).any():
        raise ValueError("an entry without a time")
    rows = np.argsort(times, kind="stable")
    rows = rows[np.argsort(users[rows], kind="stable")].astype(np.int64, copy=False)
    by_user = users[rows]
    starts = np.flatnonzero(by_user[1:] != by_user[:-1]) + 1
    places, offsets = take_rows(np.asarray(instance_offsets, np.int64), rows)
    return QueueColumns(
        times=np.asarray(times, np.float64)[rows],
        queue_offsets=np.concatenate(([0], starts, [count] if count else [])).astype(np.int64),
        instance_offsets=offsets,
        instance_ids=np.asarray(instance_ids, np.int32)[places],
        rows=rows,
    )


def take_rows(offsets: Offsets, rows: Integers) -> tuple[Offsets, Offsets]:
    """Rows of a compressed table: the places of their items, and the offsets of the new table."""
    begins = offsets[:-1][rows]
    taken = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(offsets[1:][rows] - begins, out=taken[1:])
    places = np.arange(taken[-1], dtype=np.int64) + np.repeat(begins - taken[:-1], np.diff(taken))
    return places, taken


@dataclass(frozen=True, slots=True)
class SliceColumns:
    """Slices of all users: slice ``k`` is ``members[offsets[k]:offsets[k + 1]]``, in time order."""

    offsets: Offsets
    members: Ids
    """Positions in the ``QueueColumns`` that were sliced."""
    strategy_bits: NDArray[np.uint8]
    """Per slice, how it was found (``STRATEGY_BITS``)."""
    cut: int = 0
    """Slices that were ended early because the output would have been out of all proportion."""

    def __len__(self) -> int:
        return len(self.strategy_bits)

    def __iter__(self) -> Iterator[Ids]:
        ends = self.offsets.tolist()
        return (self.members[begin:end] for begin, end in pairwise(ends))

    @property
    def starts(self) -> Ids:
        """The first entry of each slice."""
        return self.members[self.offsets[:-1]]

    @property
    def lasts(self) -> Ids:
        """The last entry of each slice."""
        return self.members[self.offsets[1:] - 1]

    @property
    def lengths(self) -> Offsets:
        """How many entries each slice has."""
        return np.diff(self.offsets)

    def strategies(self, index: int) -> tuple[Strategy, ...]:
        """How one slice was found."""
        return tuple(strategy for strategy, bit in STRATEGY_BITS.items() if self.strategy_bits[index] & bit)

    def chosen(self, indices: Integers | Sequence[int]) -> SliceColumns:
        """Some of the slices, in the order given."""
        picked = np.asarray(indices, np.int64)
        places, offsets = take_rows(self.offsets, picked)
        return replace(
            self, offsets=offsets, members=self.members[places], strategy_bits=self.strategy_bits[picked]
        )
