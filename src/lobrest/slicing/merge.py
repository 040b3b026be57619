"""The slices of both strategies as one set.

Both strategies append by the same test of overlap, and differ only in when they stop. So if a slice has the
first entry of another it has every entry of it up to its own end: it knows at least the same instances from
there on. Hence a slice is part of another exactly when the other has its first entry and does not end before
it, and two slices are equal when they begin and end together. Nothing is compared entry by entry.
"""

from __future__ import annotations

import numpy as np

from lobrest.model.slice import Profile
from lobrest.slicing.columns import Flags, Ids, SliceColumns


def merge(mlts: SliceColumns, stws: SliceColumns, *, entries: int, profile: Profile) -> SliceColumns:
    """One set over a log of so many entries, by first entry, longer slices first; equal slices are joined.

    In the default profile a slice that is a subsequence of one of the other strategy is dropped.
    """
    equal_to_stws, equal_to_mlts = _equal(mlts, stws, entries), _equal(stws, mlts, entries)
    if profile is Profile.PAPER:
        keep_mlts, keep_stws = np.ones(len(mlts), np.bool_), ~equal_to_mlts
    else:
        keep_mlts = equal_to_stws | ~_covered(mlts, stws, entries)
        keep_stws = ~_covered(stws, mlts, entries)
    bits = mlts.strategy_bits | np.where(equal_to_stws, stws.strategy_bits.max(initial=0), 0).astype(np.uint8)
    both = SliceColumns(
        offsets=np.concatenate((mlts.offsets, stws.offsets[1:] + mlts.offsets[-1])),
        members=np.concatenate((mlts.members, stws.members)),
        strategy_bits=np.concatenate((bits, stws.strategy_bits)),
        cut=mlts.cut + stws.cut,
    )
    kept = np.flatnonzero(np.concatenate((keep_mlts, keep_stws)))
    order = np.lexsort((-both.lengths[kept], both.starts[kept]))
    return both.chosen(kept[order])


def _equal(slices: SliceColumns, others: SliceColumns, entries: int) -> Flags:
    """Which slices does the other set have too?"""
    ends: Ids = np.full(entries, -1, np.int32)
    ends[others.starts] = others.lasts
    equal: Flags = ends[slices.starts] == slices.lasts
    return equal


def _covered(slices: SliceColumns, others: SliceColumns, entries: int) -> Flags:
    """Which slices are a part of one in the other set, or all of it?"""
    furthest: Ids = np.full(entries, -1, np.int32)
    np.maximum.at(furthest, others.members, np.repeat(others.lasts, others.lengths))
    covered: Flags = furthest[slices.starts] >= slices.lasts
    return covered
