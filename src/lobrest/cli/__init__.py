"""The commands. Only this package prints."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import ClassVar

import typer

from lobrest import __version__
from lobrest.cli.lazy import Entry, LazyGroup
from lobrest.errors import LobrestError


class Program(LazyGroup):
    """All commands; each is imported when it is used."""

    entries: ClassVar[Mapping[str, Entry]] = {
        "demo": Entry("lobrest.cli.demo", "demo", "Test the embedded demo service with the shipped logs."),
        "init": Entry(
            "lobrest.cli.initialise", "init", "Look at a specification and logs; write lobrest.toml."
        ),
        "analyze": Entry("lobrest.cli.analyze", "analyze", "Find the resources of a service."),
        "logs": Entry("lobrest.cli.logs", "logs", "Read logs and tell what was kept and dropped, and why."),
        "slice": Entry("lobrest.cli.slice", "slice_logs", "Cut logs into slices, one business flow each."),
        "enhance": Entry("lobrest.cli.enhance", "enhance", "Complete slices with what they need."),
        "run": Entry("lobrest.cli.run", "run", "Mine logs, complete flows, and test a live service."),
        "replay": Entry("lobrest.cli.replay", "replay", "Play the completed flows of the logs once."),
        "resume": Entry("lobrest.cli.resume", "resume", "Go on with a campaign that stopped or was killed."),
        "bug": Entry("lobrest.cli.bug", "bug", "Show one bug, run it again, or write it in another form."),
        "report": Entry("lobrest.cli.report", "report", "Write the report of a campaign."),
        "ui": Entry("lobrest.cli.ui", "ui", "Look at campaigns in the browser, and steer them."),
        "export": Entry("lobrest.cli.export", "export", "Write mined business flows for other tools."),
        "record": Entry("lobrest.cli.record", "record", "Stand before a service and write a log of it."),
    }


app = typer.Typer(
    name="lobrest",
    cls=Program,
    help="Business-aware REST API testing, mined from request logs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def frame(version: bool = typer.Option(False, "--version", help="Show the version and leave.")) -> None:
    """Business-aware REST API testing, mined from request logs."""
    if version:
        sys.stdout.write(f"lobrest {__version__}\n")
        raise typer.Exit


def main() -> None:
    """The program: every documented error is one line and an exit status."""
    try:
        app()
    except LobrestError as error:
        sys.stderr.write(f"lobrest: {error}\n")
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        sys.stderr.write("lobrest: stopped\n")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        sys.exit(0)
