"""Where a campaign's store is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobrest.app.storage import (
    create_campaign_store,
    open_campaign_store,
    remembered_store,
    without_secrets,
)
from lobrest.app.work import WorkFolder
from lobrest.errors import StoreError, UsageError
from lobrest.store import Keep


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://h/db", "postgresql://h/db"),
        ("postgresql://ann:pw@h:5433/db", "postgresql://ann@h:5433/db"),
        ("postgresql://ann:p%40w@h/db?sslmode=require", "postgresql://ann@h/db?sslmode=require"),
        ("postgresql:///db?user=ann&password=pw", "postgresql:///db?user=ann"),
        ("postgres://a%40b:pw@/db?host=%2Ftmp", "postgres://a%40b@/db?host=%2Ftmp"),
    ],
)
def test_a_password_is_not_remembered(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


def test_without_a_url_the_store_is_in_the_folder(tmp_path: Path) -> None:
    folder = WorkFolder.create(tmp_path / "w", stem="x")
    create_campaign_store(folder, "", Keep.ALL).close()
    assert remembered_store(folder.path) == ""
    store = open_campaign_store(folder.path, readonly=True)
    assert store.totals().requests == 0
    store.close()
    with pytest.raises(UsageError, match="in its folder"):
        open_campaign_store(folder.path, readonly=True, url="postgresql://h/db")


@pytest.mark.parametrize("url", ["mysql://h/db", "lobrest.db", "http://h"])
def test_other_stores_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="postgresql://"):
        create_campaign_store(WorkFolder.create(tmp_path / "w", stem="x"), url, Keep.ALL)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"version": 1, "store": "file:///etc/passwd"}', json.dumps({"version": 1, "store": 5})],
)
def test_a_damaged_note_is_told(content: str, tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text(content)
    with pytest.raises(StoreError):
        open_campaign_store(tmp_path, readonly=True)


def test_a_newer_note_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text('{"version": 2, "store": "postgresql://h/db#x"}')
    with pytest.raises(StoreError, match="newer"):
        remembered_store(tmp_path)
