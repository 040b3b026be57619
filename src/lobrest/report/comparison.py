"""Several runs beside each other: groups of runs that are called the same, and how groups differ."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from lobrest.model.summary import BugResult, Summary
from lobrest.report.data import Run
from lobrest.report.statistics import a12, magnitude, mann_whitney
from lobrest.report.wording import duration, number

_DIGITS = re.compile(r"[0-9a-f]*\d[0-9a-f]*")
"""Numbers and digests in messages differ from run to run."""
_ORDINAL = re.compile(r"^(.*[^\d])?[-_. ]?\d+$")


@dataclass(frozen=True, slots=True)
class Group:
    """Runs with one name: the same thing, done several times."""

    label: str
    summaries: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over the runs of a group."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The median and the ends."""
        return cls(median(values), min(values), max(values))

    def __str__(self) -> str:
        ends = f" ({number(self.least)}–{number(self.most)})" if self.least != self.most else ""
        return number(self.middle) + ends


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group in figures."""

    label: str
    runs: int
    operations: Spread
    total: int
    whole_modules: Spread
    modules: int
    flows: Spread | None
    flows_total: int
    bugs: Spread
    requests: Spread
    time: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """How one figure of two groups differs."""

    measure: str
    first: str
    second: str
    effect: float
    """A12: above 0.5 the first is better."""
    size: str
    p: float


_MEASURES: Final[tuple[tuple[str, Callable[[Summary], float]], ...]] = (
    ("operations covered", lambda summary: summary.operations.covered),
    ("logged flows replayed", lambda summary: summary.flows.replayed),
    ("bugs", lambda summary: serious(summary)),
)


def serious(summary: Summary) -> int:
    """Bugs without what is only worth knowing."""
    return sum(bug.severity != "info" for bug in summary.bugs)


def groups_of(runs: Sequence[Run]) -> tuple[Group, ...]:
    """Runs that are called the same belong together; groups in the order of their first run."""
    found: defaultdict[str, list[Summary]] = defaultdict(list)
    for run in runs:
        found[run.label].append(run.summary)
    return tuple(Group(label, tuple(summaries)) for label, summaries in found.items())


def shared_label(name: str) -> str:
    """What numbered runs are called together: ``with-logs-3`` belongs to ``with-logs``."""
    match = _ORDINAL.match(name)
    return (match[1] or "").rstrip("-_. ") or name if match else name


def group_rows(groups: Sequence[Group]) -> tuple[GroupRow, ...]:
    """The groups in figures."""
    return tuple(_row(group) for group in groups)


def contrasts(groups: Sequence[Group]) -> tuple[Contrast, ...]:
    """The first group against each other one; nothing where no group has several runs."""
    if len(groups) < 2 or all(len(group.summaries) < 2 for group in groups):
        return ()
    first, *others = groups
    found = []
    for other in others:
        for measure, figure in _MEASURES:
            ours, theirs = ([figure(one) for one in group.summaries] for group in (first, other))
            if any(ours) or any(theirs):
                effect = a12(ours, theirs)
                found.append(
                    Contrast(
                        measure,
                        first.label,
                        other.label,
                        effect,
                        magnitude(effect),
                        mann_whitney(ours, theirs),
                    )
                )
    return tuple(found)


def found_by(groups: Sequence[Group]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Which groups found the same bugs: places of groups and how many bugs exactly these found, most first."""
    finders: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    for place, group in enumerate(groups):
        for summary in group.summaries:
            for bug in summary.bugs:
                if bug.severity != "info":
                    finders[_same(bug)].add(place)
    counts = Counter(tuple(sorted(places)) for places in finders.values())
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _same(bug: BugResult) -> tuple[str, ...]:
    if bug.identity:
        return (bug.identity,)
    return bug.op, str(bug.status), bug.kind, _DIGITS.sub("0", bug.message[:400])


def _row(group: Group) -> GroupRow:
    summaries = group.summaries
    last = summaries[-1]
    times = Spread.of([round(one.duration_s, 1) for one in summaries])
    flows_total = max(one.flows.total for one in summaries)
    return GroupRow(
        label=group.label,
        runs=len(summaries),
        operations=Spread.of([one.operations.covered for one in summaries]),
        total=last.operations.total,
        whole_modules=Spread.of([_whole(one) for one in summaries]),
        modules=len(last.modules),
        flows=Spread.of([one.flows.replayed for one in summaries]) if flows_total else None,
        flows_total=flows_total,
        bugs=Spread.of([serious(one) for one in summaries]),
        requests=Spread.of([one.requests for one in summaries]),
        time=duration(times.middle),
    )


def _whole(summary: Summary) -> int:
    return sum(module.covered == module.total for module in summary.modules)
