"""What it keeps is tested with the other stores in ``tests/conformance``; here is what it alone does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.samples import bug, done

from lobrest.errors import StoreError
from lobrest.model.event import BugFound
from lobrest.store import open_store
from lobrest.store.records import Keep
from lobrest.store.sql import SqlStore
from lobrest.store.sqlite import SqliteDatabase


def test_more_pages_of_shared_bodies_than_are_looked_up_at_once(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    bodies = [b"%05d" % number * 200 for number in range(1200)]
    store.record(done(0.0, body=body) for body in bodies)
    found = store.exchanges(limit=2000)
    assert [stored.exchange.response.body for stored in found if stored.exchange.response] == bodies
    store.close()


def test_equal_bodies_take_room_once(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    for _ in range(20):
        store.record(done(0.0, body=b"x" * 5000) for _ in range(5))
        store.flush()
    store.close()
    database = SqliteDatabase(tmp_path / "lobrest.db", writing=False)
    assert database.query("SELECT COUNT(*) FROM bodies") == [(1,)]
    database.close()


def test_a_body_that_was_stored_before_a_restart_is_not_stored_again(tmp_path: Path) -> None:
    for turn in range(2):
        store = open_store(tmp_path, create=turn == 0)
        store.record([done(0.0, body=b"x" * 5000)])
        store.close()
    store = open_store(tmp_path, create=False, readonly=True)
    assert len(store.exchanges()) == 2
    store.close()


def test_closing_twice_is_once(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    store.record([BugFound(1.0, bug())])
    store.close()
    store.close()


def test_reading_only_says_so(tmp_path: Path) -> None:
    open_store(tmp_path, create=True).close()
    store = SqlStore(SqliteDatabase(tmp_path / "lobrest.db", writing=False), None, keep=Keep.ALL)
    for change in (
        lambda: store.record([]),
        lambda: store.put_state("a", b""),
        lambda: store.put_fact("a", 1),
    ):
        with pytest.raises(StoreError, match="reading only"):
            change()
    store.flush()
    store.close()
