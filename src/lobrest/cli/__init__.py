"""The commands. Only this package prints."""

from __future__ import annotations

import sys

import typer

from lobrest import __version__
from lobrest.cli import analyze, bug, demo, enhance, initialise, logs, report, run, slice
from lobrest.errors import LobrestError

app = typer.Typer(
    name="lobrest",
    help="Business-aware REST API testing, mined from request logs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("init")(initialise.init)
app.command("analyze")(analyze.analyze)
app.command("logs")(logs.logs)
app.command("slice")(slice.slice_logs)
app.command("enhance")(enhance.enhance)
app.command("run")(run.run)
app.command("replay")(run.replay)
app.command("bug")(bug.bug)
app.command("report")(report.report)


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
