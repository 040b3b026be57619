"""The state of an engine in pieces."""

from __future__ import annotations

import json

import pytest
from tests.property.test_snapshot import faulty
from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import drive, engine_of
from tests.unit.fuzz.test_engine import slices

from lobrest.errors import StoreError
from lobrest.fuzz.engine import Engine
from lobrest.store.snapshot import PREFIX, TRIAGE, Snapshots


def played(plays: int = 60) -> Engine:
    world = forge()
    engine = engine_of(world, slices(world))
    drive(world, engine, faulty, plays=plays)
    return engine


def test_only_what_changed_is_written_again() -> None:
    engine = played()
    snapshots = Snapshots(engine.material.slices)
    first = snapshots.taken(engine.state)
    engine.state.queue.append(0)
    second = snapshots.taken(engine.state)
    assert set(second.pieces) == {f"{PREFIX}state/queue"}
    assert not second.gone
    assert len(first.pieces) > 20


def test_bugs_alone_can_be_written() -> None:
    engine = played()
    assert engine.state.triage.cases
    change = Snapshots(engine.material.slices).taken(engine.state, only=TRIAGE)
    fields = [name for name in change.pieces if name.startswith(f"{PREFIX}state/")]
    assert fields == [f"{PREFIX}state/triage"]
    assert any("/part/exchanges/" in name for name in change.pieces)


def test_flows_of_the_log_are_not_written() -> None:
    engine = played(1)
    pool = json.loads(Snapshots(engine.material.slices).taken(engine.state).pieces[f"{PREFIX}state/pool"])
    own = [item[0] for item in pool["items"] if item[1] == "log" and item[2] is None and not item[-1]]
    assert sorted(own) == [0, 1, 2, 3]


def test_a_newer_version_is_refused() -> None:
    engine = played(5)
    pieces = {**Snapshots(()).taken(engine.state).pieces, f"{PREFIX}version": b"99"}
    with pytest.raises(StoreError, match="version 99"):
        Snapshots(()).read(pieces, source="here")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("version", None),
        ("state/chance", b"[3, [1, 2], null]"),
        ("state/chance", b"{"),
        ("state/queue", b'["x"]'),
        ("state/queue", b'{"a": 1}'),
        ("state/pool", b'{"items": [[99, "log", null, 0, 0, 0, false, false]]}'),
        ("state/pool", b'{"items": [["engine/part/slice/0", "log", null, 0, 0, 0, false, false]]}'),
        ("state/pool", b'{"items": [[0, "nowhere", null, 0, 0, 0, false, false]]}'),
        ("state/bases", b'{"a": "engine/state/pool"}'),
        ("state/knowledge/unique", b"[1]"),
        ("state/triage", b"\xff"),
        ("state/pool", b"[" * 100_000),
    ],
)
def test_damaged_pieces_are_refused_with_words(name: str, content: bytes | None) -> None:
    engine = played(5)
    flows = engine.material.slices
    pieces = dict(Snapshots(flows).taken(engine.state).pieces)
    if content is None:
        del pieces[PREFIX + name]
    else:
        pieces[PREFIX + name] = content
    with pytest.raises(StoreError, match="damaged"):
        Snapshots(flows).read(pieces, source="here")


def test_a_field_that_is_missing_keeps_its_default() -> None:
    engine = played(5)
    flows = engine.material.slices
    pieces = dict(Snapshots(flows).taken(engine.state).pieces)
    del pieces[f"{PREFIX}state/paired"]
    assert Snapshots(flows).read(pieces, source="here").paired == set()


def test_writing_goes_on_after_reading() -> None:
    """What was read is not written again, and new pieces get names of their own."""
    engine = played()
    flows = engine.material.slices
    pieces = dict(Snapshots(flows).taken(engine.state).pieces)
    reader = Snapshots(flows)
    state = reader.read(pieces, source="here")
    assert not reader.taken(state).pieces
    state.bases.update(dict(list(engine.state.bases.items())[:1]))
    change = reader.taken(state)
    new = {name for name in change.pieces if "/part/" in name}
    assert new
    assert not new & set(pieces)
