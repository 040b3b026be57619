"""Wrong but existing identities."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import APPROVE, PROJECT, REQUEST, World, forge, thing
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.identity import other_person, rebind, unbind
from lobrest.model.seed import Seed

OTHER = thing("/projects", "16")


@pytest.fixture
def world() -> World:
    return forge()


def two_projects(world: World) -> Seed:
    return world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry("GET /projects/{id}", 2, path={"id": OTHER}, user="bo"),
    )


def test_unbinding_takes_one_wire_away_and_marks_its_step(world: World):
    seed = two_projects(world)
    gone = set()
    for number in range(10):
        child = unbind(seed, context_of(world, number=number))
        (lost,) = set(seed.wires) - set(child.wires)
        gone.add(lost)
        assert set(child.wires) < set(seed.wires)
        assert [at for at, step in enumerate(child.steps) if step.broken] == [lost.step]
        assert child.id != seed.id
    assert len(gone) == 2


def test_rebinding_takes_another_instance_of_the_same_resource(world: World):
    seed = two_projects(world)
    children = [rebind(seed, context_of(world, number=number)) for number in range(10)]
    assert any(children)
    for child in filter(None, children):
        (changed,) = set(child.wires) - set(seed.wires)
        before = next(
            one for one in seed.wires if (one.step, one.parameter) == (changed.step, changed.parameter)
        )
        assert changed.producer != before.producer
        assert child.steps[changed.producer].entry.operation == "POST /projects"
        assert changed.producer < changed.step
        assert child.steps[changed.step].broken


def test_rebinding_needs_a_second_instance(world: World):
    seed = world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))
    assert all(rebind(seed, context_of(world, number=number)) is None for number in range(5))


def test_a_flow_without_wires_has_nothing_to_unbind(world: World):
    seed = world.complete(world.entry("GET /licences", 1))
    assert unbind(seed, context_of(world)) is None
    assert rebind(seed, context_of(world)) is None


def test_another_person_sends_one_step(world: World):
    seed = two_projects(world)
    senders, anonymous = set(), 0
    for number in range(80):
        child = other_person(seed, context_of(world, number=number))
        (at,) = [at for at, step in enumerate(child.steps) if step.broken]
        if child.steps[at].anonymous:
            anonymous += 1
        else:
            assert child.steps[at].entry.user != seed.steps[at].entry.user
            senders.add(child.steps[at].entry.user)
        assert child.wires == seed.wires
    assert {"ann", "bo"} < senders
    assert 0 < anonymous < 40


def test_a_fault_that_is_meant_for_one_step_stays_there(world: World):
    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))
    last = len(seed.steps) - 1
    for number in range(10):
        for mutator in (unbind, other_person):
            child = mutator(seed, context_of(world, number=number, focus=last))
            assert [at for at, step in enumerate(child.steps) if step.broken] == [last]
