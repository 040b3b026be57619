"""What happens goes to the store; a store that cannot be written holds the campaign."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conformance.samples import bug, done
from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import engine_of
from tests.unit.fuzz.test_engine import slices

from lobrest.app.campaign import Result
from lobrest.app.control import Gate
from lobrest.app.keeper import PROGRESS, Keeper
from lobrest.app.work import WorkFolder
from lobrest.errors import StoreError
from lobrest.fuzz.engine import Engine
from lobrest.model.event import BugFound, Event
from lobrest.store import MemoryStore
from lobrest.store.snapshot import PREFIX, Snapshots


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time


class Sick(MemoryStore):
    """A store that cannot be written while it is ill, like one over a database: nothing recorded is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.ill = False
        self.flushed = 0

    def record(self, events: Iterable[Event]) -> None:
        self._ask()
        super().record(events)

    def put_pieces(self, pieces: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        self._ask()
        super().put_pieces(pieces, gone)

    def flush(self) -> None:
        self._ask()
        self.flushed += 1

    def _ask(self) -> None:
        if self.ill:
            raise StoreError("the disk is full", source="w")


class Running:
    """As much of a campaign as is asked."""

    def __init__(self) -> None:
        self.result = Result(requests=5)
        self.why: list[str] = []

    def stop(self, why: str = "") -> None:
        self.why.append(why)


class Scene:
    """A keeper with everything around it."""

    def __init__(self, tmp_path: Path, patience: float = 0.02) -> None:
        world = forge()
        self.engine: Engine = engine_of(world, slices(world))
        self.store, self.clock, self.campaign = Sick(), Hands(), Running()
        self.folder = WorkFolder.create(tmp_path / "w", stem="x")
        self.said: list[str] = []
        self.keeper = Keeper(
            self.folder,
            self.store,
            self.engine,
            Snapshots(self.engine.material.slices),
            self.clock,
            origin="http://x",
            started=datetime(2026, 1, 1, tzinfo=UTC),
            say=self.said.append,
            patience_seconds=patience,
        )

    def watch(self) -> Gate:
        gate = Gate(self.clock)
        self.keeper.watch(self.campaign, gate)  # type: ignore[arg-type]
        return gate


async def until(true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


def test_a_bug_is_safe_with_what_is_to_be_done_about_it(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.keeper([done(1.0), BugFound(1.0, bug(1))])
    assert scene.store.flushed == 1
    assert scene.store.bugs() == (bug(1),)
    assert (scene.folder.path / "bugs" / "1" / "repro.sh").is_file()
    assert f"{PREFIX}state/triage" in scene.store.pieces()
    assert f"{PREFIX}state/pool" not in scene.store.pieces()


def test_snapshots_are_taken_now_and_then(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.watch()
    for second in range(1, 31):
        scene.clock.time = float(second)
        scene.keeper([done(float(second))])
    assert scene.keeper.snapshots_taken == 6
    assert PROGRESS in scene.store.pieces()


def test_between_two_lessons_a_snapshot_waits_a_little(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.engine.state.observed = 1
    scene.clock.time = 14.0
    scene.keeper([])
    assert scene.keeper.snapshots_taken == 0
    scene.clock.time = 15.0
    scene.keeper([])
    assert scene.keeper.snapshots_taken == 1


def test_numbers_of_plays_never_run_out_between_snapshots(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.engine.state.planned += 5000
    scene.keeper([])
    assert scene.keeper.snapshots_taken == 1


def test_a_store_that_recovers_has_lost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobrest.app.keeper._RETRY_SECONDS", 0.01)
    scene = Scene(tmp_path, patience=60.0)

    async def story() -> None:
        gate = scene.watch()
        scene.keeper([done(0.5)])
        scene.store.ill = True
        scene.keeper([done(1.0), BugFound(1.0, bug(1))])
        assert gate.closed
        scene.keeper([done(2.0)])
        await asyncio.sleep(0.05)
        assert gate.closed
        scene.store.ill = False
        await until(lambda: not gate.closed)

    asyncio.run(story())
    assert scene.store.totals().requests == 3
    assert scene.store.bugs() == (bug(1),)
    assert (scene.folder.path / "bugs" / "1" / "repro.py").is_file()
    assert f"{PREFIX}state/triage" in scene.store.pieces()
    assert scene.said[0].startswith("w: the disk is full")
    assert scene.said[-1] == "the store can be written again"
    assert scene.campaign.why == []


def test_a_store_that_stays_ill_ends_the_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobrest.app.keeper._RETRY_SECONDS", 0.01)
    scene = Scene(tmp_path)

    async def story() -> None:
        gate = scene.watch()
        scene.store.ill = True
        scene.keeper([done(1.0)])
        await until(lambda: bool(scene.campaign.why))
        assert not gate.closed

    asyncio.run(story())
    assert scene.campaign.why == ["the store cannot be written"]
    with pytest.raises(StoreError, match="the disk is full"):
        scene.keeper.end()


def test_the_end_is_a_snapshot(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.watch()
    scene.keeper.end()
    assert scene.store.flushed == 1
    assert f"{PREFIX}state/pool" in scene.store.pieces()


def test_dear_snapshots_are_fewer(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    spent = iter(
        float(number) for number in range(100)
    )  # every look at the clock of the processor is a second
    scene.keeper._processor = lambda: next(spent)
    for second in range(1, 131):
        scene.clock.time = float(second)
        scene.keeper([])
    assert scene.keeper.snapshots_taken == 3
