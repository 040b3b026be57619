"""A finished campaign as a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lobrest import __version__
from lobrest.app.pipeline import Prepared
from lobrest.app.session import Outcome
from lobrest.app.work import REPORT, WorkFolder
from lobrest.model.operation import ApiSpec
from lobrest.report.data import Dropped, LogFile, LogReading, ReportData, Run
from lobrest.report.derive import by_importance, flow_map, never_reached, slice_facts, time_shares, user_day
from lobrest.report.html import report_html


def report_data(
    prepared: Prepared,
    outcome: Outcome,
    folder: WorkFolder,
    *,
    target: str,
    label: str = "this run",
    others: Sequence[Run] = (),
) -> ReportData:
    """Everything the report shows."""
    state = outcome.engine.state
    summary = outcome.summary
    seeds = outcome.engine.completed_flows()
    return ReportData(
        summary=summary,
        label=label,
        target=target,
        spec=_document(prepared.spec),
        bugs=by_importance(state.triage.bugs),
        logs=log_reading(prepared),
        slices=slice_facts(prepared.slices, seeds) if prepared.slices else None,
        resources=prepared.model,
        flows=flow_map(prepared.slices, summary, done_pairs=state.feedback.pairs)
        if prepared.slices
        else None,
        day=user_day(prepared.slices, seeds),
        unreached=never_reached(
            summary,
            prepared.model,
            messages={str(op): said for op, said in state.feedback.refusals.items()},
            held_back=summary.extra.get("held_back", {}),
        ),
        times=time_shares(summary),
        others=tuple(others),
        folder=str(folder.path),
        version=__version__,
    )


def write_report(data: ReportData, folder: WorkFolder) -> Path:
    """``report.html`` in the work folder."""
    return folder.write(REPORT, report_html(data))


def log_reading(prepared: Prepared) -> LogReading | None:
    """What was read and dropped, as the report has it."""
    if prepared.table is None:
        return None
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


def _document(spec: ApiSpec) -> str:
    return " ".join(part for part in (spec.title, spec.version, f"({spec.dialect})") if part)
