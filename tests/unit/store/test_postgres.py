"""What it keeps is tested with the others in ``tests/conformance``; here is what needs no server."""

from __future__ import annotations

import sys

import pytest

from lobrest.errors import ConfigError, StoreError
from lobrest.store import open_store


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'lobrest[postgres]')")
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        open_store("postgresql://ann:hunter2@127.0.0.1:1/db?password=hunter2#mine", create=True)
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1/db#mine" in str(caught.value)


def test_a_name_that_is_too_long() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'lobrest[postgres]')")
    with pytest.raises(StoreError, match="too long"):
        open_store("postgresql://127.0.0.1:1/db#" + "x" * 64, create=True)


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "lobrest.store.postgres", raising=False)
    with pytest.raises(ConfigError, match=r"lobrest\[postgres\]"):
        open_store("postgresql://127.0.0.1/db", create=True)
