"""An operation that is seldom reached is tried on what a flow has built."""

from __future__ import annotations

from tests.unit.enhance.world import MERGE, OPEN, PROJECT, REQUEST, World, forge
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.graft import graft, grafted
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed


def opened(world: World) -> Seed:
    return world.complete(world.entry(OPEN, 5, path={"id": PROJECT}, body={"title": "t"}, creates=REQUEST))


def test_the_grafted_operation_works_on_what_the_flow_made():
    world = forge()
    child = grafted(opened(world), OperationId(MERGE), context_of(world))
    last = len(child.steps) - 1
    assert child.steps[last].entry.operation == MERGE
    assert child.steps[last].entry.user == "ann"
    assert child.steps[last].entry.at > 5
    made = {one.parameter.pointer: child.steps[one.producer].entry for one in child.wires if one.step == last}
    assert made["iid"].operation == OPEN
    assert made["iid"].creates == REQUEST
    assert [step.entry.operation for step in child.steps].count(OPEN) == 1


def test_operations_that_fit_the_flow_are_preferred():
    world = forge()
    wanted = ["GET /licences/{key}", MERGE, "GET /licences"]
    for number in range(15):
        child = graft(opened(world), context_of(world, number=number, wanted=wanted))
        assert child is not None
        assert child.source.entries[-1].operation == MERGE


def test_something_that_does_not_fit_is_better_than_nothing():
    world = forge()
    child = graft(opened(world), context_of(world, wanted=["GET /licences"]))
    assert child is not None
    assert child.source.entries[-1].operation == "GET /licences"


def test_nothing_wanted_nothing_grafted_and_flows_do_not_grow_for_ever():
    world = forge()
    assert graft(opened(world), context_of(world)) is None
    entries = [world.entry("GET /licences", at) for at in range(45)]
    assert graft(world.complete(*entries), context_of(world, wanted=[MERGE])) is None
