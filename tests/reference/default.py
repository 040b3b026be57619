"""The default profile, literally: what it changes in the paper's slicing, and no more. Slow on purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from tests.reference.paper import Indices, Request


def mlts(queue: Sequence[Request], delta: float) -> list[Indices]:
    """MLTS that looks at V again when it takes a start."""
    return maximal(_sliced(queue, delta, moving=True))


def stws(queue: Sequence[Request], delta: float) -> list[Indices]:
    """STWS that looks at V again when it takes a start."""
    return maximal(_sliced(queue, delta, moving=False))


def _sliced(entries: Sequence[Request], delta: float, *, moving: bool) -> list[Indices]:
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
    return slices


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


def without_hubs(queue: Sequence[Request], acting: AbstractSet[int] = frozenset()) -> list[Request]:
    """One user's queue without the places where an instance is mere context.

    The focus of an entry is its rarest instance, of equally rare ones the one with the largest id. A context
    is used 8 times and in a fifth of the entries that have instances, in 85 % of its entries beside a focus,
    and beside three different ones; or it is the name of an acting user, in half of the entries. It counts
    only where it is the focus.
    """
    uses = Counter(instance for request in queue for instance in request.instances)
    foci = [
        min(request.instances, key=lambda instance: (uses[instance], -instance))
        if request.instances
        else None
        for request in queue
    ]
    with_instances = sum(1 for request in queue if request.instances)

    def is_context(instance: int) -> bool:
        beside = [
            focus
            for request, focus in zip(queue, foci, strict=True)
            if instance in request.instances and focus != instance
        ]
        often = uses[instance]
        return (
            often >= 8
            and often >= 0.2 * with_instances
            and len(beside) >= 0.9 * often
            and len(set(beside)) >= 3
        )

    def is_acting(instance: int) -> bool:
        return instance in acting and uses[instance] >= 8 and uses[instance] >= 0.5 * with_instances

    contexts = {instance for instance in uses if is_context(instance) or is_acting(instance)}
    return [
        Request(
            request.time,
            frozenset(
                instance for instance in request.instances if instance not in contexts or instance == focus
            ),
        )
        for request, focus in zip(queue, foci, strict=True)
    ]
