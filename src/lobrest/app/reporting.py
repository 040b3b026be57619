"""A finished campaign as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lobrest import __version__
from lobrest.app.outline import document_line, keep_outline, log_reading
from lobrest.app.pipeline import Prepared
from lobrest.app.session import Outcome
from lobrest.app.storage import open_campaign_store
from lobrest.app.work import REPORT, WorkFolder
from lobrest.report.data import ReportData, Run
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
        spec=document_line(prepared.spec),
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


def write_report(data: ReportData, folder: WorkFolder, *, store_url: str = "") -> Path:
    """``report.html`` in the work folder; the dashboard shows the same afterwards.

    ``store_url`` where the store is elsewhere: what the folder remembers of it lacks the password.
    """
    path = folder.write(REPORT, report_html(data))
    store = open_campaign_store(folder.path, readonly=False, url=store_url)
    try:
        keep_outline(store, replace(data, bugs=(), folder=str(folder.path.absolute())))
    finally:
        store.close()
    return path
