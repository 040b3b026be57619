"""``lobrest report``: what a campaign found, for people and for other tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lobrest import __version__
from lobrest.app.oracles import failing
from lobrest.app.storage import open_campaign_store
from lobrest.app.work import REPORT, SUMMARY, WorkFolder
from lobrest.cli.baseline import BaselineFile, UpdateBaseline, compared_with
from lobrest.cli.options import NoColor, Quiet, write_lines
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.report.junit import junit_xml
from lobrest.report.sarif import sarif_log
from lobrest.report.summary import summary_from_json
from lobrest.report.views import baseline_states
from lobrest.report.wfc import wfc_report

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A work folder.", show_default=False)]
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
    folder: Folder,
    html: Html = None,
    junit: Junit = None,
    sarif: Sarif = None,
    wfc: Wfc = None,
    baseline: BaselineFile = None,
    update_baseline: UpdateBaseline = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Write the report of a campaign for people, CI systems or code scanning."""
    talk = Talk(False, quiet, not no_color)
    work = WorkFolder.open(folder)
    if html is None and junit is None and sarif is None and wfc is None and baseline is None:
        talk.results.print(f"{work.path / REPORT}", markup=False, soft_wrap=True)
        return
    place = work.path / SUMMARY
    if not place.is_file():
        raise UsageError("the campaign has not ended", source=str(work.path), hint="wait for it, or stop it")
    summary = summary_from_json(place.read_bytes(), source=str(place))
    if baseline is not None:
        summary = compared_with(baseline, summary, update=update_baseline, talk=talk)
        work.write_summary(summary)
    store = open_campaign_store(work.path, readonly=True)
    try:
        bugs = store.bugs()
    finally:
        store.close()
    if html is not None:
        write_lines([(work.path / REPORT).read_text(encoding="utf-8")], html)
    if junit is not None:
        write_lines([junit_xml(summary, bugs)], junit)
    if sarif is not None:
        write_lines([sarif_log(bugs, version=__version__, states=baseline_states(summary))], sarif)
    if wfc is not None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        write_lines([wfc_report(summary, bugs, version=__version__, written=now)], wfc)
    if baseline is not None and failing(summary):
        raise typer.Exit(1)
