from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.samples import bug, done

from lobrest.errors import StoreError
from lobrest.model.event import BugFound
from lobrest.store import DATABASE_NAME, CampaignStore, open_store


def filled(place: Path) -> Path:
    """A closed store with something in it; its file."""
    store = open_store(place, create=True)
    store.record([done(0.0, body=os.urandom(3000)) for _ in range(50)])
    store.record([BugFound(3.5, bug())])
    store.close()
    return place / DATABASE_NAME


def reading(place: Path) -> CampaignStore:
    return open_store(place, create=False, readonly=True)


def test_a_closed_store_is_one_plain_file(tmp_path: Path) -> None:
    filled(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [DATABASE_NAME, f"{DATABASE_NAME}.lock"]


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    store.record([done(0.0)])
    store.flush()
    reader = reading(tmp_path)
    assert reader.totals().requests == 1
    reader.close()
    store.close()


@pytest.mark.parametrize("damage", ["head", "middle", "short", "text"])
def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path, damage: str) -> None:
    file = filled(tmp_path)
    content = bytearray(file.read_bytes())
    if damage == "head":
        content[:100] = b"\xff" * 100
    elif damage == "middle":
        content[100:] = b"\xff" * (len(content) - 100)
    elif damage == "short":
        del content[4096:]
    else:
        content = bytearray(b"this is no database\n" * 100)
    file.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        store = reading(tmp_path)
        store.bugs()
        store.exchanges()
    with pytest.raises(StoreError, match="damaged"):
        store = open_store(tmp_path, create=False)
        store.bugs()
        store.exchanges()


def test_an_empty_file_is_not_a_campaign_but_may_become_one(tmp_path: Path) -> None:
    (tmp_path / DATABASE_NAME).touch()
    with pytest.raises(StoreError, match="not a database of lobrest"):
        open_store(tmp_path, create=False)
    with pytest.raises(StoreError, match="not a database of lobrest"):
        reading(tmp_path)
    open_store(tmp_path, create=True).close()


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / DATABASE_NAME)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        open_store(tmp_path, create=True)


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    file = filled(tmp_path)
    other = sqlite3.connect(file)
    other.execute("UPDATE lobrest SET version = 999")
    other.commit()
    other.close()
    for readonly in (False, True):
        with pytest.raises(StoreError, match="newer lobrest"):
            open_store(tmp_path, create=False, readonly=readonly)


@pytest.mark.parametrize("how", ["missing folder", "file for a folder"])
def test_folders_that_cannot_be(tmp_path: Path, how: str) -> None:
    if how == "missing folder":
        with pytest.raises(StoreError, match="no campaign"):
            open_store(tmp_path / "no" / "where", create=False)
        return
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="folder cannot be made"):
        open_store(tmp_path / "file" / "below", create=True)


def test_a_store_that_somebody_else_keeps_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobrest.store.sqlite._BUSY_SECONDS", 0.05)
    store = open_store(tmp_path, create=True)
    other = sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.record([done(0.0)])
    with pytest.raises(StoreError, match="locked"):
        store.flush()
    other.execute("ROLLBACK")
    other.close()
    store.flush()
    assert store.totals().requests == 1
    store.close()


UNPRIVILEGED = """
import os, sys
from lobrest.errors import StoreError
from lobrest.store import open_store
open_store(sys.argv[1], create=False, readonly=True).close()  # imports what is imported late
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
print(open_store(sys.argv[1], create=False, readonly=True).totals().requests)
for create in (False, True):
    try:
        open_store(sys.argv[1] if not create else sys.argv[1] + "/new", create=create)
    except StoreError as error:
        print(error)
"""


def test_a_read_only_folder_can_be_read_and_is_not_written(tmp_path: Path) -> None:
    place = tmp_path / "work"
    filled(place)
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    for file in place.iterdir():
        file.chmod(0o444)
    place.chmod(0o555)
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, str(place)],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONPATH": paths},
        )
    finally:
        place.chmod(0o755)
    lines = ran.stdout.splitlines()
    assert lines[:1] == ["50"], ran.stderr
    assert "cannot be written" in lines[1]
    assert "cannot be made" in lines[2]


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from lobrest.errors import StoreError
from lobrest.store import open_store
from tests.conformance.samples import bug, done
from lobrest.model.event import BugFound
import os
store = open_store(sys.argv[1], create=True)
store.record([BugFound(1.0, bug())]); store.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
try:
    for number in range(1000):
        store.record([done(number, body=os.urandom(20_000))]); store.flush()
except StoreError as error:
    print(number, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.flush()
print(store.totals().requests == number + 1, len(store.bugs()))
store.close()
"""


def test_no_more_room_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    """The largest file the system allows stands in for a full disk."""
    paths = os.pathsep.join(path for path in sys.path if path)
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": paths},
    )
    failed, after = ran.stdout.splitlines()
    assert "disk" in failed
    assert after == "True 1", ran.stdout + ran.stderr
    store = open_store(tmp_path, create=False)
    assert len(store.bugs()) == 1
    store.close()
