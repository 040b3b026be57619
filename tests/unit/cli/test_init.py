"""The frame of the commands."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from tests.unit.cli.commands import Commands
from tests.unit.cli.test_run import clear

from lobrest import __version__
from lobrest.cli import app


def names() -> list[str]:
    return sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_the_version_is_told_by_the_program_itself():
    ran = subprocess.run(
        [sys.executable, "-m", "lobrest", "--version"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout.split()) == (0, ["lobrest", __version__])


@pytest.mark.parametrize("name", names())
def test_every_command_and_option_says_what_it_does(name: str):
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.help.strip().endswith(".")
    assert not [one.name for one in command.params if not getattr(one, "hidden", False) and not one.help]


def test_without_a_command_there_is_help(lobrest: Commands):
    ended = lobrest()
    assert "Traceback" not in ended.stderr
    clear(lobrest("slice", "--help"), 0)
    assert all(name in ended.stdout + ended.stderr for name in names())
