"""Who made what, and which user of the log a name in a parameter is."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import (
    APPROVE,
    FIX,
    MAIN,
    MERGE,
    OPEN,
    PROJECT,
    REQUESTS,
    TEXT,
    World,
    forge,
    thing,
)

from lobrest.enhance.people import People, who_is_who
from lobrest.model.entry import LogEntry
from lobrest.model.slice import Slice


@pytest.fixture
def world() -> World:
    world = forge()
    world.operation("POST /projects/{id}/members", body={"user": TEXT}, required=("user",))
    world.refers("POST /projects/{id}/members", "path/id", "/projects")
    world.refers("POST /projects/{id}/members", "body/user", "/users")
    return world


def read(world: World, *entries: LogEntry) -> People:
    return who_is_who([Slice(entries)], world.model, world.spec)


def test_whoever_creates_a_thing_first_is_its_maker(world: World):
    people = read(
        world,
        world.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT, user="ann"),
        world.entry("POST /projects", 2, body={"name": "p"}, creates=PROJECT, user="bo"),
    )
    assert people.makers == {PROJECT: "ann"}


def test_a_name_that_is_a_users_is_that_user(world: World):
    ann = thing("/users", "ann")
    people = read(world, world.entry("GET /users/{username}", 1, path={"username": ann}, user="basic:ann"))
    assert people.users == {ann: "basic:ann"}


def test_somebody_who_turns_up_where_a_number_was_added_is_that_number(world: World):
    """Token hashes and user numbers have nothing in common but what happens."""
    seven = thing("/users", "7")
    entries = []
    for number in range(3):
        project = thing("/projects", str(number))
        at = number * 10
        entries += [
            world.entry("GET /projects/{id}", at, path={"id": project}, user="token:aa"),
            world.entry(
                "POST /projects/{id}/members",
                at + 1,
                path={"id": project},
                body={"user": seven},
                user="token:aa",
            ),
            world.entry("GET /projects/{id}", at + 2, path={"id": project}, user="token:bb"),
        ]
    assert read(world, *entries).users == {seven: "token:bb"}


def test_nobody_is_guessed_where_two_turn_up_equally(world: World):
    seven = thing("/users", "7")
    entries = [
        world.entry(
            "POST /projects/{id}/members", 1, path={"id": PROJECT}, body={"user": seven}, user="token:aa"
        ),
        world.entry("GET /projects/{id}", 2, path={"id": PROJECT}, user="token:bb"),
        world.entry("GET /projects/{id}", 3, path={"id": PROJECT}, user="token:cc"),
    ]
    assert read(world, *entries).users == {}


def test_whoever_makes_a_thing_that_is_later_named_under_a_person_is_that_person(world: World):
    world.operation("POST /repos", body={"name": TEXT})
    world.resource("/repos", creators=("POST /repos",))
    annie = thing("/users", "annie")
    repo = thing("/repos", "billing", annie)
    people = read(
        world, world.entry("POST /repos", 1, body={"name": "billing"}, creates=repo, user="token:aa")
    )
    assert people.users == {annie: "token:aa"}


def test_a_name_that_is_also_a_creatable_thing_at_the_root_stands_in_for_it(world: World):
    world.operation("GET /groups/{group}")
    world.operation("POST /groups", body={"name": TEXT})
    world.resource("/groups", creators=("POST /groups",))
    world.refers("GET /groups/{group}", "path/group", "/groups")
    acme, group = thing("/users", "acme"), thing("/groups", "acme")
    entries = (
        world.entry("GET /users/{username}", 1, path={"username": acme}),
        world.entry("GET /groups/{group}", 2, path={"group": group}),
    )
    assert read(world, *entries).stand_ins == {acme: group}


def test_equal_numbers_are_not_equal_things(world: World):
    entries = (
        world.entry("GET /users/{username}", 1, path={"username": thing("/users", "15")}),
        world.entry("GET /projects/{id}", 2, path={"id": PROJECT}),
    )
    assert read(world, *entries).stand_ins == {}


def test_a_name_in_a_body_is_a_person_and_no_namespace(world: World):
    world.operation("GET /groups/{group}")
    world.operation("POST /groups", body={"name": TEXT})
    world.resource("/groups", creators=("POST /groups",))
    world.refers("GET /groups/{group}", "path/group", "/groups")
    body = {"assignee": thing("/users", "acme"), "source_branch": FIX, "target_branch": MAIN, "title": "x"}
    entries = (
        world.entry(OPEN, 1, path={"id": PROJECT}, body=body),
        world.entry("GET /groups/{group}", 2, path={"group": thing("/groups", "acme")}),
    )
    assert read(world, *entries).stand_ins == {}


def test_a_name_that_is_a_users_stands_for_itself_even_where_a_group_has_it(world: World):
    world.operation("GET /groups/{group}")
    world.operation("POST /groups", body={"name": TEXT})
    world.resource("/groups", creators=("POST /groups",))
    world.refers("GET /groups/{group}", "path/group", "/groups")
    entries = (
        world.entry("GET /users/{username}", 1, path={"username": thing("/users", "ann")}, user="ann"),
        world.entry("GET /groups/{group}", 2, path={"group": thing("/groups", "ann")}, user="ann"),
    )
    assert read(world, *entries).stand_ins == {}


def flow(world: World, number: int, approver: str) -> list[LogEntry]:
    request = thing(REQUESTS, str(number), PROJECT)
    path = {"id": PROJECT, "iid": request}
    return [
        world.entry(OPEN, number, path={"id": PROJECT}, body={"title": "t"}, creates=request, user="ann"),
        world.entry(APPROVE, number + 0.1, path=path, user=approver),
        world.entry(MERGE, number + 0.2, path=path, user="ann"),
    ]


def test_what_is_never_done_to_ones_own_is_for_others(world: World):
    entries = [entry for number in range(4) for entry in flow(world, number, "bo")]
    assert read(world, *entries).for_others == {APPROVE}


@pytest.mark.parametrize("numbers", [range(2), range(4)])
def test_two_cases_or_one_exception_prove_nothing(world: World, numbers: range):
    entries = [entry for number in numbers for entry in flow(world, number, "bo")]
    if len(numbers) > 2:
        entries += flow(world, 9, "ann")
    assert read(world, *entries).for_others == frozenset()


def test_entries_that_no_log_shows_prove_nothing(world: World):
    entry = world.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT, logged=False)
    assert read(world, entry) == People()
