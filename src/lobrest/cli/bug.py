"""``lobrest bug``: one bug, shown, run again or exported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.work import BUGS, SUMMARY, WorkFolder
from lobrest.cli.options import AsJson, NoColor, Quiet
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.report.summary import summary_from_json

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A work folder.", show_default=False)]
Number = Annotated[int, typer.Argument(metavar="N", help="The number of the bug.", show_default=False)]
RunIt = Annotated[
    bool, typer.Option("--run", help="Run it against $LOBREST_TARGET: 1 it happens, 0 it does not.")
]
_FILES = {"curl": "repro.sh", "python": "repro.py", "har": "exchange.har"}
As = Annotated[
    str | None, typer.Option("--as", metavar="F", help=f"Export as {', '.join(_FILES)}.", show_default=False)
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
    place = work.path / BUGS / str(number)
    if not place.is_dir():
        known = sorted(int(one.name) for one in (work.path / BUGS).glob("*") if one.name.isdigit())
        raise UsageError(f"there is no bug {number} in {folder}", hint=f"there are: {known or 'none'}")
    if form is not None:
        if form not in _FILES:
            raise UsageError(f"{form!r} is no form", hint=f"one of {', '.join(_FILES)}")
        talk.write((place / _FILES[form]).read_text(encoding="utf-8"))
        return
    if run:
        status = subprocess.run(
            [sys.executable, str(place / "repro.py")], env=os.environ, check=False
        ).returncode
        raise typer.Exit(status)
    summary = summary_from_json((work.path / SUMMARY).read_bytes(), source=str(work.path / SUMMARY))
    found = next((one for one in summary.bugs if one.n == number), None)
    if found is not None:
        talk.results.print(
            f"bug {found.n}: {found.status} {found.op}\n{found.message}\n"
            f"{found.steps} steps, {'confirmed' if found.confirmed else 'seen once'}, "
            f"first after {found.first_seen_s:.0f} s",
            markup=False,
            soft_wrap=True,
        )
    talk.results.print(f"run it: LOBREST_TARGET=URL {place / 'repro.sh'}", markup=False, soft_wrap=True)
    talk.write((place / "repro.sh").read_text(encoding="utf-8"))
