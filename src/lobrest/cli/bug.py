"""``lobrest bug``: one bug, shown, run again or exported."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from lobrest.app.storage import open_campaign_store
from lobrest.app.work import BUGS, WorkFolder
from lobrest.cli.options import AsJson, NoColor, Quiet
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.model.bug import Bug, BugKind
from lobrest.report.har import har
from lobrest.report.postman import postman_collection
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import curl_script, pytest_file, python_script

_FORMS: Final[dict[str, Callable[[Bug], str]]] = {
    "curl": lambda bug: curl_script(reproducer_of(bug)),
    "python": lambda bug: python_script(reproducer_of(bug)),
    "pytest": lambda bug: pytest_file(reproducer_of(bug)),
    "postman": lambda bug: postman_collection(reproducer_of(bug)),
    "har": lambda bug: har(bug.exchanges, reproducer=reproducer_of(bug)),
}

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A work folder.", show_default=False)]
Number = Annotated[int, typer.Argument(metavar="N", help="The number of the bug.", show_default=False)]
RunIt = Annotated[
    bool, typer.Option("--run", help="Run it against $LOBREST_TARGET: status 1 it happens, 0 it does not.")
]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="F", help=f"Write it as {', '.join(_FORMS)}.", show_default=False),
]


def bug(
    folder: Folder,
    number: Number,
    run: RunIt = False,
    form: As = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Show one bug with its steps, run it again, or write it in another form."""
    talk = Talk(as_json, quiet, not no_color)
    work = WorkFolder.open(folder)
    if form is not None and form not in _FORMS:
        raise UsageError(f"{form!r} is no form of a bug", hint=f"one of {', '.join(_FORMS)}")
    found = _found(work, number)
    if run:
        script = work.path / BUGS / str(number) / "repro.py"
        raise typer.Exit(
            subprocess.run([sys.executable, str(script)], env=os.environ, check=False).returncode
        )
    if form is not None or as_json:
        talk.write(_FORMS[form or "har"](found))
        return
    _show(found, work, talk)


def _found(work: WorkFolder, number: int) -> Bug:
    store = open_campaign_store(work.path, readonly=True)
    try:
        bugs = {one.number: one for one in store.bugs()}
    finally:
        store.close()
    if number not in bugs:
        known = ", ".join(map(str, bugs)) or "none"
        raise UsageError(f"there is no bug {number} in {work.path}", hint=f"there are: {known}")
    return bugs[number]


def _show(found: Bug, work: WorkFolder, talk: Talk) -> None:
    state = "confirmed by a second run" if found.confirmed else "seen once"
    lines = [
        f"bug {found.number}: {found.key.status} {found.key.operation}"
        + ("" if found.kind is BugKind.SERVER_ERROR else f" [{found.kind}, {found.severity}]"),
        f"  {found.message}",
        *([f"  {found.evidence}"] if found.evidence else []),
        f"  {state}, first after {found.first_seen_s:.0f} s, {found.count} times in all",
        "steps:",
    ]
    lines += [
        f"  {position}. {step.status} {step.request.method} {step.request.target}"
        + (f"  as {step.request.actor}" if step.request.actor else "")
        for position, step in enumerate(found.exchanges, start=1)
    ]
    lines.append(f"run it: LOBREST_TARGET=URL {work.path / BUGS / str(found.number) / 'repro.sh'}")
    talk.results.print("\n".join(lines), markup=False, soft_wrap=True)
