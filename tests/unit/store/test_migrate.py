from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.errors import StoreError
from lobrest.store.migrate import Migration, create, migrations, require_newest, upgrade, version_of
from lobrest.store.sqlite import SqliteDatabase

STEPS = (
    Migration(1, ("CREATE TABLE a (x INTEGER)", "INSERT INTO a VALUES (1)")),
    Migration(2, ("ALTER TABLE a ADD COLUMN y INTEGER", "UPDATE a SET y = x + 1")),
)


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    return SqliteDatabase(tmp_path / "a.db", writing=True)


def test_the_shipped_steps_are_numbered_without_gaps() -> None:
    steps = migrations()
    assert [step.version for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.statements for step in steps)


def test_an_older_database_is_brought_up_to_date_and_keeps_its_rows(database: SqliteDatabase) -> None:
    create(database, STEPS[:1])
    with pytest.raises(StoreError, match="older"):
        require_newest(database, STEPS, source="here")
    upgrade(database, STEPS, source="here")
    require_newest(database, STEPS, source="here")
    assert version_of(database) == 2
    assert database.query("SELECT x, y FROM a") == [(1, 2)]
    database.close()


def test_a_newer_database_is_refused_with_words(database: SqliteDatabase) -> None:
    create(database, STEPS)
    for check in (upgrade, require_newest):
        with pytest.raises(StoreError, match=r"newer lobrest .*update lobrest"):
            check(database, STEPS[:1], source="here")
    database.close()


def test_a_step_that_fails_leaves_the_version_before(database: SqliteDatabase) -> None:
    create(database, STEPS[:1])
    broken = (*STEPS[:1], Migration(2, ("ALTER TABLE a ADD COLUMN y INTEGER", "NONSENSE")))
    with pytest.raises(StoreError):
        upgrade(database, broken, source="here")
    assert version_of(database) == 1
    assert database.query("SELECT * FROM a") == [(1,)]
    database.close()


def test_a_creation_that_fails_leaves_nothing(database: SqliteDatabase) -> None:
    with pytest.raises(StoreError):
        create(database, (Migration(1, ("CREATE TABLE a (x INTEGER)", "NONSENSE")),))
    assert database.query("SELECT * FROM sqlite_master") == []
    database.close()
