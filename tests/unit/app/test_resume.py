"""What is kept of a campaign, and how it goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import drive, engine_of
from tests.unit.fuzz.test_engine import moody, slices

from lobrest.app.campaign import Budget, Result
from lobrest.app.keeper import PROGRESS
from lobrest.app.pipeline import Prepared
from lobrest.app.resume import (
    changed_since,
    marks_of,
    recall,
    recall_knowledge,
    recall_material,
    recall_order,
    remember,
)
from lobrest.app.session import Order
from lobrest.errors import StoreError, UsageError
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.state import NUMBERS_A_RUN, Depth
from lobrest.model.event import OperationCovered
from lobrest.model.operation import OperationId
from lobrest.model.summary import StageTimes
from lobrest.spec.router import Router
from lobrest.store import Keep, MemoryStore
from lobrest.store.codec import pack
from lobrest.store.snapshot import Snapshots
from lobrest.transport import Credential, Credentials

STARTED = datetime(2026, 1, 5, 9, tzinfo=UTC)
ANN = Credential("ann", headers=(("Authorization", "Bearer very-secret"),))


def prepared_of(engine: Engine) -> Prepared:
    material = engine.material
    spec = material.spec
    return Prepared(
        spec, material.model, Router(spec), material.corpus, material.slices, StageTimes(analyze_s=1.5)
    )


def order(**changes: object) -> Order:
    made = Order(
        "http://x:1",
        Credentials((ANN,)),
        Budget(60.0, 500),
        random_seed=9,
        depth=Depth.ENHANCED,
        keep=Keep.INTERESTING,
        exclude=("DELETE *",),
        rate=2.5,
        inputs=marks_of(["http://somewhere/spec.json"]),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def kept(plays: int = 90) -> tuple[Engine, MemoryStore]:
    """A campaign that was killed after its last snapshot."""
    world = forge()
    engine = engine_of(world, slices(world))
    store = MemoryStore()
    remember(store, prepared_of(engine), order(), now=1_700_000_000.0, started=STARTED)
    _, _, events = drive(world, engine, moody, plays=plays)
    store.record(events)
    change = Snapshots(engine.material.slices).taken(engine.state)
    store.put_pieces({**change.pieces, PROGRESS: pack(Result, Result(requests=3, seconds=0.25))})
    return engine, store


def test_an_order_comes_back_with_new_credentials_and_none_is_kept() -> None:
    _, store = kept(1)
    assert recall_order(store, Order, Credentials((ANN,)), source="w") == order()
    assert not any(b"very-secret" in content for content in store.pieces().values())


@pytest.mark.parametrize("names", [(), ("bo",), ("ann", "bo"), ("bo", "ann")])
def test_other_credentials_are_refused(names: tuple[str, ...]) -> None:
    _, store = kept(1)
    with pytest.raises(UsageError, match="the campaign was run as ann; --auth gives"):
        recall_order(store, Order, Credentials(tuple(Credential(name) for name in names)), source="w")


def test_the_material_comes_back_whole() -> None:
    engine, store = kept(1)
    back = recall_material(store, source="w")
    made = prepared_of(engine)
    assert (back.spec, back.model, back.corpus, back.slices) == (
        made.spec,
        made.model,
        made.corpus,
        made.slices,
    )
    assert back.stages == made.stages


def test_a_campaign_goes_on_where_it_stopped() -> None:
    engine, store = kept()
    engine.next()
    before = recall(store, recall_material(store, source="w"), source="w")
    assert before.started == STARTED
    assert before.now == 1_700_000_000.0
    assert before.result.requests == store.totals().requests > 3
    assert before.result.seconds == pytest.approx(store.totals().last_at, abs=1.0)
    assert before.state.planned == NUMBERS_A_RUN
    assert before.state.observed == engine.state.observed
    assert before.state.triage.bugs == engine.state.triage.bugs


def test_what_the_store_knows_beyond_the_snapshot_counts() -> None:
    engine, store = kept()
    world = forge()
    _, _, events = drive(world, engine, moody, plays=200)
    store.record(events)
    before = recall(store, recall_material(store, source="w"), source="w")
    assert before.state.feedback.covered == engine.state.feedback.covered
    assert before.state.feedback.statuses == engine.state.feedback.statuses


def test_a_bug_that_was_about_to_be_recorded_is() -> None:
    engine, full = kept()
    assert engine.state.triage.bugs
    store = MemoryStore()
    store.put_pieces(full.pieces())
    recall(store, recall_material(store, source="w"), source="w")
    assert store.bugs() == engine.state.triage.bugs


def test_what_was_under_way_is_made_again_first() -> None:
    world = forge()
    engine = engine_of(world, slices(world))
    drive(world, engine, moody, plays=30)
    interrupted = [engine.next() for _ in range(3)]
    engine.state.go_on()
    repeated = [engine.next() for _ in range(3)]
    assert [one.plan.seed for one in repeated if one] == [one.plan.seed for one in interrupted if one]
    assert [one.kind for one in repeated if one] == [one.kind for one in interrupted if one]
    assert [one.plan.number for one in repeated if one] == [NUMBERS_A_RUN + at for at in range(3)]


def test_knowledge_can_be_had_alone() -> None:
    engine, store = kept()
    assert recall_knowledge(store, source="w") == engine.state.knowledge


def test_a_store_without_a_state_says_so() -> None:
    with pytest.raises(StoreError, match="before its first request"):
        recall_material(MemoryStore(), source="w")


@pytest.mark.parametrize("name", ["order", "material", "beginning", "progress", "engine/state/pool"])
def test_damage_is_told(name: str) -> None:
    _, store = kept(3)
    store.put_pieces({name: b'{"x": 1'})
    with pytest.raises(StoreError, match="damaged"):
        recall_order(store, Order, Credentials((ANN,)), source="w")
        recall(store, recall_material(store, source="w"), source="w")


def test_a_log_that_has_moved_on_is_noticed(tmp_path: Path) -> None:
    log, gone = tmp_path / "access.log", tmp_path / "gone.log"
    log.write_bytes(b"a\n" * 100_000)
    gone.write_bytes(b"a\n")
    marks = marks_of([str(log), str(gone), "http://h/spec", "-"])
    assert changed_since(marks) == []
    gone.unlink()
    with log.open("ab") as file:
        file.write(b"b\n")
    assert changed_since(marks) == [str(log), str(gone)]


def test_operations_that_are_not_in_the_document_are_not_covered() -> None:
    _, store = kept(3)
    store.record([OperationCovered(1.0, OperationId("GET /nowhere"))])
    before = recall(store, recall_material(store, source="w"), source="w")
    assert OperationId("GET /nowhere") not in before.state.feedback.covered
