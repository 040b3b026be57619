"""The default profile, literally: what it changes in the paper's slicing, and nothing else. Slow on purpose."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.paper import Indices, Request


def without_hubs(queue: Sequence[Request], hubs: frozenset[int]) -> list[Request]:
    """Hub instances do not count as overlap, so slicing need not see them."""
    return [Request(request.time, request.instances - hubs) for request in queue]


def mlts(queue: Sequence[Request], delta: float, hubs: frozenset[int] = frozenset()) -> list[Indices]:
    """MLTS that looks at V again when it takes a start."""
    return _sliced(queue, delta, hubs, moving=True)


def stws(queue: Sequence[Request], delta: float, hubs: frozenset[int] = frozenset()) -> list[Indices]:
    """STWS that looks at V again when it takes a start."""
    return _sliced(queue, delta, hubs, moving=False)


def _sliced(queue: Sequence[Request], delta: float, hubs: frozenset[int], *, moving: bool) -> list[Indices]:
    entries = without_hubs(queue, hubs)
    slices: list[Indices] = []
    visited: set[int] = set()
    starts = {0} if entries else set()
    while starts:
        start = min(starts)
        starts.remove(start)
        if start in visited:
            continue
        shared, since, members = entries[start].instances, entries[start].time, [start]
        for index in range(start + 1, len(entries)):
            if entries[index].time - since > delta:
                starts.add(index)
                break
            if not entries[index].instances & shared:
                starts.add(index)
                continue
            members.append(index)
            shared = shared | entries[index].instances
            if moving:
                since = entries[index].time
        slices.append(tuple(members))
        visited |= set(members)
    return maximal(slices)


def maximal(slices: Sequence[Indices]) -> list[Indices]:
    """The slices that are no subsequence of another; of equal ones the first."""
    return [
        candidate
        for position, candidate in enumerate(slices)
        if not any(
            is_subsequence(candidate, other) and (candidate != other or earlier < position)
            for earlier, other in enumerate(slices)
            if earlier != position
        )
    ]


def is_subsequence(part: Indices, whole: Indices) -> bool:
    """Is every index of ``part`` found in ``whole``, in order?"""
    rest = iter(whole)
    return all(index in rest for index in part)
