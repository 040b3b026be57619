"""``report.html``: one file that needs nothing else and allows nothing else to be loaded."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from markupsafe import Markup

from lobrest.model.summary import Summary
from lobrest.report import wording
from lobrest.report.data import ReportData
from lobrest.report.views import sections, templates


def report_html(data: ReportData) -> str:
    """The whole report as one HTML document, about 3 MB at the very most."""
    style, script = asset("report.css"), asset("report.js")
    page = templates("lobrest.report").get_template("report.html.j2")
    return page.render(
        **sections(data),
        verdict=verdict(data.summary),
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        links=None,
    )


def verdict(summary: Summary) -> str:
    """The outcome in a sentence."""
    service = wording.one_line(summary.service, 80)
    covered, total = summary.operations.covered, summary.operations.total
    reach = f"{wording.number(covered)} of {wording.count(total, 'operation')} answered with success"
    bugs = [bug for bug in summary.bugs if bug.severity != "info"]
    notes = len(summary.bugs) - len(bugs)
    noted = f", {wording.count(notes, 'thing')} to note" if notes else ""
    if not bugs:
        return f"No bug was found in {service}{noted}; {reach}."
    confirmed = sum(bug.confirmed for bug in bugs)
    deepest = max(bug.steps for bug in bugs)
    found = f"{wording.count(len(bugs), 'bug')} found in {service}"
    if confirmed == len(bugs):
        seen = "confirmed by a second run" if confirmed == 1 else "all confirmed by a second run"
    else:
        seen = f"{wording.number(confirmed) if confirmed else 'none'} confirmed by a second run"
    which = "" if len(bugs) == 1 else "the deepest "
    depth = f", {which}at the end of a flow of {deepest} steps" if deepest > 1 else ""
    return f"{found}, {seen}{depth}{noted}; {reach}."


def asset(name: str) -> str:
    """The style sheet or the script."""
    return files("lobrest.report").joinpath("templates", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
