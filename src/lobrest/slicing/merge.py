"""The slices of both strategies as one set.

Both strategies append by the same test of overlap, and differ only in when they stop. So if a slice has the
first entry of another it has every entry of it up to its own end: it knows at least the same instances from
there on. Hence a slice is part of another exactly when the other has its first entry and does not end before
it, and two slices are equal when they begin and end together. Nothing is compared entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lobrest.model.slice import Profile
from lobrest.slicing.columns import SliceColumns
from lobrest.slicing.compiler import COMPILE_FROM, Column, Loop, compiled, list_of
from lobrest.slicing.kernel import Buffer, Numbers


def merge(
    mlts: SliceColumns,
    stws: SliceColumns,
    *,
    entries: int,
    profile: Profile,
    use_compiler: bool | None = None,
) -> SliceColumns:
    """One set over a log of so many entries, by first entry, longer slices first; equal slices are joined.

    Both sets are in the order of their first entries. In the default profile a slice that is a subsequence of
    one of the other strategy is dropped.
    """
    if use_compiler is None:
        use_compiler = len(mlts.members) + len(stws.members) >= COMPILE_FROM
    mark: Loop = compiled(mark_ends) if use_compiler else mark_ends
    unite: Loop = compiled(unite_slices, bounds, append) if use_compiler else unite_slices
    column: Callable[[Column], Column | list[int]] = np.ascontiguousarray if use_compiler else list_of
    sets = []
    ends = []
    for slices in (mlts, stws):
        columns = (column(slices.offsets), column(slices.members))
        furthest = column(np.full(entries, -1, np.int32))
        mark(*columns, furthest)
        sets += [*columns, column(slices.strategy_bits)]
        ends.append(furthest)
    most = len(mlts) + len(stws)
    offsets, bits = column(np.zeros(most + 1, np.int64)), column(np.zeros(most, np.uint8))
    members = column(np.empty(len(mlts.members) + len(stws.members), np.int32))
    kept = unite(*sets, *ends, profile is Profile.PAPER, offsets, members, bits)
    return SliceColumns(
        offsets=np.asarray(offsets[: kept + 1], np.int64),
        members=np.asarray(members[: offsets[kept]], np.int32),
        strategy_bits=np.asarray(bits[:kept], np.uint8),
        cut=mlts.cut + stws.cut,
    )


def mark_ends(offsets: Numbers, members: Numbers, furthest: Buffer) -> None:
    """For each entry the last entry of those slices that have it; ``furthest`` is -1 throughout."""
    for index in range(len(offsets) - 1):
        last = members[offsets[index + 1] - 1]
        for place in range(offsets[index], offsets[index + 1]):
            if furthest[members[place]] < last:
                furthest[members[place]] = last


def unite_slices(
    left_offsets: Numbers,
    left_members: Numbers,
    left_bits: Numbers,
    right_offsets: Numbers,
    right_members: Numbers,
    right_bits: Numbers,
    left_furthest: Numbers,
    right_furthest: Numbers,
    keep_parts: bool,
    offsets: Buffer,
    members: Buffer,
    bits: Buffer,
) -> int:
    """Write the union and return how many slices it has."""
    left, right, kept = 0, 0, 0
    while left < len(left_offsets) - 1 or right < len(right_offsets) - 1:
        left_start, left_last = bounds(left, left_offsets, left_members)
        right_start, right_last = bounds(right, right_offsets, right_members)
        if left_start == right_start and left_last == right_last:
            bits[kept] = left_bits[left] | right_bits[right]
            kept = append(left, left_offsets, left_members, kept, offsets, members)
            left += 1
            right += 1
        elif left_start < right_start or (left_start == right_start and left_last > right_last):
            if keep_parts or right_furthest[left_start] < left_last:
                bits[kept] = left_bits[left]
                kept = append(left, left_offsets, left_members, kept, offsets, members)
            left += 1
        else:
            if keep_parts or left_furthest[right_start] < right_last:
                bits[kept] = right_bits[right]
                kept = append(right, right_offsets, right_members, kept, offsets, members)
            right += 1
    return kept


def bounds(index: int, offsets: Numbers, members: Numbers) -> tuple[int, int]:
    """First and last entry of a slice; past the last slice, entries behind all others."""
    if index == len(offsets) - 1:
        return 1 << 40, 1 << 40
    return members[offsets[index]], members[offsets[index + 1] - 1]


def append(
    index: int, source_offsets: Numbers, source: Numbers, kept: int, offsets: Buffer, members: Buffer
) -> int:
    """Copy a slice behind those that are kept, and return how many that makes."""
    filled = offsets[kept]
    for place in range(source_offsets[index], source_offsets[index + 1]):
        members[filled] = source[place]
        filled += 1
    offsets[kept + 1] = filled
    return kept + 1
