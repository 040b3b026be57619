"""Cases: what everybody did to one thing, in one flow.

A slice follows one user. What the business does to a thing often takes several people: one proposes, another
approves, a third releases. A case joins their slices around the thing, as far as the log shows its whole life.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from lobrest.model.entry import LogEntry
from lobrest.model.operation import READS, ApiSpec, OperationId
from lobrest.model.resource import ResourceInstance, ResourceModel
from lobrest.model.slice import Slice, logged_entries

_SHORTEST, _LONGEST = 3, 24
_PREPARATION = 8
"""Entries kept of what the maker did before making the thing."""
_MOST = 400


def cases(slices: Sequence[Slice], model: ResourceModel, spec: ApiSpec) -> list[Slice]:
    """Lives of things that several people worked on, those that show most new first; bounded in number."""
    entries = logged_entries(slices)
    touching: dict[ResourceInstance, list[LogEntry]] = {}
    for entry in entries:
        for instance in entry.instances:
            if instance.resource not in model.acting_users:
                touching.setdefault(instance, []).append(entry)
    wanted = [
        (instance, trace)
        for instance, trace in touching.items()
        if _SHORTEST <= len(trace) <= _LONGEST and len({one.user for one in trace}) > 1
    ]
    wanted.sort(key=lambda one: (one[1][0].at, one[0].resource, one[0].value))
    made_in = _makings(slices, {instance for instance, _ in wanted})
    found = [_case(trace, made_in.get(instance)) for instance, trace in wanted]
    return _telling(found, spec)


def _makings(
    slices: Iterable[Slice], wanted: set[ResourceInstance]
) -> dict[ResourceInstance, tuple[Slice, int]]:
    """The slice in which each thing is made with most in front of it, and where."""
    best: dict[ResourceInstance, tuple[Slice, int]] = {}
    for piece in slices:
        for at, entry in enumerate(piece.entries):
            made = entry.creates
            if made in wanted and (made not in best or at > best[made][1]):
                best[made] = (piece, at)
    return best


def _case(trace: list[LogEntry], making: tuple[Slice, int] | None) -> Slice:
    places = {one.source for one in trace}
    before: list[LogEntry] = []
    if making is not None:
        piece, at = making
        things = piece.entries[at].instances
        before = [one for one in piece.entries[:at] if one.source not in places and one.instances & things][
            -_PREPARATION:
        ]
    return Slice(tuple(sorted((*before, *trace), key=lambda one: one.at)))


def _telling(found: list[Slice], spec: ApiSpec) -> list[Slice]:
    """Those that show a change after a change that none before has shown, rich ones first."""

    def changes(piece: Slice) -> list[OperationId]:
        return [
            one.operation
            for one in piece.entries
            if (declared := spec.operations.get(one.operation)) is not None and declared.method not in READS
        ]

    ranked = sorted(found, key=lambda piece: (-len(set(changes(piece))), len(piece.entries)))
    seen: set[tuple[OperationId, OperationId]] = set()
    kept: list[Slice] = []
    for piece in ranked:
        pairs = set(pairwise(changes(piece)))
        if pairs - seen and len(kept) < _MOST:
            seen |= pairs
            kept.append(piece)
    return kept
