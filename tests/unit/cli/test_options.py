"""What several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.cli.options import talk_and_settings, write_lines
from lobrest.errors import ConfigError, UsageError


def test_lines_go_to_a_file_or_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write_lines(["a", "é"], None)
    assert capsys.readouterr().out == "a\né\n"
    write_lines(["a", "é"], tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == "a\né\n".encode()


def test_a_file_that_cannot_be_written_is_a_named_error(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_lines(["a"], tmp_path / "no" / "x")
    with pytest.raises(UsageError, match="cannot be written"):
        write_lines(["a"], tmp_path)


def test_every_command_begins_with_the_settings_of_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lobrest.toml").write_text("seed = 3")
    talk, settings = talk_and_settings(None, as_json=True, quiet=True, no_color=True)
    assert (talk.json, talk.quiet, talk.color) == (True, True, False)
    assert settings.text("seed") == "3"
    with pytest.raises(ConfigError):
        talk_and_settings(tmp_path / "no.toml", as_json=False, quiet=False, no_color=False)
