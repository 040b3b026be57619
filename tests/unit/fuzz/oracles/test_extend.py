"""Longer flows from flows that work."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, base, performed, world

from lobrest.fuzz.oracles.extend import Extension, grounded
from lobrest.model.entry import UserId
from lobrest.model.operation import OperationId


def test_a_copy_is_bound_like_its_original():
    made = world()
    seed = base(made, f"PUT {NOTE}")
    last = len(seed.steps) - 1
    flow = Extension(seed, last)
    flow.copy(last, "once more", user=UserId("bo"), headers=(("X-A", "b"),), pause=0.5)
    flow.copy(last, "and again", anonymous=True, broken=False)
    longer = flow.seed("test")
    assert [step.reason for step in longer.steps[last:]] == ["once more", "and again"]
    wired = {wire.parameter for wire in seed.wires if wire.step == last}
    for at in (last, last + 1):
        assert {wire.parameter for wire in longer.wires if wire.step == at} == wired
    first, second = longer.steps[last:]
    assert (first.entry.user, first.broken, first.pause) == ("bo", True, 0.5)
    assert first.entry.arguments.header == {"X-A": "b"}
    assert (second.anonymous, second.broken) == (True, False)
    assert longer.parents == (seed.id,)


def test_another_operation_takes_the_things_of_the_path_that_it_knows():
    made = world()
    seed = base(made, f"PUT {NOTE}")
    last = len(seed.steps) - 1
    flow = Extension(seed, last + 1)
    flow.on_the_same(last, OperationId("GET /projects/{id}"), {"id"}, "look")
    longer = flow.seed("test")
    service = Little()
    results = performed(made, longer, service).results
    assert [one.exchange.status for one in results] == [201, 201, 200, 200]
    project = next(iter(service.projects))
    assert results[-1].exchange.request.target == f"/projects/{project}"
    assert longer.steps[-1].entry.arguments.body is None
    assert NOTES not in longer.steps[-1].entry.operation


def test_other_producers_can_take_the_place_of_the_usual_ones():
    made = world()
    seed = base(made, f"GET {NOTE}")
    last = len(seed.steps) - 1
    project = next(i for i, step in enumerate(seed.steps) if step.entry.operation == "POST /projects")
    flow = Extension(seed, last + 1)
    other = flow.copy(project, "another", broken=False)
    flow.copy(last, "cross", instead={project: other})
    longer = flow.seed("test")
    assert {wire.producer for wire in longer.wires if wire.step == last + 2} == {other, 1}


def test_a_flow_stands_on_its_own_or_on_what_happens_to_exist():
    made = world()
    assert grounded(base(made, f"GET {NOTE}"), made.model)
    lucky = made.complete(made.entry("GET /projects/{id}", 1, path={"id": "8"}))
    if any(wire.step == len(lucky.steps) - 1 for wire in lucky.wires):
        lucky = replace(lucky, wires=())
    assert not grounded(lucky, made.model)
    seed = base(made, f"GET {NOTE}")
    note = next(wire.producer for wire in seed.wires if wire.parameter.pointer == "note_id")
    adrift = replace(seed, wires=tuple(wire for wire in seed.wires if wire.step != note))
    assert not grounded(adrift, made.model)
