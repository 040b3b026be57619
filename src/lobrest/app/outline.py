"""What a report shows that is known before the first request: kept with the campaign, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from lobrest import __version__
from lobrest.app.pipeline import Prepared
from lobrest.model.operation import ApiSpec, OperationId
from lobrest.model.summary import FlowTotals, ModuleResult, OperationResult, OperationTotals, Summary
from lobrest.report.data import Dropped, LogFile, LogReading, ReportData
from lobrest.report.derive import flow_map, slice_facts, time_shares, user_day
from lobrest.store import CampaignStore
from lobrest.store.codec import pack

OUTLINE: Final = "outline"
"""Name of the state that holds it: a ``ReportData`` without bugs."""


def opening(
    prepared: Prepared,
    *,
    target: str,
    folder: Path,
    profile: str,
    seed: int,
    started: str,
    flows: int,
    budget_s: float,
    actors: Sequence[str],
    held_back: Mapping[OperationId, str],
) -> ReportData:
    """The report of a campaign that has sent nothing yet."""
    modules: dict[str, int] = {}
    for operation in prepared.spec.operations.values():
        modules[operation.module] = modules.get(operation.module, 0) + 1
    rows = tuple(OperationResult(one.id, one.module, {}) for one in prepared.spec.operations.values())
    summary = Summary(
        service=prepared.spec.title,
        profile=profile,
        seed=seed,
        started=started,
        duration_s=0.0,
        requests=0,
        requests_per_s=0.0,
        operations=OperationTotals(len(rows), 0, 0, rows),
        modules=tuple(ModuleResult(name, total, 0) for name, total in modules.items()),
        flows=FlowTotals(flows, 0),
        bugs=(),
        timeline=(),
        stages=prepared.stages,
        extra={
            "held_back": {str(op): why for op, why in held_back.items()},
            "actors": list(actors),
            "budget_s": budget_s,
        },
    )
    slices = prepared.slices
    return ReportData(
        summary=summary,
        target=target,
        spec=document_line(prepared.spec),
        logs=log_reading(prepared),
        slices=slice_facts(slices, ()) if slices else None,
        resources=prepared.model,
        flows=flow_map(slices, summary) if slices else None,
        day=user_day(slices),
        times=time_shares(summary),
        folder=str(folder.absolute()),
        version=__version__,
    )


def keep_outline(store: CampaignStore, data: ReportData) -> None:
    """Remember what was known at that moment; bugs are kept elsewhere."""
    store.put_state(OUTLINE, pack(ReportData, data))


def log_reading(prepared: Prepared) -> LogReading | None:
    """What was read and dropped, as the report has it."""
    if prepared.table is None:
        return prepared.logs
    statistics = prepared.table.statistics
    return LogReading(
        files=tuple(
            LogFile(Path(one.name).name, one.detection.format_name, one.lines, one.kept)
            for one in statistics.files
        ),
        dropped=tuple(
            Dropped(one.reason, one.count, str(one.places[0]) if one.places else "")
            for one in statistics.dropped
        ),
        users=statistics.users,
        operations=statistics.operations_used,
        first=statistics.first,
        last=statistics.last,
    )


def document_line(spec: ApiSpec) -> str:
    """The specification in one line."""
    return " ".join(part for part in (spec.title, spec.version, f"({spec.dialect})") if part)
