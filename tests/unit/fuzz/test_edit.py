"""Changing the steps of a seed keeps its wiring right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import FIX, MAIN, OPEN, PROJECT, REQUEST, World, forge

from lobrest.fuzz.edit import reordered, with_step, without_steps
from lobrest.model.seed import Seed


@pytest.fixture
def seed() -> Seed:
    world: World = forge()
    body = {"source_branch": FIX, "target_branch": MAIN, "title": "t"}
    return world.complete(world.entry(OPEN, 1, path={"id": PROJECT}, body=body, creates=REQUEST))


def wired(seed: Seed) -> set[tuple[str, str, str]]:
    """Each wire as: consumer, parameter, what its producer makes."""
    return {
        (
            seed.steps[one.step].entry.operation,
            one.parameter.pointer,
            str(seed.steps[one.producer].entry.creates),
        )
        for one in seed.wires
    }


def test_another_step_in_place_of_one(seed: Seed):
    last = len(seed.steps) - 1
    child = with_step(seed, last, replace(seed.steps[last], broken=True), "test")
    assert child.steps[last].broken
    assert child.steps[:last] == seed.steps[:last]
    assert child.wires == seed.wires
    assert child.parents == (seed.id,)
    assert child.mutations == ("test",)
    assert child.source == seed.source


def test_a_step_left_out_moves_the_others_up_and_their_wires_with_them(seed: Seed):
    before = wired(seed)
    gone = next(at for at, step in enumerate(seed.steps) if step.entry.creates == MAIN)
    child = without_steps(seed, [gone], "delete")
    assert len(child.steps) == len(seed.steps) - 1
    assert all(wire.producer < wire.step < len(child.steps) for wire in child.wires)
    assert before - wired(child) == {(OPEN, "target_branch", str(MAIN))}
    assert wired(child) < before


def test_a_wire_needs_its_producer_before_it(seed: Seed):
    order = list(reversed(range(len(seed.steps))))
    assert reordered(seed, order, "test").wires == ()


def test_a_repeated_step_gets_the_same_values(seed: Seed):
    last = len(seed.steps) - 1
    child = reordered(seed, [*range(last + 1), last], "repeat")
    first = {(one.parameter, one.producer) for one in child.wires if one.step == last}
    second = {(one.parameter, one.producer) for one in child.wires if one.step == last + 1}
    assert first == second != set()


def test_a_producer_sent_twice_serves_from_its_first_time(seed: Seed):
    child = reordered(seed, [0, *range(len(seed.steps))], "repeat")
    assert {one.producer for one in child.wires if one.parameter.pointer == "id"} == {0}


def test_lineage_stays_bounded(seed: Seed):
    for number in range(40):
        seed = with_step(seed, 0, replace(seed.steps[0], reason=str(number)), f"m{number}")
    assert len(seed.mutations) <= 20
    assert seed.mutations[-1] == "m39"
    assert len(seed.parents) == 1
