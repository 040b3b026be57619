"""Sections of the report, worked out from what the stages give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from lobrest.model.bug import Bug
from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import OperationId
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice
from lobrest.model.summary import Summary
from lobrest.report.data import (
    DayEntry,
    DaySlice,
    FlowEdge,
    FlowMap,
    FlowNode,
    Obstacle,
    SliceFacts,
    TimeShare,
    Unreached,
    UserDay,
)

_DAY_LANES = 12


def slice_facts(slices: Sequence[Slice], seeds: Sequence[Seed]) -> SliceFacts:
    """How many slices, by which strategy, and what completion added."""
    strategies = Counter(str(strategy) for piece in slices for strategy in piece.strategies)
    steps = Counter(step.origin for seed in seeds for step in seed.steps)
    return SliceFacts(
        total=len(slices),
        entries=sum(len(piece.entries) for piece in slices),
        by_strategy=dict(sorted(strategies.items())),
        longest=max((len(piece.entries) for piece in slices), default=0),
        seeds=len(seeds),
        added=steps[Origin.CREATION] + steps[Origin.LISTING],
        augmented=sum(seed.origin is Origin.AUGMENTED for seed in seeds),
    )


def flow_map(
    slices: Iterable[Slice],
    summary: Summary,
    *,
    done_pairs: Collection[tuple[str, str]] | None = None,
    modules: Mapping[str, str] | None = None,
) -> FlowMap:
    """Which operation follows which in the logged flows.

    ``done_pairs`` are pairs that the campaign did in this order with success; where they are not known, a
    pair counts as done when both of its operations are covered.
    """
    covered = covered_operations(summary)
    module_of = dict(modules or {result.op: result.module for result in summary.operations.list})
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    positions: defaultdict[str, list[float]] = defaultdict(list)
    for piece in slices:
        last = max(len(piece.entries) - 1, 1)
        for index, entry in enumerate(piece.entries):
            counts[entry.operation] += 1
            positions[entry.operation].append(index / last)
        pairs.update((before.operation, after.operation) for before, after in pairwise(piece.entries))
    nodes = tuple(
        FlowNode(op, module_of.get(op, ""), count, sum(positions[op]) / len(positions[op]), op in covered)
        for op, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    edges = tuple(
        FlowEdge(
            before,
            after,
            count,
            (before, after) in done_pairs
            if done_pairs is not None
            else before in covered and after in covered,
        )
        for (before, after), count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    )
    return FlowMap(nodes, edges)


def user_day(slices: Iterable[Slice], seeds: Iterable[Seed] = ()) -> UserDay | None:
    """The day of one user that shows most: several flows of several kinds. None without logged slices."""
    days: defaultdict[tuple[UserId, str], list[Slice]] = defaultdict(list)
    for piece in slices:
        if piece.strategies and piece.entries:
            days[(piece.user, _date(piece.entries[0].at))].append(piece)
    if not days:
        return None
    (user, date), found = max(days.items(), key=lambda item: (_worth(item[1]), item[0]))
    completed = {
        _key(seed.source): seed for seed in seeds if seed.origin is Origin.LOG and not seed.mutations
    }
    longest = sorted(found, key=lambda piece: (-len(piece.entries), piece.entries[0].at))[:_DAY_LANES]
    lanes = sorted(longest, key=lambda piece: piece.entries[0].at)
    return UserDay(str(user), date, tuple(_day_slice(piece, completed.get(_key(piece))) for piece in lanes))


def never_reached(
    summary: Summary,
    resources: ResourceModel | None = None,
    *,
    messages: Mapping[str, Mapping[str, int]] | None = None,
    held_back: Mapping[str, str] | None = None,
) -> tuple[Unreached, ...]:
    """Operations without a 2XX, and why.

    ``messages`` are the service's refusals with their counts, by operation; ``held_back`` gives the reason
    for operations that are not called on purpose.
    """
    covered = covered_operations(summary)
    found = []
    for result in summary.operations.list:
        if result.op in covered:
            continue
        obstacle, detail = _obstacle(result.op, result.statuses, resources, held_back or {})
        said = sorted((messages or {}).get(result.op, {}).items(), key=lambda item: (-item[1], item[0]))[:3]
        found.append(Unreached(result.op, result.module, obstacle, detail, tuple(said)))
    return tuple(found)


def time_shares(summary: Summary) -> tuple[TimeShare, ...]:
    """Where the time went, stage by stage."""
    stages = summary.stages
    return (
        TimeShare("analysing resources", stages.analyze_s),
        TimeShare("reading logs", stages.read_s),
        TimeShare("slicing", stages.slice_s),
        TimeShare("completing", stages.enhance_s),
        TimeShare("testing the service", summary.duration_s),
    )


def covered_operations(summary: Summary) -> frozenset[str]:
    """Operations with a 2XX."""
    return frozenset(
        result.op
        for result in summary.operations.list
        if any(status.startswith("2") and count for status, count in result.statuses.items())
    )


def by_importance(bugs: Iterable[Bug]) -> tuple[Bug, ...]:
    """Severe before harmless, confirmed before unconfirmed, deep in a flow before shallow, then in the order found."""
    return tuple(
        sorted(
            bugs,
            key=lambda bug: (-bug.severity.rank, not bug.confirmed, -len(bug.exchanges), bug.number),
        )
    )


def _obstacle(
    op: str, statuses: Mapping[str, int], resources: ResourceModel | None, held_back: Mapping[str, str]
) -> tuple[Obstacle, str]:
    if op in held_back:
        return Obstacle.HELD_BACK, held_back[op]
    tried = {status: count for status, count in statuses.items() if count}
    missing = _without_creator(op, resources) if resources is not None else ""
    if not tried:
        return (Obstacle.NO_CREATOR, missing) if missing else (Obstacle.NOT_TRIED, "")
    listed = ", ".join(f"{count} × {status}" for status, count in sorted(tried.items()) if status != "0")
    if set(tried) == {"0"}:
        return Obstacle.NO_ANSWER, f"{tried['0']} requests"
    if all(status.startswith("5") for status in tried if status != "0"):
        return Obstacle.FAILED, listed
    if missing and set(tried) <= {"404", "0"}:
        return Obstacle.NO_CREATOR, f"{missing}; {listed}"
    return Obstacle.REFUSED, listed


def _without_creator(op: str, resources: ResourceModel) -> str:
    for dependency in resources.of_operation(OperationId(op)):
        resource = resources.resources.get(dependency.resource)
        if resource is not None and not resource.creators and not resource.listers:
            return f"nothing creates or lists {resource.name}"
    return ""


def _worth(pieces: Sequence[Slice]) -> float:
    """Days with about eight flows of about six entries tell most at a glance."""
    kinds = len({entry.operation for piece in pieces for entry in piece.entries})
    long_enough = sum(len(piece.entries) >= 3 for piece in pieces)
    return min(long_enough, 10) * 4 + min(kinds, 40)


def _day_slice(piece: Slice, seed: Seed | None) -> DaySlice:
    added: tuple[DayEntry, ...] = ()
    if seed is not None:
        added = tuple(
            DayEntry(step.entry.at, step.entry.operation, added=True, reason=step.reason)
            for step in seed.steps
            if step.origin in (Origin.CREATION, Origin.LISTING)
        )
    return DaySlice(
        (*added, *map(_day_entry, piece.entries)), tuple(str(strategy) for strategy in piece.strategies)
    )


def _day_entry(entry: LogEntry) -> DayEntry:
    return DayEntry(entry.at, entry.operation, entry.status)


def _key(piece: Slice) -> tuple[tuple[UserId, float, OperationId], ...]:
    return tuple((entry.user, entry.at, entry.operation) for entry in piece.entries)


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
