"""One key a person, kept private."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from lobrest.app.userkey import user_key


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_the_key_is_made_once_and_only_its_owner_reads_it(home: Path):
    key = user_key()
    assert len(key) == 32
    assert user_key() == key
    (file,) = (home / "lobrest").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_different_homes_have_different_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    key = user_key()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert user_key() != key


def test_a_damaged_key_is_replaced(home: Path):
    key = user_key()
    (file,) = (home / "lobrest").iterdir()
    file.write_bytes(b"short")
    again = user_key()
    assert len(again) == 32
    assert again != key
    assert user_key() == again


def test_where_it_cannot_be_kept_there_is_one_for_this_run(home: Path):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where a folder should be")
    assert len(user_key()) == 32


def test_without_the_variable_the_home_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    user_key()
    assert (tmp_path / ".local" / "state" / "lobrest").is_dir()
    assert list((tmp_path / ".local" / "state" / "lobrest").iterdir())
