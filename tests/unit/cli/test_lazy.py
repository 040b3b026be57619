"""Commands that are imported when they are used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from lobrest.cli import Program, app
from lobrest.cli.lazy import Entry, LazyGroup

HEAVY = {"numpy", "numba", "aiohttp", "yaml", "jinja2", "detect_secrets", "rich", "asyncio", "msgspec"}


def program(entries: dict[str, Entry]) -> typer.Typer:
    class Some(LazyGroup):
        pass

    Some.entries = entries
    made = typer.Typer(cls=Some, add_completion=False, rich_markup_mode=None)
    made.callback()(lambda: None)
    return made


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], []])
def test_nothing_heavy_is_imported_to_tell_the_version_or_the_commands(arguments: list[str]):
    script = (
        "import sys, json\n"
        f"sys.argv = ['lobrest', *{arguments!r}]\n"
        "from lobrest.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(ran.stdout.splitlines()[-1])}
    assert "typer" in loaded
    assert loaded & HEAVY == set()


def test_the_help_lists_every_command_in_order_with_a_line_about_it():
    shown = CliRunner().invoke(app, ["--help"]).output
    places = [shown.index(f"\n  {name} ") for name in Program.entries]
    assert places == sorted(places)
    assert all(" ".join(entry.about.split()[:3]) in shown for entry in Program.entries.values())
    assert all(entry.about.endswith(".") for entry in Program.entries.values())


@pytest.mark.parametrize("name", sorted(Program.entries))
def test_every_entry_leads_to_a_command_of_its_name(name: str):
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.name == name


def test_a_command_is_imported_at_its_first_use_and_once():
    entries = {
        "sound": Entry("tests.unit.cli.test_lazy", "sound", "Works."),
        "absent": Entry("lobrest.cli.no_such_module", "absent", "Cannot be imported."),
    }
    made = program(entries)
    assert CliRunner().invoke(made, ["--help"]).exit_code == 0
    assert CliRunner().invoke(made, ["sound"]).output == "sound\n"
    assert isinstance(CliRunner().invoke(made, ["absent"]).exception, ModuleNotFoundError)
    commands = typer.main.get_command(made).commands  # type: ignore[attr-defined]
    assert commands["sound"] is commands["sound"]
    assert (list(commands), len(commands), commands.get("other")) == (["sound", "absent"], 2, None)


def test_a_misspelt_command_is_guessed():
    result = CliRunner().invoke(app, ["reprot"])
    assert result.exit_code == 2
    assert "report" in result.output


def sound() -> None:
    """Make a sound."""
    typer.echo("sound")
