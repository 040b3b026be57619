"""What is the campaign's own, where it is, and what must never be touched."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.enhance.world import TEXT, World, ref
from tests.unit.fuzz.script import answer

from lobrest.fuzz.cleanup import Counts, Ledger, says_deleted
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import Answer, OperationId
from lobrest.model.resource import Binding, Dependency, ResourceName, Source
from lobrest.spec.router import Router

NOTES = "/projects/{id}/notes"


def shop() -> World:
    """Projects with notes and tags; topics are named by whoever makes them; comments cannot be deleted."""
    world = World()
    for name in ("POST /projects", "GET /projects/{id}", "PATCH /projects/{id}", "DELETE /projects/{id}"):
        world.operation(name)
    world.resource("/projects", creators=("POST /projects",))
    for name in (f"POST {NOTES}", f"GET {NOTES}/{{iid}}", f"DELETE {NOTES}/{{iid}}"):
        world.operation(name)
    world.resource(NOTES, parent="/projects", creators=(f"POST {NOTES}",))
    world.operation(f"POST {NOTES}/{{iid}}/comments")
    world.resource(f"{NOTES}/{{iid}}/comments", parent=NOTES, creators=(f"POST {NOTES}/{{iid}}/comments",))
    for name in ("PUT /topics/{topic}", "GET /topics/{topic}", "DELETE /topics/{topic}"):
        world.operation(name, query={"force": TEXT, "permanently_remove": TEXT} if name[0] == "D" else None)
    world.resource("/topics", creators=("PUT /topics/{topic}",), identified_by="path/topic")
    for name in ("POST /user/repos", "GET /repos/{owner}/{repo}", "DELETE /repos/{owner}/{repo}"):
        world.operation(name)
    world.resource("/repos/{owner}", creators=("POST /user/repos",))
    world.resource("/users", acting=True)
    for operation in list(world.operations):
        if "/projects/{id}" in operation:
            world.refers(operation, "path/id", "/projects", "id")
        if "{iid}" in operation:
            world.refers(operation, "path/iid", NOTES, "iid", "id")
        if "{topic}" in operation:
            world.refers(operation, "path/topic", "/topics", "name")
        if "{repo}" in operation:
            world.refers(operation, "path/owner", "/users", "login")
            world.refers(operation, "path/repo", "/repos/{owner}", "name")
    return world


def ledger_of(world: World, **more: object) -> Ledger:
    settings: dict = {"base_path": "/api", "people": {"ann": {"login": "annie"}}, **more}
    return Ledger(world.spec, world.model, Router(world.spec), **settings)


def told(
    ledger: Ledger, operation: str, target: str, response: Response, body: object = None, actor: str = "ann"
):
    method = operation.partition(" ")[0]
    data = None if body is None else json.dumps(body).encode()
    request = Request(
        OperationId(operation), method, f"/api{target}", (("Content-Type", "application/json"),), data, actor
    )
    return ledger.told(request, response)


def paths(ledger: Ledger) -> list[str]:
    return [thing.path for thing in ledger.things]


def test_a_thing_is_where_the_operation_that_deletes_it_finds_it():
    ledger = ledger_of(shop())
    made = told(ledger, "POST /projects", "/projects", answer(201, {"id": 7}))
    told(ledger, f"POST {NOTES}", "/projects/7/notes", answer(201, {"id": 900, "iid": 1}), actor="bo")
    assert made.remover == "DELETE /projects/{id}"
    assert paths(ledger) == ["/api/projects/7", "/api/projects/7/notes/1"]
    assert [thing.actor for thing in ledger.things] == ["ann", "bo"]
    delete = ledger.deleting(ledger.things[1])
    assert (delete.method, delete.target, delete.actor) == ("DELETE", "/api/projects/7/notes/1", "bo")
    assert ledger.looking(ledger.things[1]).operation == f"GET {NOTES}/{{iid}}"


def test_the_service_may_say_where_it_is():
    ledger = ledger_of(shop())
    location = answer(201, None, Location="https://h/api/projects/7/notes/12")
    thing = told(ledger, f"POST {NOTES}", "/projects/7/notes", location)
    assert (thing.path, thing.certain) == ("/api/projects/7/notes/12", True)


@pytest.mark.parametrize("document", [{"name": "r", "owner": {"login": "team"}}, {"name": "r"}])
def test_whose_it_is_stands_in_the_answer_or_is_whoever_made_it(document: dict):
    world = shop()
    where = ref("DELETE /repos/{owner}/{repo}", "path/owner")
    world.dependencies[where] = Dependency(
        where,
        ResourceName("/users"),
        (Binding(Source.RESPONSE, "owner/login"), Binding(Source.RESPONSE, "login")),
    )
    ledger = ledger_of(world)
    thing = told(ledger, "POST /user/repos", "/user/repos", answer(201, document))
    assert thing.path == ("/api/repos/team/r" if "owner" in document else "/api/repos/annie/r")


@pytest.mark.parametrize("status", [400, 404, 409, 500, 302])
def test_what_was_refused_was_not_made(status: int):
    ledger = ledger_of(shop())
    assert told(ledger, "POST /projects", "/projects", answer(status, {"id": 7})) is None
    assert len(ledger) == ledger.made == 0


def test_what_was_there_before_is_not_ours():
    """Get or create: the answer looks the same, but somebody has seen the thing before."""
    ledger = ledger_of(shop())
    told(ledger, "GET /projects/{id}", "/projects/7", answer(200, {"id": 7}))
    assert told(ledger, "POST /projects", "/projects", answer(201, {"id": 7})) is None
    assert len(ledger) == 0


@pytest.mark.parametrize(
    ("topic", "status", "ours"),
    [("news", 201, True), ("news", 200, False), ("news", 204, False), ("news-x0a1b", 200, True)],
)
def test_a_put_that_may_have_changed_what_was_there_makes_nothing(topic: str, status: int, ours: bool):
    ledger = ledger_of(shop())
    told(ledger, "PUT /topics/{topic}", f"/topics/{topic}", answer(status, {"name": topic}))
    assert paths(ledger) == ([f"/api/topics/{topic}"] if ours else [])


def test_where_201_is_the_word_for_created_200_is_not():
    world = shop()
    creator = OperationId("POST /projects")
    world.operations[creator] = replace(world.operations[creator], answers={"201": Answer({})})
    ledger = ledger_of(world)
    assert told(ledger, "POST /projects", "/projects", answer(200, {"id": 7})) is None
    assert told(ledger_of(shop()), "POST /projects", "/projects", answer(200, {"id": 7})) is not None


def test_a_guess_is_looked_at_unless_it_lies_in_something_of_ours():
    """Of a note made in somebody else's project ``id`` and ``iid`` look alike: the wrong one is another note."""
    ledger = ledger_of(shop())
    guess = told(ledger, f"POST {NOTES}", "/projects/1/notes", answer(201, {"id": 57, "iid": 101}))
    assert not ledger.is_certain(guess)
    assert guess.others == ("/api/projects/1/notes/57",)
    assert guess.is_shown_by({"id": 57, "iid": 101, "text": "t"})
    assert not guess.is_shown_by({"id": 12, "iid": 101})
    assert not guess.is_shown_by({"text": "t"})
    assert not guess.is_shown_by(None)
    told(ledger, "POST /projects", "/projects", answer(201, {"id": 2}))
    inside = told(ledger, f"POST {NOTES}", "/projects/2/notes", answer(201, {"id": 58, "iid": 1}))
    assert ledger.is_certain(inside)
    ledger.proved(guess)
    ledger.proved(guess)
    assert ledger.is_certain(guess)


@pytest.mark.parametrize(
    "wrapped",
    [
        {"data": {"id": 5, "last_modified": 1}, "permissions": {"write": []}},
        {"project": {"id": 5}},
        {"result": {"id": 5}, "ok": True},
    ],
)
def test_a_thing_in_an_envelope(wrapped: dict):
    thing = told(ledger_of(shop()), "POST /projects", "/projects", answer(201, wrapped))
    assert thing.path == "/api/projects/5"
    assert thing.is_shown_by(wrapped)
    assert not thing.is_shown_by({"data": {"id": 6}})


def test_identities_that_can_be_nothing_else_are_certain():
    ledger = ledger_of(shop())
    uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
    assert told(ledger, "POST /projects", "/projects", answer(201, {"id": uuid})).certain
    assert not told(ledger, "POST /projects", "/projects", answer(201, {"id": 5})).certain


@pytest.mark.parametrize(
    ("document", "plain"),
    [({"id": 5, "text": "t"}, True), ({"id": 5, "iid": 2}, False), ({"name": "x"}, False)],
)
def test_an_identity_that_can_be_read_only_one_way(document: dict, plain: bool):
    thing = told(ledger_of(shop()), "POST /projects", "/projects", answer(201, document))
    assert thing.plain is plain


def test_what_the_flows_delete_is_gone_with_what_was_in_it():
    ledger = ledger_of(shop())
    told(ledger, "POST /projects", "/projects", answer(201, {"id": 7}))
    told(ledger, f"POST {NOTES}", "/projects/7/notes", answer(201, {"iid": 1}))
    told(ledger, f"POST {NOTES}/{{iid}}/comments", "/projects/7/notes/1/comments", answer(201, {"id": 3}))
    assert dict(ledger.lasting) == {f"POST {NOTES}/{{iid}}/comments: no operation deletes it": 1}
    told(ledger, f"DELETE {NOTES}/{{iid}}", "/projects/7/notes/1", answer(403))
    assert len(ledger) == 2
    told(ledger, f"DELETE {NOTES}/{{iid}}", "/projects/7/notes/1?x=1", answer(204))
    assert paths(ledger) == ["/api/projects/7"]
    assert not ledger.lasting
    assert ledger.ended_by_play == 2
    assert ledger.made == 3


def test_a_rename_moves_a_thing_and_all_inside_it():
    world = shop()
    for operation in list(world.operations):
        if "/projects/{id}" in operation:
            world.refers(operation, "path/id", "/projects", "slug")
    ledger = ledger_of(world)
    told(ledger, "POST /projects", "/projects", answer(201, {"id": 7, "slug": "old"}))
    told(ledger, f"POST {NOTES}", "/projects/old/notes", answer(201, {"iid": 1}))
    told(ledger, f"POST {NOTES}/{{iid}}/comments", "/projects/old/notes/1/comments", answer(201, {"id": 3}))
    told(ledger, "PATCH /projects/{id}", "/projects/old", answer(200, {"id": 7, "slug": "new"}))
    assert paths(ledger) == ["/api/projects/new", "/api/projects/new/notes/1"]
    assert [one.path for one in ledger.family(ledger.things[:1])] == [
        "/api/projects/new/notes/1",
        "/api/projects/new",
    ]
    assert ledger.removed(ledger.things[1]) == 1


def test_what_is_held_back_is_not_used_to_clean_up():
    ledger = ledger_of(shop(), barred=[OperationId("DELETE /projects/{id}")])
    told(ledger, "POST /projects", "/projects", answer(201, {"id": 7}))
    assert len(ledger) == 0
    assert dict(ledger.lasting) == {"POST /projects: held back": 1}


def test_an_identity_that_is_not_told():
    ledger = ledger_of(shop())
    told(ledger, "POST /projects", "/projects", answer(201))
    assert dict(ledger.lasting) == {"POST /projects: its identity is not told": 1}


def test_a_second_deletion_asks_for_it_in_earnest():
    ledger = ledger_of(shop())
    told(ledger, "PUT /topics/{topic}", "/topics/news", answer(201, {"name": "news"}))
    thing = ledger.things[0]
    assert ledger.deleting(thing).target == "/api/topics/news"
    assert (
        ledger.deleting(thing, finally_=True).target == "/api/topics/news?force=true&permanently_remove=true"
    )


@pytest.mark.parametrize(
    ("document", "deleted"),
    [
        ({"deleted": True}, True),
        ({"deleted_at": "2026-01-01"}, True),
        ({"state": "deleted"}, True),
        ({"status": "archived"}, True),
        ({"deleted": False, "deleted_at": None, "state": "open"}, False),
        ([], False),
        (None, False),
    ],
)
def test_marked_as_deleted(document: object, deleted: bool):
    assert says_deleted(document) is deleted


def test_counts_in_words():
    assert Counts().words() == "cleanup of 0 things: nothing to do"
    counts = Counts(made=9, deleted=3, gone=2, refused={"DELETE /x: 403": 4})
    assert counts.words() == "cleanup of 9 things: 3 deleted, 2 gone already, 4 refused"
    assert counts.summary["refused"] == {"DELETE /x: 403": 4}
