"""Slices that share an instance, joined in logged time order."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, MERGE, OPEN, PROJECT, REQUEST, World, forge, thing
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.splice import joined, splice
from lobrest.model.slice import Slice

PATH = {"id": PROJECT, "iid": REQUEST}


def slices(world: World) -> list[Slice]:
    """Ann opens and merges, Bo approves in between; somebody reads something else."""
    mine = Slice(
        (
            world.entry(OPEN, 1, path={"id": PROJECT}, body={"title": "t"}, creates=REQUEST, user="ann"),
            world.entry(MERGE, 9, path=PATH, user="ann"),
        )
    )
    theirs = Slice((world.entry(APPROVE, 5, path=PATH, user="bo"),))
    foreign = Slice((world.entry("GET /projects/{id}", 3, path={"id": thing("/projects", "99")}),))
    return [mine, theirs, foreign]


def test_two_users_flows_over_one_request_become_one_in_time_order():
    world = forge()
    found = slices(world)
    children = [
        splice(world.complete(*found[0].entries), context_of(world, found, number=number))
        for number in range(20)
    ]
    joint = [child for child in children if child is not None]
    assert joint
    for child in joint:
        own = [(entry.operation, entry.user) for entry in child.source.entries]
        assert own == [(OPEN, "ann"), (APPROVE, "bo"), (MERGE, "ann")]
        assert child.mutations == ("splice",)
        assert len(child.parents) == 1
        assert [step.entry.operation for step in child.steps].count(OPEN) == 1


def test_nothing_is_joined_without_a_shared_instance():
    world = forge()
    found = slices(world)
    alone = world.complete(*found[2].entries)
    assert all(splice(alone, context_of(world, found, number=number)) is None for number in range(10))


def test_an_entry_of_the_log_is_there_once():
    world = forge()
    mine, theirs, _ = slices(world)
    once = joined(mine.entries, (*theirs.entries, mine.entries[0]))
    assert len(once) == 3
    assert joined(mine.entries, mine.entries) == mine.entries


def test_what_would_be_too_long_is_not_made():
    world = forge()
    entries = [world.entry(APPROVE, at, path=PATH) for at in range(30)]
    more = [world.entry(APPROVE, at, path=PATH) for at in range(30)]
    found = [Slice(tuple(entries)), Slice(tuple(more))]
    seed = world.complete(*entries)
    assert all(splice(seed, context_of(world, found, number=number)) is None for number in range(10))
