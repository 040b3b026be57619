"""``lobrest.toml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.app.settings import FILE_NAME, Settings, load_settings
from lobrest.errors import ConfigError


def test_the_nearest_file_upwards_is_read(tmp_path: Path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / FILE_NAME).write_text('target = "http://far"')
    assert load_settings(None, start=deep).text("target") == "http://far"
    (tmp_path / "a" / FILE_NAME).write_text('target = "http://near"')
    assert load_settings(None, start=deep).text("target") == "http://near"


def test_without_a_file_nothing_is_set(tmp_path: Path):
    assert load_settings(None, start=tmp_path).text("target") is None


def test_a_named_file_must_be_there(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path / "no.toml", start=tmp_path)


@pytest.mark.parametrize("text", ["target = ", "[[", "\xff".encode("latin-1")])
def test_what_is_no_toml_is_a_named_error(tmp_path: Path, text: str | bytes):
    file = tmp_path / FILE_NAME
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match="is not TOML") as error:
        load_settings(None, start=tmp_path)
    assert str(file) in str(error.value)


def test_a_setting_that_is_none_is_named(tmp_path: Path):
    (tmp_path / FILE_NAME).write_text('targte = "http://x"')
    with pytest.raises(ConfigError, match="unknown setting 'targte'"):
        load_settings(None, start=tmp_path)


def test_the_kinds_of_settings():
    settings = Settings(
        None, {"time": "5m", "seed": 7, "logs": ["a", "b"], "auth": "one", "fields": {"x": "y"}}
    )
    assert settings.text("time") == "5m"
    assert settings.text("seed") == "7"
    assert settings.texts("logs") == ("a", "b")
    assert settings.texts("auth") == ("one",)
    assert settings.texts("include") == ()
    assert settings.table("fields") == {"x": "y"}
    assert settings.table("resources") == {}


@pytest.mark.parametrize(
    ("kind", "value"), [("text", True), ("text", ["x"]), ("texts", [1]), ("texts", 3), ("table", "x")]
)
def test_a_setting_of_the_wrong_kind_is_a_named_error(kind: str, value: object):
    with pytest.raises(ConfigError, match="must be"):
        getattr(Settings(None, {"spec": value}), kind)("spec")


@pytest.mark.parametrize("value", ["x", "", "-1", -1, "nan", "inf"])
def test_a_number_that_is_none_is_a_named_error(value: object):
    with pytest.raises(ConfigError, match="must be a number"):
        Settings(None, {"rate": value}).number("rate", least=0)


def test_numbers():
    settings = Settings(None, {"rate": 2.5, "seed": "7"})
    assert settings.number("rate", least=0.01) == 2.5
    assert settings.number("seed", least=0) == 7
    assert settings.number("concurrency", least=1) is None
