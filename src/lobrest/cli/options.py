"""Flags that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.settings import Settings, load_settings
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.model.slice import Profile

SpecArgument = Annotated[
    str | None,
    typer.Argument(metavar="SPEC", help="OpenAPI or Swagger document, a file or URL.", show_default=False),
]
LogsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LOG…",
        help="Files, folders, globs, or - for standard input; compressed or not.",
        show_default=False,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", help="Settings; by default lobrest.toml found upwards.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable result on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what matters.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours (NO_COLOR works too).")]
Format = Annotated[
    str | None, typer.Option("--format", help="Log format; auto finds it.", show_default="auto")
]
ProfileOption = Annotated[
    Profile | None,
    typer.Option(
        "--profile", help="Which reading of the method: ours, or the paper's.", show_default="default"
    ),
]
LeadTime = Annotated[
    str | None, typer.Option("--mlt", metavar="D", help="Longest gap inside a flow.", show_default="auto")
]
WindowTime = Annotated[
    str | None, typer.Option("--stw", metavar="D", help="Longest flow as a whole.", show_default="auto")
]
ResourcesFile = Annotated[
    Path | None,
    typer.Option("--resources", metavar="F", help="Resources JSON of `lobrest analyze`.", show_default=False),
]
OutFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="F", help="Write there, not to standard output.", show_default=False),
]


def talk_and_settings(
    config: Path | None, *, as_json: bool, quiet: bool, no_color: bool
) -> tuple[Talk, Settings]:
    """What every command begins with."""
    return Talk(as_json, quiet, not no_color), load_settings(config, start=Path.cwd())


def write_lines(lines: Iterable[str], out: Path | None) -> None:
    """Results to a file, or to standard output."""
    if out is None:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    try:
        with out.open("w", encoding="utf-8") as target:
            target.writelines(line + "\n" for line in lines)
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", source=str(out), hint="give --out another file"
        ) from error
