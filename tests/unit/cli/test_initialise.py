"""``lobrest init``: settings from what a specification and logs show."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear
from tests.unit.cli.test_slice import written


def test_the_file_says_what_was_found_and_leaves_the_rest_to_a_person(
    lobrest: Commands, sound: Small, tmp_path: Path
):
    log, out = written(tmp_path), tmp_path / "lobrest.toml"
    clear(lobrest("init", sound.spec, log, "--out", out), 0)
    text = out.read_text()
    settings = tomllib.loads(text)
    assert settings["logs"] == [str(log)]
    assert settings["spec"] == str(sound.spec)
    assert settings["mlt"].endswith("s")
    assert "# target" in text
    assert "target" not in settings, "what is tested must be named by a person"
    used = lobrest("slice", "--config", out, "--json")
    clear(used, 0)
    assert used.stdout.strip(), "the other commands take the file as it is"


def test_a_file_that_is_there_is_kept(lobrest: Commands, sound: Small, tmp_path: Path):
    out = tmp_path / "lobrest.toml"
    out.write_text("# mine\n")
    ended = lobrest("init", sound.spec, "--out", out)
    clear(ended, 2)
    assert "--force" in ended.stderr
    assert out.read_text() == "# mine\n"
    clear(lobrest("init", sound.spec, "--out", out, "--force"), 0)
    assert out.read_text() != "# mine\n"
