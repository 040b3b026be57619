"""Operations left out, repeated, swapped, inserted or run at the same time."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import APPROVE, MERGE, OPEN, PROJECT, REQUEST, World, forge
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.order import delete_step, insert_operation, race, repeat_step, swap_steps
from lobrest.model.seed import Origin, Seed

PATH = {"id": PROJECT, "iid": REQUEST}


@pytest.fixture
def world() -> World:
    return forge()


@pytest.fixture
def seed(world: World) -> Seed:
    return world.complete(
        world.entry(OPEN, 1, path={"id": PROJECT}, body={"title": "t"}, creates=REQUEST),
        world.entry(APPROVE, 2, path=PATH, user="bo"),
        world.entry(MERGE, 3, path=PATH),
    )


def shown(seed: Seed) -> list[str]:
    return [step.entry.operation for step in seed.steps]


def is_sound(seed: Seed) -> bool:
    return all(wire.producer < wire.step < len(seed.steps) for wire in seed.wires)


def test_one_step_is_left_out_and_the_last_stays(world: World, seed: Seed):
    gone = set()
    for number in range(30):
        child = delete_step(seed, context_of(world, number=number))
        assert len(child.steps) == len(seed.steps) - 1
        assert shown(child)[-1] == MERGE
        assert is_sound(child)
        gone |= set(shown(seed)) - set(shown(child))
    assert {"POST /projects", OPEN, APPROVE} <= gone


def test_a_single_step_cannot_be_left_out(world: World):
    assert delete_step(world.complete(world.entry("GET /licences", 1)), context_of(world)) is None


def test_a_step_is_sent_twice(world: World, seed: Seed):
    for number in range(20):
        child = repeat_step(seed, context_of(world, number=number))
        assert len(child.steps) == len(seed.steps) + 1
        assert [one for one in set(shown(child)) if shown(child).count(one) > shown(seed).count(one)]
        assert is_sound(child)


def test_two_of_the_flows_own_steps_change_places(world: World, seed: Seed):
    orders = set()
    for number in range(20):
        child = swap_steps(seed, context_of(world, number=number))
        assert sorted(shown(child)) == sorted(shown(seed))
        assert child.steps[0] == seed.steps[0]
        assert is_sound(child)
        orders.add(tuple(shown(child)))
    assert len(orders) == 3
    assert swap_steps(world.complete(world.entry("GET /licences", 1)), context_of(world)) is None


def test_an_operation_about_the_same_things_is_put_in_between(world: World, seed: Seed):
    for number in range(20):
        child = insert_operation(seed, context_of(world, number=number))
        assert len(child.source.entries) == 4
        assert child.source.entries[0] == seed.source.entries[0]
        invented = next(entry for entry in child.source.entries if entry.source is None)
        assert "/projects/{id}" in invented.operation
        assert child.mutations == ("insert",)
        assert is_sound(child)
        at = next(at for at, step in enumerate(child.steps) if step.entry.operation == invented.operation)
        assert at > 0


def test_a_race_is_one_step_at_the_same_time_as_the_one_before(world: World, seed: Seed):
    doubled, together = 0, 0
    for number in range(40):
        child = race(seed, context_of(world, number=number))
        if child is None:
            continue
        (at,) = [at for at, step in enumerate(child.steps) if step.concurrent]
        assert at > 0
        assert not any(wire.step == at and wire.producer == at - 1 for wire in child.wires)
        assert is_sound(child)
        if len(child.steps) > len(seed.steps):
            doubled += 1
            assert child.steps[at].entry == child.steps[at - 1].entry
        else:
            together += 1
    assert doubled
    assert together


def test_added_creations_are_not_swapped_with_the_flow(world: World, seed: Seed):
    creations = [at for at, step in enumerate(seed.steps) if step.origin is Origin.CREATION]
    for number in range(10):
        child = swap_steps(seed, context_of(world, number=number))
        assert [child.steps[at] for at in creations] == [seed.steps[at] for at in creations]
