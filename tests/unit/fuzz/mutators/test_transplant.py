"""What people did with another instance is done with this one as well."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, OPEN, PROJECT, REQUEST, REQUESTS, forge, thing
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.transplant import transplant
from lobrest.model.slice import Slice


def test_another_flow_is_appended_on_the_instances_of_this_one():
    world = forge()
    other = thing("/projects", "16")
    theirs = thing(REQUESTS, "1", other)
    mine = Slice((world.entry(OPEN, 1, path={"id": PROJECT}, body={"title": "t"}, creates=REQUEST),))
    their = Slice((world.entry(APPROVE, 0, path={"id": other, "iid": theirs}, user="bo"),))
    seed = world.complete(*mine.entries)
    children = [transplant(seed, context_of(world, [mine, their], number=number)) for number in range(30)]
    made = [child for child in children if child is not None]
    assert made
    for child in made:
        first, last = child.source.entries
        assert first == mine.entries[0]
        assert last.operation == APPROVE
        assert last.user == "bo"
        assert last.at > first.at
        assert PROJECT in last.uses.values()
        assert other not in last.uses.values()
        assert child.mutations == ("transplant",)
    assert any(REQUEST in child.source.entries[-1].uses.values() for child in made)


def test_there_must_be_another_instance_of_the_kind():
    world = forge()
    mine = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))
    seed = world.complete(*mine.entries)
    assert all(transplant(seed, context_of(world, [mine], number=number)) is None for number in range(10))


def test_people_are_not_exchanged():
    world = forge()
    ann, bo = thing("/users", "ann"), thing("/users", "bo")
    found = [Slice((world.entry("GET /users/{username}", 1, path={"username": one}),)) for one in (ann, bo)]
    seed = world.complete(*found[0].entries)
    assert transplant(seed, context_of(world, found)) is None
