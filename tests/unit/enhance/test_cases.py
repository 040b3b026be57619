"""What everybody did to one thing."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, MERGE, OPEN, PROJECT, World, forge, thing

from lobrest.enhance.cases import cases
from lobrest.model.entry import LogEntry
from lobrest.model.resource import ResourceInstance
from lobrest.model.slice import Slice


def request(number: int) -> ResourceInstance:
    return thing("/projects/{id}/merge_requests", str(number), PROJECT)


def life(world: World, number: int, start: float, *, approver: str = "bo") -> tuple[Slice, Slice]:
    """Ann opens and merges a request, somebody approves it in between."""
    asked = request(number)
    path = {"id": PROJECT, "iid": asked}
    opened = world.entry(OPEN, start, path={"id": PROJECT}, body={"title": "t"}, creates=asked, user="ann")
    approved = world.entry(APPROVE, start + 1, path=path, user=approver)
    merged = world.entry(MERGE, start + 2, path=path, user="ann")
    return Slice((opened, merged)), Slice((approved,))


def shown(piece: Slice) -> list[tuple[str, str]]:
    return [(str(one.user), str(one.operation)) for one in piece.entries]


def test_slices_of_several_people_about_one_thing_become_one_flow_in_time_order():
    world = forge()
    found = cases(life(world, 1, 10.0), world.model, world.spec)
    assert shown(found[0]) == [("ann", OPEN), ("bo", APPROVE), ("ann", MERGE)]


def test_a_life_with_one_person_is_a_slice_already():
    world = forge()
    assert cases(life(world, 1, 10.0, approver="ann"), world.model, world.spec) == []


def test_lives_alike_are_told_once():
    world = forge()
    both = (*life(world, 1, 10.0), *life(world, 2, 20.0, approver="cy"))
    found = cases(both, world.model, world.spec)
    assert len([one for one in found if len(one.entries) == 3]) == 1, "the other one is the project's"


def test_what_the_maker_did_before_is_part_of_it():
    world = forge()
    mine, other = life(world, 1, 10.0)
    before: LogEntry = world.entry("GET /projects/{id}", 9.0, path={"id": PROJECT}, user="ann")
    elsewhere = world.entry("GET /projects/{id}", 8.0, path={"id": thing("/projects", "77")}, user="ann")
    found = cases((Slice((elsewhere, before, *mine.entries)), other), world.model, world.spec)
    assert found[0].entries[0] == before
    assert elsewhere not in found[0].entries
