"""The work folder."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lobrest.app.work import WorkFolder
from lobrest.errors import StoreError
from lobrest.model.bug import Bug, BugKey
from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.model.summary import FlowTotals, OperationTotals, StageTimes, Summary

AS_ROOT = os.geteuid() == 0


def test_a_new_folder_is_made_with_everything_above_it(tmp_path: Path):
    folder = WorkFolder.create(tmp_path / "a" / "b", stem="x")
    assert folder.path.is_dir()
    assert list(folder.path.iterdir()) == []


def test_without_a_name_the_first_free_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names = [WorkFolder.create(None, stem="work").path.name for _ in range(3)]
    assert names == ["work", "work-2", "work-3"]


def test_a_folder_with_something_in_it_is_not_touched(tmp_path: Path):
    (tmp_path / "precious").write_text("x")
    with pytest.raises(StoreError, match="not empty"):
        WorkFolder.create(tmp_path, stem="x")
    assert [one.name for one in tmp_path.iterdir()] == ["precious"]


def test_a_file_is_no_folder(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(StoreError):
        WorkFolder.create(file, stem="x")
    with pytest.raises(StoreError):
        WorkFolder.create(file / "below", stem="x")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc, where even root makes no folders")
def test_a_place_where_nothing_can_be_made_is_said_at_once():
    with pytest.raises(StoreError, match="cannot be written"):
        WorkFolder.create(Path("/proc/lobrest/x"), stem="x")


@pytest.mark.skipif(AS_ROOT, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_said_at_once(tmp_path: Path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            WorkFolder.create(tmp_path / "x", stem="x")
    finally:
        tmp_path.chmod(0o700)


def test_only_a_work_folder_is_opened(tmp_path: Path):
    with pytest.raises(StoreError, match="no work folder"):
        WorkFolder.open(tmp_path)
    (tmp_path / "summary.json").write_text("{}")
    assert WorkFolder.open(tmp_path).path == tmp_path


def bug(number: int = 1, message: str = "boom", body: bytes = b'{"message": "boom"}') -> Bug:
    request = Request(OperationId("GET /x"), "GET", "/x", (("Accept", "a"),), None, "ann")
    exchange = Exchange(request, Response(500, (("Content-Type", "application/json"),), body))
    key = BugKey(OperationId("GET /x"), 500, message)
    return Bug(number, key, message, 1.0, (exchange,), SeedId("s"))


def test_a_bug_is_something_a_person_can_run(tmp_path: Path):
    folder = WorkFolder(tmp_path)
    where = folder.write_bug(bug(3), origin="http://127.0.0.1:1", started=datetime(2026, 1, 1, tzinfo=UTC))
    assert where == tmp_path / "bugs" / "3"
    assert {one.name for one in where.iterdir()} == {"repro.py", "repro.sh", "exchange.har"}
    assert os.access(where / "repro.sh", os.X_OK)
    assert os.access(where / "repro.py", os.X_OK)
    compile((where / "repro.py").read_text(), "repro.py", "exec")
    assert json.loads((where / "exchange.har").read_text())["log"]["entries"]


@pytest.mark.parametrize("text", ['"""\n\\', "\0 \r\n'; rm -rf /", "é😀\u202e", "\ud800", "{{name}}"])
def test_hostile_messages_and_bodies_are_written_all_the_same(tmp_path: Path, text: str):
    body = text.encode("utf-8", "surrogatepass")
    folder = WorkFolder(tmp_path)
    where = folder.write_bug(bug(1, text, body), origin="http://h", started=datetime(2026, 1, 1, tzinfo=UTC))
    compile((where / "repro.py").read_text(), "repro.py", "exec")
    json.loads((where / "exchange.har").read_text())


def test_a_file_is_replaced_in_one_move(tmp_path: Path):
    folder = WorkFolder(tmp_path)
    folder.write("a.txt", "one")
    folder.write("a.txt", "two")
    assert (tmp_path / "a.txt").read_text() == "two"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_place_that_cannot_be_written_is_a_named_error(tmp_path: Path):
    (tmp_path / "bugs").write_text("a file where a folder should be")
    with pytest.raises(StoreError, match="cannot be written"):
        WorkFolder(tmp_path).write("bugs/1/x", "y")


def test_the_summary_is_json(tmp_path: Path):
    totals = OperationTotals(1, 0, 0, ())
    summary = Summary(
        "s", "default", 7, "2026-01-01", 1.0, 0, 0.0, totals, (), FlowTotals(0, 0), (), (), StageTimes()
    )
    WorkFolder(tmp_path).write_summary(summary)
    assert json.loads((tmp_path / "summary.json").read_text())["seed"] == 7


def test_what_fails_before_anything_was_kept_leaves_nothing(tmp_path: Path):
    folder = WorkFolder.create(tmp_path / "new", stem="x")
    with pytest.raises(KeyboardInterrupt), folder.or_nothing():
        raise KeyboardInterrupt
    assert not folder.path.exists()


def test_what_fails_later_keeps_what_is_there(tmp_path: Path):
    folder = WorkFolder.create(tmp_path / "new", stem="x")
    with pytest.raises(StoreError), folder.or_nothing():
        folder.write("a.txt", "found")
        raise StoreError("full")
    assert (folder.path / "a.txt").exists()


def test_a_folder_that_was_there_before_stays(tmp_path: Path):
    folder = WorkFolder.create(tmp_path, stem="x")
    with pytest.raises(StoreError), folder.or_nothing():
        raise StoreError("no")
    assert tmp_path.exists()
