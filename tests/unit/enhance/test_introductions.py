"""How somebody gets to work on what another has made."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import PROJECT, REQUEST, REQUESTS, TEXT, World, forge, ref, thing

from lobrest.enhance.complete import Completer
from lobrest.enhance.introductions import mine_introductions
from lobrest.model.entry import LogEntry
from lobrest.model.resource import ResourceName
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice

ADD = "POST /projects/{id}/members"
MEMBERS = "/projects/{id}/members"
BO = thing("/users", "7")


@pytest.fixture
def world() -> World:
    world = forge()
    world.operation(ADD, body={"user": TEXT, "role": TEXT}, required=("user",))
    world.resource(MEMBERS, parent="/projects", creators=(ADD,), identified_by="body/user")
    world.refers(ADD, "path/id", "/projects")
    world.refers(ADD, "body/user", "/users")
    return world


def added(world: World) -> LogEntry:
    return world.entry(
        ADD,
        1.0,
        path={"id": PROJECT},
        body={"user": BO, "role": "guest"},
        creates=thing(MEMBERS, "7", PROJECT),
        status=201,
    )


def completed(world: World, *entries: LogEntry, log: tuple[LogEntry, ...]) -> Seed:
    found = mine_introductions([Slice(log)] if log else [], world.spec, world.model)
    completer = Completer(world.spec, world.model, world.values(), introductions=found)
    return completer.complete(Slice(entries))


def test_what_makes_a_place_for_a_person_is_an_introduction(world: World):
    found = mine_introductions([Slice((added(world),))], world.spec, world.model)
    way = found[ResourceName("/projects")]
    assert (way.operation, way.thing, way.person) == (ADD, ref(ADD, "path/id"), ref(ADD, "body/user"))
    assert [one.arguments.body for one in way.examples] == [{"user": "7", "role": "guest"}]


def test_a_person_put_at_the_end_of_a_path_is_one_too():
    world = forge()
    put = "PUT /projects/{id}/collaborators/{who}"
    world.operation(put)
    world.refers(put, "path/id", "/projects")
    world.refers(put, "path/who", "/users")
    shown = world.entry(put, 1.0, path={"id": PROJECT, "who": BO}, status=204)
    assert (
        mine_introductions([Slice((shown,))], world.spec, world.model)[ResourceName("/projects")].operation
        == put
    )


def test_a_thing_that_merely_names_a_person_lets_nobody_in(world: World):
    assign = "POST /projects/{id}/tickets"
    world.operation(assign, body={"title": TEXT, "assignee": TEXT})
    world.resource("/projects/{id}/tickets", parent="/projects", creators=(assign,))
    world.refers(assign, "path/id", "/projects")
    world.refers(assign, "body/assignee", "/users")
    shown = world.entry(assign, 1.0, path={"id": PROJECT}, body={"title": "t", "assignee": BO}, status=201)
    assert mine_introductions([Slice((shown,))], world.spec, world.model) == {}


def test_everybody_of_a_flow_is_let_in_by_whoever_made_the_thing(world: World):
    seed = completed(
        world,
        world.entry("GET /projects/{id}", 2.0, path={"id": PROJECT}, user="ann"),
        world.entry("GET /projects/{id}", 3.0, path={"id": PROJECT}, user="bo"),
        log=(added(world),),
    )
    steps = [(str(step.entry.user), str(step.entry.operation)) for step in seed.steps]
    assert steps == [
        ("ann", "POST /projects"),
        ("ann", ADD),
        ("ann", "GET /projects/{id}"),
        ("bo", "GET /projects/{id}"),
    ]
    named = [one for one in seed.identities if one.parameter == ref(ADD, "body/user")]
    assert [one.user for one in named] == ["bo"]


def test_nobody_is_let_in_where_the_log_does_not_show_how(world: World):
    seed = completed(
        world,
        world.entry("GET /projects/{id}", 2.0, path={"id": PROJECT}, user="ann"),
        world.entry("GET /projects/{id}", 3.0, path={"id": PROJECT}, user="bo"),
        log=(),
    )
    assert ADD not in {step.entry.operation for step in seed.steps}


def test_the_owner_in_front_of_the_thing_is_named_with_it():
    """``{owner}/{repo}``: the example's owner is nobody on another service."""
    world = forge()
    put, read = "PUT /repos/{owner}/{repo}/guests/{who}", "GET /repos/{owner}/{repo}"
    world.operation("POST /repos", body={"name": TEXT})
    world.operation(put)
    world.operation(read)
    world.resource("/repos", creators=("POST /repos",))
    for operation in (put, read):
        world.refers(operation, "path/owner", "/users", "username")
        world.refers(operation, "path/repo", "/repos", "name")
    world.refers(put, "path/who", "/users", "username")
    zoe, repo = thing("/users", "zoe"), thing("/repos", "tools", thing("/users", "zoe"))
    shown = world.entry(put, 1.0, path={"owner": zoe, "repo": repo, "who": thing("/users", "bo")}, status=204)
    own = thing("/repos", "own")
    flow = (
        world.entry("POST /repos", 2, body={"name": "own"}, user="ann", creates=own),
        world.entry(read, 3, path={"owner": thing("/users", "ann"), "repo": own}, user="cy"),
    )
    seed = completed(world, *flow, log=(shown,))
    invited = next(index for index, step in enumerate(seed.steps) if step.entry.operation == put)
    named = {one.parameter.pointer: one for one in seed.identities if one.step == invited}
    assert (named["owner"].user, named["who"].user) == ("ann", "cy")
    assert named["owner"].owner_of == 0


def test_watching_a_part_of_a_thing_lets_nobody_in_where_the_thing_itself_does(world: World):
    watch = "PUT /projects/{id}/merge_requests/{iid}/watchers/{who}"
    world.operation(watch)
    world.refers(watch, "path/id", "/projects")
    world.refers(watch, "path/iid", REQUESTS)
    world.refers(watch, "path/who", "/users")
    path = {"id": PROJECT, "iid": REQUEST, "who": BO}
    watched = world.entry(watch, 2.0, path=path, status=204)
    assert list(mine_introductions([Slice((watched,))], world.spec, world.model)) == [REQUESTS]
    both = [Slice((added(world), watched))]
    assert list(mine_introductions(both, world.spec, world.model)) == ["/projects"]
