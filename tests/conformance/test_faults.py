"""Campaigns whose store fails under them: they wait, or end in order, and nothing is half-written."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.postgresql import Server
from tests.services.serving import Call, operation, serving

from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.resume import recall, recall_material
from lobrest.app.session import Order, Outcome, run_session
from lobrest.app.storage import open_campaign_store
from lobrest.app.work import WorkFolder
from lobrest.errors import StoreError
from lobrest.transport import Credentials

PATHS = {
    "/things": {"post": operation(answer={"id": {"type": "integer"}})},
    "/things/{id}": {"get": operation("id", answer={"id": {"type": "integer"}})},
}


class Large:
    """Every answer is large, and like no other."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, call: Call) -> tuple[int, object]:
        self.count += 1
        return 200, {"id": self.count, "text": os.urandom(4000).hex()}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    file = tmp_path_factory.mktemp("spec") / "api.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    return prepare(str(file), [], Reading(), lambda _: None)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("a small file system cannot be mounted here (it takes root)")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def run(prepared: Prepared, folder: WorkFolder, url: str, said: list[str], **order: object) -> Outcome:
    given: dict = {"budget": Budget(60.0, 400), "concurrency": 2, **order}
    return run_session(prepared, Order(url, Credentials(), **given), folder, say=said.append)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobrest.app.keeper._RETRY_SECONDS", 0.1)
    monkeypatch.setattr("lobrest.app.keeper._PATIENCE_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
def test_a_full_disk_ends_a_campaign_in_order_and_it_goes_on_when_there_is_room(
    prepared: Prepared, small_disk: Path
) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 3_400_000)
    folder = WorkFolder.create(small_disk / "w", stem="x")
    said: list[str] = []
    with serving(Large()) as url:
        with pytest.raises(StoreError, match=r"disk is full|No space left"):
            run(prepared, folder, url, said, rate=150.0)
        assert any("waiting for it" in line for line in said)
        filler.unlink()
        store = open_campaign_store(folder.path, readonly=False)
        before = recall(store, recall_material(store, source="w"), source="w")
        kept = store.totals()
        assert kept.requests == kept.exchanges_kept == before.result.requests < 400
        order = Order(url, Credentials(), Budget(60.0, kept.requests + 20), concurrency=2)
        outcome = run_session(prepared, order, folder, before=before)
    assert kept.requests < outcome.result.requests <= kept.requests + 20


def test_a_campaign_waits_for_room(
    prepared: Prepared, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobrest.app.keeper._RETRY_SECONDS", 0.1)
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 3_700_000)
    folder = WorkFolder.create(small_disk / "w", stem="x")
    said: list[str] = []

    def make_room() -> None:
        while not said:
            time.sleep(0.05)
        filler.unlink()

    helper = threading.Thread(target=make_room, daemon=True)
    helper.start()
    with serving(Large()) as url:
        outcome = run(prepared, folder, url, said, rate=60.0, budget=Budget(60.0, 150))
    helper.join()
    assert "full" in said[0]
    assert said[-1] == "the store can be written again"
    store = open_campaign_store(folder.path, readonly=True)
    assert store.totals().requests == store.totals().exchanges_kept == outcome.result.requests
    store.close()


def test_a_connection_that_is_cut_again_and_again_loses_nothing(
    prepared: Prepared, postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setattr("lobrest.app.keeper._RETRY_SECONDS", 0.1)
    folder = WorkFolder.create(tmp_path / "w", stem="x")
    service, over = Large(), threading.Event()
    cuts: list[int] = []

    def cut() -> None:
        with psycopg.connect(postgresql.url, autocommit=True) as connection:
            while service.count < 20:
                time.sleep(0.02)
            while not over.wait(0.3):
                row = connection.execute(
                    "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    "WHERE application_name = 'lobrest' AND query NOT LIKE 'SELECT%'"
                ).fetchone()
                cuts.append(row[0])

    knife = threading.Thread(target=cut, daemon=True)
    knife.start()
    said: list[str] = []
    try:
        with serving(service) as url:
            outcome = run(
                prepared, folder, url, said, store=postgresql.url, rate=150.0, budget=Budget(60.0, 300)
            )
    finally:
        service.count += 20
        over.set()
        knife.join()
    assert sum(cuts) > 0
    store = open_campaign_store(folder.path, readonly=True)
    assert store.totals().requests == store.totals().exchanges_kept == outcome.result.requests
    assert store.pieces("beginning")
    store.close()
