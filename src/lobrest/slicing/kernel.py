"""The inner loops of slicing, in the part of Python that numba compiles.

They run as they are on lists, and compiled on arrays: ``locality`` chooses. Every function works on plain
sequences of numbers and returns numbers; what it makes it writes into the sequences it is given.

How the cost stays with the output: each place (entry, instance) knows the next entry that has the instance.
A slice keeps those next entries of its instances waiting; the smallest is the next entry of the slice, and
what lies in between is never looked at. They wait in a set: a tree of 32-bit words, one bit an entry, and
above them one bit a word that is not empty: adding, removing and finding cost the same for any queue.
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
SEEN: Final = 4
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


def include(entry: int, waiting: Buffer, levels: Numbers) -> int:
    """Put an entry into the set; 1 if it was not there, else 0."""
    added = 1
    for level in range(len(levels)):
        word = levels[level] + (entry >> 5)
        bit = 1 << (entry & 31)
        before = waiting[word]
        waiting[word] = before | bit
        if before != 0:
            if level == 0 and before & bit != 0:
                added = 0
            return added
        entry >>= 5
    return added


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


def measure(times: Sequence[float], queue_offsets: Numbers, deltas: Sequence[float], reach: Buffer) -> None:
    """For each entry the last one of its queue that is at most Δ later."""
    for queue in range(len(queue_offsets) - 1):
        end = queue_offsets[queue + 1]
        last = queue_offsets[queue]
        for entry in range(queue_offsets[queue], end):
            if last < entry:
                last = entry
            while last + 1 < end and times[last + 1] - times[entry] <= deltas[queue]:
                last += 1
            reach[entry] = last


def scan(
    queue_offsets: Numbers,
    instance_offsets: Numbers,
    following: Numbers,
    reach: Numbers,
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
    filled, seen, cut = state[FILLED], state[SEEN], state[CUT]
    status = DONE
    horizon = start
    while queue < len(queue_offsets) - 1:
        end = queue_offsets[queue + 1]
        if seen <= start:
            seen = start + 1
        while start < end:
            if taken[start] != 0:
                start += 1
                continue
            # No slice that starts here gets as far as the horizon: what lies behind need not wait.
            if not moving:
                horizon = reach[start] + 1
            elif horizon <= start:
                horizon = start + 1
            while moving and horizon < end and reach[horizon - 1] >= horizon:
                horizon += 1
            first = filled
            entry = start
            # The next entry of the slice so far; the others that wait are in the set, which is often empty.
            later = -1
            others = 0
            while True:
                if filled == len(members):
                    status = FULL
                    break
                members[filled] = entry
                filled += 1
                for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                    found = following[place]
                    if found < 0 or found >= horizon or found == later:
                        continue
                    if later < 0:
                        later = found
                    elif found < later:
                        others += include(later, waiting, levels)
                        later = found
                    else:
                        others += include(found, waiting, levels)
                if later < 0 or later > reach[entry if moving else start]:
                    break
                if filled >= budget:
                    if literal:
                        status = OVER_BUDGET
                        break
                    if taken[entry] != 0:
                        cut += 1
                        break
                entry = later
                later = -1
                if others > 0:
                    later = next_after(entry, waiting, levels, lowest_bit)
                    exclude(later, waiting, levels)
                    others -= 1
            while others > 0:
                exclude(next_after(entry, waiting, levels, lowest_bit), waiting, levels)
                others -= 1
            if status != DONE:
                filled = first
                break
            fresh = seen if literal else 0
            for member in range(first, filled):
                if members[member] >= fresh:
                    taken[members[member]] = 1
            # The scan has seen everything within reach, and the entry that ended it.
            seen = max(seen, min(reach[entry if moving else start] + 2, end))
            slices += 1
            slice_ends[slices] = filled
            start += 1
        if status != DONE:
            break
        queue += 1
    state[QUEUE], state[START], state[SLICES] = queue, start, slices
    state[FILLED], state[SEEN], state[CUT] = filled, seen, cut
    return status
