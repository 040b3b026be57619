"""What can be wrong about one request, and a fan of broken requests at the end of a flow."""

from __future__ import annotations

import random

from tests.unit.enhance.world import PROJECT, TEXT, World, forge

from lobrest.fuzz.probes import Probe, Wrong, probes_of, probing
from lobrest.model.operation import OperationId
from lobrest.spec.fields import BodyFields

MAKE = OperationId("POST /projects/{id}/notes")


def world() -> World:
    made = forge()
    made.operation(
        MAKE,
        body={"text": TEXT, "size": {"type": "integer", "minimum": 3}},
        query={"page": {"type": "integer"}},
        required=("text",),
    )
    made.refers(MAKE, "path/id", "/projects")
    return made


def all_probes(made: World) -> list[Probe]:
    operation = made.spec.operations[MAKE]
    declared = (*operation.parameters, *BodyFields(made.spec).of(operation))
    return probes_of(operation, declared, made.spec, random.Random(1))


def test_every_parameter_is_broken_once_before_any_is_broken_twice():
    values = [one.ref.pointer for one in all_probes(world()) if one.wrong is Wrong.VALUE and one.ref]
    names = {"id", "text", "size", "page"}
    assert set(values[:4]) == names
    assert set(values) == names


def test_limits_missing_fields_broken_bodies_and_nobody_are_among_them():
    found = all_probes(world())
    sizes = [one.value for one in found if one.ref is not None and one.ref.pointer == "size"]
    assert all(limit in sizes for limit in (2, 3, 4))
    assert [one.ref.pointer for one in found if one.wrong is Wrong.LEFT_OUT and one.ref] == ["text"]
    assert any(one.wrong is Wrong.RAW for one in found)
    assert sum(one.wrong is Wrong.ANONYMOUS for one in found) == 1


def test_an_operation_without_a_body_gets_no_broken_body():
    made = world()
    made.operation("GET /plain", query={"page": TEXT})
    operation = made.spec.operations[OperationId("GET /plain")]
    found = probes_of(operation, operation.parameters, made.spec, random.Random(1))
    assert found
    assert not any(one.wrong is Wrong.RAW for one in found)


def test_the_flow_is_built_once_and_its_end_is_broken_again_and_again():
    made = world()
    base = made.complete(made.entry(MAKE, 1, path={"id": PROJECT}, body={"text": "hello"}))
    some = all_probes(made)[:6]
    fan = probing(base, some)
    before = len(base.steps) - 1
    assert len(fan.steps) == before + 6
    assert fan.steps[:before] == base.steps[:before]
    assert all(step.broken and step.entry.operation == MAKE for step in fan.steps[before:])
    assert len({repr(step) for step in fan.steps[before:]}) == 6
    for offset, probe in enumerate(some):
        wired = {wire.parameter for wire in fan.wires if wire.step == before + offset}
        expected = {wire.parameter for wire in base.wires if wire.step == before}
        assert wired == expected - {probe.ref}


def test_a_broken_request_differs_in_the_one_thing_that_is_wrong():
    made = world()
    base = made.complete(made.entry(MAKE, 1, path={"id": PROJECT}, body={"text": "hello"}))
    ref = next(one.ref for one in all_probes(made) if one.ref and one.ref.pointer == "text")
    fan = probing(
        base,
        [
            Probe(Wrong.VALUE, ref, None),
            Probe(Wrong.LEFT_OUT, ref),
            Probe(Wrong.RAW, raw=b"{"),
            Probe(Wrong.ANONYMOUS),
        ],
    )
    value, left_out, raw, nobody = fan.steps[-4:]
    assert value.entry.arguments.body == {"text": None}
    assert left_out.entry.arguments.body == {}
    assert raw.raw_body == b"{"
    assert nobody.anonymous
    assert nobody.entry.arguments.body == {"text": "hello"}


def test_an_empty_body_is_sent_empty():
    made = world()
    base = made.complete(made.entry(MAKE, 1, path={"id": PROJECT}, body={"text": "x"}))
    seed = probing(base, [Probe(Wrong.RAW, raw=b"")])
    assert seed.steps[-1].raw_body == b""
