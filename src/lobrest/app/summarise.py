"""A campaign in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lobrest.app.campaign import Result
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.shortage import Shortage, shortage
from lobrest.model.summary import (
    BugResult,
    FlowTotals,
    ModuleResult,
    OperationResult,
    OperationTotals,
    StageTimes,
    Summary,
)
from lobrest.report.shortage import shortage_json


def summarise(
    engine: Engine,
    result: Result,
    *,
    profile: str,
    started: str,
    stages: StageTimes,
    extra: Mapping[str, Any] | None = None,
) -> Summary:
    """The summary of ``summary.json``."""
    spec = engine.material.spec
    feedback = engine.state.feedback
    rows = []
    modules: dict[str, list[int]] = {}
    for operation in spec.operations.values():
        statuses = feedback.statuses.get(operation.id, {})
        rows.append(
            OperationResult(
                operation.id,
                operation.module,
                {str(status): count for status, count in sorted(statuses.items())},
            )
        )
        counts = modules.setdefault(operation.module, [0, 0])
        counts[0] += 1
        counts[1] += operation.id in feedback.covered
    bugs = tuple(
        BugResult(
            bug.number,
            bug.key.operation,
            bug.key.status,
            bug.message,
            round(bug.first_seen_s, 2),
            bug.confirmed,
            len(bug.exchanges),
            bug.kind.value,
            bug.severity.value,
            bug.evidence,
            bug.key.identity,
        )
        for bug in engine.state.triage.bugs
    )
    return Summary(
        service=spec.title,
        profile=profile,
        seed=engine.rules.random_seed,
        started=started,
        duration_s=round(result.seconds, 2),
        requests=result.requests,
        requests_per_s=round(result.requests / result.seconds, 1) if result.seconds else 0.0,
        operations=OperationTotals(
            total=len(spec.operations),
            attempted=sum(bool(row.statuses) for row in rows),
            covered=len(feedback.covered),
            list=tuple(rows),
        ),
        modules=tuple(ModuleResult(name, total, hit) for name, (total, hit) in modules.items()),
        flows=FlowTotals(engine.flows, engine.replayed),
        bugs=bugs,
        timeline=tuple(result.timeline),
        stages=stages,
        extra={
            "reason": result.reason,
            "failures": dict(result.failures),
            "outages": len(result.outages),
            "outage_log": [one.summary for one in result.outages[:100]],
            "dead": result.dead,
            "quarantined": list(result.quarantined),
            "executions": engine.state.observed,
            "refusals": dict(Counter(engine.state.refused.values()).most_common(50)),
            "people": shortage_json(wanting(engine)),
            "entries": {"played": len(engine.state.played), "repeated": len(engine.state.repeated)},
            **(extra or {}),
        },
    )


def wanting(engine: Engine) -> Shortage:
    """Which logged flows could not be played for want of people."""
    return shortage(engine.unreplayed(), engine.rules.everybody, engine.state.refused)
