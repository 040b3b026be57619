"""The flags about known bugs, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.baseline import compared, read_baseline, words, write_baseline
from lobrest.cli.talk import Talk
from lobrest.model.summary import Summary
from lobrest.report.wording import count

BaselineFile = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="F",
        help="Known bugs: only others make the exit status 1.",
        show_default=False,
    ),
]
UpdateBaseline = Annotated[
    bool, typer.Option("--update-baseline", help="Write the bugs of this campaign into the baseline.")
]


def compared_with(path: Path, summary: Summary, *, update: bool, talk: Talk) -> Summary:
    """The summary with what is new, known and gone; with ``update`` everything is known from now on."""
    if not path.exists() and not update:
        talk.warn(f"there is no baseline {path} yet: every bug is new (--update-baseline makes one)")
    baseline = read_baseline(path)
    told = compared(summary, baseline)
    talk.say(words(told))
    if update:
        renewed = baseline.with_bugs(summary)
        write_baseline(path, renewed)
        talk.say(f"{count(len(renewed.known), 'bug')} known in {path}")
        return compared(summary, renewed)
    return told
