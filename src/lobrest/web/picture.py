"""A campaign as a report, at any moment: what was known at the start, with what has happened since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lobrest.model.bug import Bug
from lobrest.model.summary import BugResult, FlowTotals, ModuleResult, OperationTotals, Point, Summary
from lobrest.report.data import FlowMap, ReportData
from lobrest.report.derive import never_reached, time_shares
from lobrest.store.browse import StatusSum


class State(StrEnum):
    """How a campaign stands."""

    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    ENDED = "ended"
    BROKEN_OFF = "broken off"
    """It was killed, or the machine went down: it never said that it ends."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the store says now."""

    statuses: Sequence[StatusSum]
    covered: Mapping[str, float]
    timeline: tuple[Point, ...]
    bugs: tuple[Bug, ...]
    replayed: int
    """Different logged flows that were replayed."""
    seconds: float

    @property
    def requests(self) -> int:
        """Requests sent so far."""
        return sum(one.total for one in self.statuses)


def pictured(stored: ReportData, now: Moment, state: State) -> ReportData:
    """The report of this moment. A campaign that has ended shows what its own report does."""
    if state in (State.ENDED, State.BROKEN_OFF) and stored.summary.requests == now.requests > 0:
        return replace(stored, bugs=now.bugs)
    summary = _summary(stored.summary, now)
    return replace(
        stored,
        summary=summary,
        bugs=now.bugs,
        flows=_flows(stored.flows, now.covered) if stored.flows is not None else None,
        unreached=never_reached(summary, stored.resources, held_back=summary.extra.get("held_back", {})),
        times=time_shares(summary),
    )


def _summary(stored: Summary, now: Moment) -> Summary:
    by_operation: dict[str, dict[str, int]] = {}
    for one in now.statuses:
        by_operation.setdefault(one.operation, {})[str(one.status)] = one.total
    rows = tuple(replace(row, statuses=by_operation.get(row.op, {})) for row in stored.operations.list)
    hits: dict[str, int] = {}
    for row in rows:
        hits[row.module] = hits.get(row.module, 0) + (row.op in now.covered)
    return replace(
        stored,
        duration_s=now.seconds,
        requests=now.requests,
        requests_per_s=round(now.requests / now.seconds, 1) if now.seconds else 0.0,
        operations=OperationTotals(
            len(rows),
            sum(bool(row.statuses) for row in rows),
            sum(row.op in now.covered for row in rows),
            rows,
        ),
        modules=tuple(
            ModuleResult(module.name, module.total, hits.get(module.name, 0)) for module in stored.modules
        ),
        flows=FlowTotals(stored.flows.total, min(now.replayed, stored.flows.total)),
        bugs=tuple(bug_result(bug) for bug in now.bugs),
        timeline=now.timeline,
    )


def bug_result(bug: Bug) -> BugResult:
    """A bug as summaries have it."""
    return BugResult(
        n=bug.number,
        op=bug.key.operation,
        status=bug.key.status,
        message=bug.message,
        first_seen_s=round(bug.first_seen_s, 2),
        confirmed=bug.confirmed,
        steps=len(bug.exchanges),
        kind=bug.kind.value,
        severity=bug.severity.value,
        evidence=bug.evidence,
        identity=bug.key.identity,
    )


def _flows(flows: FlowMap, covered: Mapping[str, float]) -> FlowMap:
    return FlowMap(
        tuple(replace(node, covered=node.op in covered) for node in flows.nodes),
        tuple(
            replace(edge, covered=edge.before in covered and edge.after in covered) for edge in flows.edges
        ),
    )
