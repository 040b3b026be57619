"""Laws of snapshots: nothing is lost, and whoever goes on from one plans what would have been planned."""

from __future__ import annotations

import zlib

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.enhance.world import World, forge
from tests.unit.fuzz.script import answer, drive, engine_of
from tests.unit.fuzz.test_engine import slices

from lobrest.fuzz.engine import Engine
from lobrest.fuzz.oracles.catalogue import ORACLES
from lobrest.fuzz.oracles.desk import Choice
from lobrest.fuzz.state import EngineState
from lobrest.model.exchange import Failure, Request, Response
from lobrest.store.memory import MemoryStore
from lobrest.store.snapshot import PREFIX, Snapshots


def faulty(request: Request) -> Response | Failure:
    """A service without memory that works mostly, refuses often and fails now and then."""
    mood = zlib.crc32(repr((request.method, request.target, request.body, request.actor)).encode())
    if mood % 61 == 0:
        return Failure.TIMEOUT
    if mood % 23 == 0:
        return answer(500, {"message": f"boom {request.operation} {'abc'[mood % 3]}"})
    if mood % 5 == 0:
        return answer(422, {"message": "title is already taken"})
    if mood % 7 == 0:
        return answer(404, {"message": "no such thing"})
    return answer(201, {"id": mood % 90, "iid": mood % 9, "name": "n\udc80ö", "big": 2**70})


def like(state: EngineState) -> object:
    """The state as a value: generators are equal when they give the same numbers."""
    fields = {name: getattr(state, name) for name in EngineState.__slots__}
    return {**fields, "chance": state.chance.getstate()}


def engine(world: World, number: int) -> Engine:
    every = Choice(frozenset(one.name for one in ORACLES), (("Authorization", "Bearer none"),))
    return engine_of(world, slices(world), random_seed=number, oracles=every)


def again(world: World, number: int, store: MemoryStore, material: Engine) -> Engine:
    flows = material.material.slices
    state = Snapshots(flows).read(store.pieces(PREFIX), source="here")
    return Engine(material.material, material.rules, state)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 60), min_size=1, max_size=3), st.booleans())
def test_a_state_comes_back_as_it_was(number: int, rounds: list[int], full: bool) -> None:
    """However many snapshots went before, whole ones or only of the bugs."""
    world = forge()
    one = engine(world, number)
    snapshots, store = Snapshots(one.material.slices), MemoryStore()
    for plays in rounds:
        drive(world, one, faulty, plays=plays)
        change = snapshots.taken(one.state, only=() if full else ("triage",))
        store.put_pieces(change.pieces, change.gone)
    one.next()  # something is under way
    change = snapshots.taken(one.state)
    store.put_pieces(change.pieces, change.gone)
    back = Snapshots(one.material.slices).read(store.pieces(PREFIX), source="here")
    assert like(back) == like(one.state)
    assert all(
        left.piece is right.piece or left.piece not in one.material.slices
        for left, right in zip(back.pool.items, one.state.pool.items, strict=True)
    )


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_who_goes_on_from_a_snapshot_plans_the_same(number: int, rounds: int) -> None:
    """Given the same answers, and a snapshot taken when all that was learnt is in use."""
    world = forge()
    one = engine(world, number)
    drive(world, one, faulty, plays=25 * rounds)
    assert one.at_rest
    store = MemoryStore()
    change = Snapshots(one.material.slices).taken(one.state)
    store.put_pieces(change.pieces, change.gone)
    other = again(world, number, store, one)
    plain, sent, _ = drive(world, one, faulty, plays=60)
    repeated, sent_again, _ = drive(world, other, faulty, plays=60)
    assert sent_again == sent
    assert [(this.kind, this.plan.seed) for this in repeated] == [
        (that.kind, that.plan.seed) for that in plain
    ]
    assert like(other.state) == like(one.state)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 50))
def test_what_is_not_used_any_more_is_forgotten(number: int, plays: int) -> None:
    """A store that was written again and again holds what one that was written once holds."""
    world = forge()
    one = engine(world, number)
    snapshots, store = Snapshots(one.material.slices), MemoryStore()
    for _ in range(4):
        drive(world, one, faulty, plays=plays)
        change = snapshots.taken(one.state)
        store.put_pieces(change.pieces, change.gone)
    fresh = Snapshots(one.material.slices).taken(one.state)
    assert len(store.pieces(PREFIX)) == len(fresh.pieces)
    assert not snapshots.taken(one.state).pieces
