"""The inner loops of slicing, in the part of Python that numba compiles.

They run as they are on lists, and compiled on arrays: ``locality`` chooses. Every function works on plain
sequences of numbers and returns numbers; what it makes it writes into the sequences it is given.

How the cost stays with the output: each place (entry, instance) knows the next entry that has the instance.
A slice keeps the set of those next entries of its instances; the smallest is the next entry of the slice, and
what lies in between is never looked at. The set is a tree of 32-bit words, one bit an entry, and above them
one bit a word that is not empty: adding, removing and finding the next cost the same for any queue.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

Numbers = Sequence[int]
Buffer = MutableSequence[int]

QUEUE: Final = 0
START: Final = 1
SLICES: Final = 2
FILLED: Final = 3
REACHED: Final = 4
CUT: Final = 5
STATE_SIZE: Final = 6

DONE: Final = 0
FULL: Final = 1
OVER_BUDGET: Final = 2


def link(
    queue_offsets: Numbers,
    instance_offsets: Numbers,
    instance_ids: Numbers,
    latest: Buffer,
    following: Buffer,
) -> None:
    """For each place the next entry of the same queue with the same instance, or -1.

    A negative id counts for nothing. ``latest`` has a place for every id and is -1 throughout.
    """
    for queue in range(len(queue_offsets) - 2, -1, -1):
        end = queue_offsets[queue + 1]
        for entry in range(end - 1, queue_offsets[queue] - 1, -1):
            for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                following[place] = -1
                instance = instance_ids[place]
                if instance >= 0:
                    later = latest[instance]
                    # Not past the end: that is another user. Not this entry: it names the instance twice.
                    if entry < later < end:
                        following[place] = later
                    latest[instance] = entry


def include(entry: int, waiting: Buffer, levels: Numbers) -> None:
    """Put an entry into the set."""
    for level in range(len(levels)):
        word = levels[level] + (entry >> 5)
        before = waiting[word]
        waiting[word] = before | (1 << (entry & 31))
        if before != 0:
            return
        entry >>= 5


def exclude(entry: int, waiting: Buffer, levels: Numbers) -> None:
    """Take an entry out of the set."""
    for level in range(len(levels)):
        word = levels[level] + (entry >> 5)
        after = waiting[word] & ~(1 << (entry & 31))
        waiting[word] = after
        if after != 0:
            return
        entry >>= 5


def next_after(entry: int, waiting: Buffer, levels: Numbers, lowest_bit: Numbers) -> int:
    """The smallest entry of the set behind ``entry``, or -1."""
    for level in range(len(levels)):
        word = waiting[levels[level] + (entry >> 5)] & (-2 << (entry & 31))
        entry >>= 5
        if word != 0:
            found = (entry << 5) + lowest_bit[((word & -word) * 0x077CB531 & 0xFFFFFFFF) >> 27]
            for below in range(level - 1, -1, -1):
                word = waiting[levels[below] + found]
                found = (found << 5) + lowest_bit[((word & -word) * 0x077CB531 & 0xFFFFFFFF) >> 27]
            return found
    return -1


def scan(
    times: Sequence[float],
    queue_offsets: Numbers,
    instance_offsets: Numbers,
    following: Numbers,
    deltas: Sequence[float],
    moving: bool,
    literal: bool,
    budget: int,
    state: Buffer,
    taken: Buffer,
    waiting: Buffer,
    levels: Numbers,
    lowest_bit: Numbers,
    slice_ends: Buffer,
    members: Buffer,
) -> int:
    """All slices of all queues into ``members``; slice ``k`` ends at ``slice_ends[k + 1]``.

    ``moving``: Δ is measured from the entry before (MLTS), else from the start (STWS).
    ``literal``: the paper's starts, which are all entries that the first scan to reach them does not append;
    else all entries that are in no slice yet. ``taken`` marks the entries that do not start a slice.
    When ``members`` is full it returns ``FULL``: call again with the same state and more room. Over the
    budget the literal form gives up, the other ends a slice where it meets an entry of another slice.
    """
    queue, start, slices = state[QUEUE], state[START], state[SLICES]
    filled, reached, cut = state[FILLED], state[REACHED], state[CUT]
    status = DONE
    horizon = start
    while queue < len(queue_offsets) - 1:
        end = queue_offsets[queue + 1]
        delta = deltas[queue]
        if reached <= start:
            reached = start + 1
        while start < end:
            if taken[start] != 0:
                start += 1
                continue
            # No slice that starts here gets as far as the horizon: what lies behind need not wait.
            if horizon <= start:
                horizon = start + 1
            if moving:
                while horizon < end and times[horizon] - times[horizon - 1] <= delta:
                    horizon += 1
            else:
                while horizon < end and times[horizon] - times[start] <= delta:
                    horizon += 1
            first = filled
            entry = start
            since = times[start]
            while True:
                if filled == len(members):
                    status = FULL
                    break
                members[filled] = entry
                filled += 1
                if moving:
                    since = times[entry]
                for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                    if 0 <= following[place] < horizon:
                        include(following[place], waiting, levels)
                later = next_after(entry, waiting, levels, lowest_bit)
                if later < 0 or times[later] - since > delta:
                    break
                if filled >= budget:
                    if literal:
                        status = OVER_BUDGET
                        break
                    if taken[entry] != 0:
                        cut += 1
                        break
                exclude(later, waiting, levels)
                entry = later
            later = next_after(entry, waiting, levels, lowest_bit)
            while later >= 0:
                exclude(later, waiting, levels)
                later = next_after(later, waiting, levels, lowest_bit)
            if status != DONE:
                filled = first
                break
            unseen = reached if literal else 0
            for member in range(first, filled):
                if members[member] >= unseen:
                    taken[members[member]] = 1
            if literal:
                probe = reached if reached > entry else entry + 1
                if probe == entry + 1 or times[probe - 1] - since <= delta:
                    while probe < end and times[probe] - since <= delta:
                        probe += 1
                    # The entry that ended the scan was reached too: it is a start.
                    reached = probe + 1 if probe < end else end
            slices += 1
            slice_ends[slices] = filled
            start += 1
        if status != DONE:
            break
        queue += 1
    state[QUEUE], state[START], state[SLICES] = queue, start, slices
    state[FILLED], state[REACHED], state[CUT] = filled, reached, cut
    return status
