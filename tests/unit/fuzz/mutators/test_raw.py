"""Bodies that no serialiser would write."""

from __future__ import annotations

import json

from tests.unit.enhance.world import PROJECT, forge
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.raw import raw_body


def test_one_body_is_sent_broken_or_as_something_else():
    world = forge()
    seed = world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))
    valid, broken, kinds = 0, 0, set()
    for number in range(80):
        child = raw_body(seed, context_of(world, number=number))
        assert child is not None
        step = child.steps[0]
        assert step.broken
        assert step.raw_body is not None
        assert child.steps[1] == seed.steps[1]
        try:
            json.loads(step.raw_body)
            valid += 1
        except (ValueError, RecursionError):
            broken += 1
        kinds.add(step.entry.arguments.media_type)
    assert valid
    assert broken > valid
    assert len(kinds) > 3


def test_doubled_keys():
    world = forge()
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "p"}))
    bodies = {raw_body(seed, context_of(world, number=number)).steps[0].raw_body for number in range(80)}
    assert b'{"name":"p","name":"p"}' in bodies


def test_a_flow_without_bodies_is_left_alone():
    world = forge()
    seed = world.complete(world.entry("GET /licences", 1))
    assert raw_body(seed, context_of(world)) is None
    mixed = world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))
    assert raw_body(mixed, context_of(world, focus=1)) is None
