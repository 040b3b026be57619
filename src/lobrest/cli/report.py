"""``lobrest report``: what a campaign found, for people and for other tools; or several, compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lobrest import __version__
from lobrest.app.oracles import failing
from lobrest.app.work import REPORT, SUMMARY, WorkFolder
from lobrest.cli.baseline import BaselineFile, UpdateBaseline, compared_with
from lobrest.cli.options import AsJson, Config, NoColor, Quiet, talk_and_settings, write_lines
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.model.summary import Summary
from lobrest.report.comparison import (
    Spread,
    contrasts,
    found_by,
    group_rows,
    groups_of,
    serious,
    shared_label,
)
from lobrest.report.data import ReportData, Run
from lobrest.report.html import report_html
from lobrest.report.junit import junit_xml
from lobrest.report.sarif import sarif_log
from lobrest.report.summary import summary_from_json, summary_to_json
from lobrest.report.terminal import comparison
from lobrest.report.views import baseline_states
from lobrest.report.wfc import wfc_report
from lobrest.web.watched import watch

Folders = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR…",
        help="A work folder; several are compared. NAME=DIR gives a run a name; runs of one name belong together.",
        show_default=False,
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="F", help="The report, as one page.", show_default=False)
]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="F", help="For CI systems.", show_default=False)
]
Sarif = Annotated[
    Path | None, typer.Option("--sarif", metavar="F", help="For code scanning.", show_default=False)
]
Wfc = Annotated[
    Path | None,
    typer.Option("--wfc", metavar="F", help="Web Fuzzing Commons report, as JSON.", show_default=False),
]


def report(
    folders: Folders,
    html: Html = None,
    junit: Junit = None,
    sarif: Sarif = None,
    wfc: Wfc = None,
    baseline: BaselineFile = None,
    update_baseline: UpdateBaseline = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Write the report of a campaign for people, CI systems or code scanning; compare several campaigns."""
    talk, _ = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    named = [_named(text) for text in folders]
    label, work = named[0]
    if len(named) > 1:
        if junit or sarif or wfc or baseline:
            raise UsageError(
                "only --html and --json compare several campaigns",
                hint="name one DIR, or leave the rest away",
            )
        _compare(named, html, talk)
        return
    if not (html or junit or sarif or wfc or baseline or as_json):
        talk.results.print(f"{work.path / REPORT}", markup=False, soft_wrap=True)
        return
    data = _data(work, label)
    if baseline is not None:
        data = replace(data, summary=compared_with(baseline, data.summary, update=update_baseline, talk=talk))
        work.write_summary(data.summary)
    summary, bugs = data.summary, data.bugs
    if html is not None:
        write_lines([report_html(data)], html)
    if junit is not None:
        write_lines([junit_xml(summary, bugs)], junit)
    if sarif is not None:
        write_lines([sarif_log(bugs, version=__version__, states=baseline_states(summary))], sarif)
    if wfc is not None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_lines([wfc_report(summary, bugs, version=__version__, written=now)], wfc)
    if as_json:
        talk.write(summary_to_json(summary))
    if baseline is not None and failing(summary):
        raise typer.Exit(1)


def _named(text: str) -> tuple[str, WorkFolder]:
    """``NAME=DIR``, or a folder whose name says it: ``with-logs-2`` is a run of ``with-logs``."""
    name, equals, place = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, WorkFolder.open(Path(place))
    work = WorkFolder.open(Path(text))
    return shared_label(work.path.absolute().name), work


def _data(work: WorkFolder, label: str) -> ReportData:
    """Everything that is known of a campaign, also of one that runs or was killed."""
    (watched,) = watch([str(work.path)])
    try:
        data = watched.picture()
    finally:
        watched.close()
    place = work.path / SUMMARY
    if place.is_file():
        written = summary_from_json(place.read_bytes(), source=str(place))
        # Of a campaign that was resumed and killed, the store knows more than the summary.
        if written.requests >= data.summary.requests:
            data = replace(data, summary=written)
    return replace(data, folder=str(work.path), label=data.label if data.others else label)


def _compare(named: Sequence[tuple[str, WorkFolder]], html: Path | None, talk: Talk) -> None:
    label, first = named[0]
    data = replace(_data(first, label), others=(), label=label)
    runs = [Run(label, data.summary), *(Run(name, _data(work, name).summary) for name, work in named[1:])]
    if html is not None:
        write_lines([report_html(replace(data, others=tuple(runs[1:])))], html)
    if talk.json:
        talk.write(json.dumps(_as_json(runs), indent=2))
    elif html is None:
        groups = groups_of(runs)
        talk.results.print(comparison(group_rows(groups), contrasts(groups)))


def _as_json(runs: Sequence[Run]) -> dict[str, object]:
    groups = groups_of(runs)

    def figures(summaries: Sequence[Summary]) -> dict[str, object]:
        return {
            "operations": [one.operations.covered for one in summaries],
            "flows": [one.flows.replayed for one in summaries],
            "bugs": [serious(one) for one in summaries],
            "requests": [one.requests for one in summaries],
            "median_operations": Spread.of([one.operations.covered for one in summaries]).middle,
        }

    return {
        "groups": [
            {"name": group.label, "runs": len(group.summaries), **figures(group.summaries)}
            for group in groups
        ],
        "contrasts": [
            {
                "measure": each.measure,
                "first": each.first,
                "second": each.second,
                "a12": round(each.effect, 4),
                "effect": each.size,
                "p": each.p,
            }
            for each in contrasts(groups)
        ],
        "bugs_found_by": [
            {"groups": [groups[place].label for place in places], "bugs": count}
            for places, count in found_by(groups)
        ],
    }
