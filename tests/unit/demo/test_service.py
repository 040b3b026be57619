"""Routing, authentication and errors; and that nothing but a planted defect ever answers 500."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lobrest.demo import service
from lobrest.demo.catalogue import MODULES
from lobrest.demo.company import secret_of
from lobrest.demo.service import BASE_PATH, Request

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 10**19, 1.5, "", " ", "0", "1", "main", "feature", "close", "alice"),
    *(
        "é🙂",
        "a" * 300,
        "[",
        "../x",
        "2026-13-99",
        "2026-03-01",
        "#ff0000",
        [],
        [1],
        ["bug"],
        {},
        {"a": 1},
        [None],
    ),
)
GOOD: dict[str, Any] = {
    "name": "thing",
    "title": "Thing",
    "path": "thing",
    "username": "kim",
    "password": "correct horse",
    "email": "k@x.example",
    "scopes": ["api"],
    "user_id": 3,
    "role": "guest",
    "branch": "feature",
    "ref": "main",
    "commit_message": "m",
    "actions": [{"action": "update", "file_path": "README.md"}],
    "state": "success",
    "source_branch": "feature",
    "target_branch": "main",
    "body": "/label ~bug",
    "color": "#00ff00",
    "tag_name": "v2",
    "url": "https://x.example",
    "trigger": "push_events",
    "to_project_id": 2,
    "page": 1,
    "namespace": "platform",
    "labels": ["bug"],
    "milestones": [],
    "assignee_id": 2,
    "sha": "main",
}
KNOWN = {
    "branch": "feature",
    "name": "bug",
    "tag_name": "v1",
    "user": "bob",
    "group": "platform",
    "sha": "main",
}
FINAL = ("deleteProject", "archiveProject")  # after them there is little left to ask
PARTS = (
    "1",
    "2",
    "0",
    "-1",
    "alice%2Fshop",
    "alice",
    "main",
    "feature",
    "v1",
    "bug",
    "x",
    "%F0%9F%99%82",
    "9" * 5000,
)


def test_an_unknown_path_is_not_found(forge):
    answer = forge.send("alice", "GET", "/nothing/here")
    assert (answer.status, answer.body) == (404, {"message": "404 Page Not Found"})


def test_outside_the_base_path_there_is_nothing(forge):
    assert forge.service.answer(Request("GET", "/projects")).status == 404


def test_a_wrong_method_is_told_the_right_ones(forge):
    answer = forge.send("alice", "PATCH", "/projects")
    assert answer.status == 405
    assert answer.headers["Allow"] == "GET, POST"


def test_head_is_answered_like_get(forge):
    assert forge.send("alice", "HEAD", "/user").status == 200


def test_a_trailing_slash_does_not_matter(forge):
    assert forge.send("alice", "GET", "/user/").status == 200


def test_an_empty_segment_names_nothing(forge):
    assert forge.send("alice", "GET", "/projects//issues").status == 404


def test_who_is_nobody_is_unauthorized(forge):
    assert forge.send("", "GET", "/user").status == 401
    wrong = Request("GET", f"{BASE_PATH}/user", headers={"authorization": "Bearer wrong"})
    assert forge.service.answer(wrong).status == 401


def test_both_headers_carry_a_token(forge):
    secret = secret_of(forge.state, "bob")
    for headers in ({"authorization": f"bearer {secret}"}, {"private-token": secret}):
        reply = forge.service.answer(Request("GET", f"{BASE_PATH}/user", headers=headers))
        assert json.loads(reply.body)["username"] == "bob"


def test_a_body_of_another_kind_is_not_supported(forge):
    headers = {"private-token": secret_of(forge.state, "bob"), "content-type": "text/plain"}
    reply = forge.service.answer(Request("POST", f"{BASE_PATH}/projects", "", headers, b"name=x"))
    assert reply.status == 415


def test_a_path_that_is_not_text_is_refused(forge):
    assert forge.send("alice", "GET", "/projects/%FF").status == 400


def test_a_project_goes_by_number_and_by_encoded_path(forge):
    project = forge.project()
    assert forge.good("bob", "GET", "/projects/1") == project
    assert forge.good("bob", "GET", "/projects/alice%2Fshop") == project


def odd_requests(forge: Any, seed: int) -> Iterator[tuple[str, Any]]:
    """Random operations with random values on a forge that has a bit of everything, and their answers."""
    random = Random(seed)
    furnish(forge)
    routes = [route for module in MODULES for route in module.routes if route.operation_id not in FINAL]
    for _ in range(1500):
        route = random.choice(routes)
        names = {f"{{{name}}}": random.choice(PARTS) for name in route.parameters}
        names |= {f"{{{name}}}": KNOWN.get(name, "1") for name in route.parameters if random.random() < 0.85}
        path = "/" + "/".join(names.get(segment, segment) for segment in route.segments)
        query = {} if route.query is None else pick(random, route.query.__struct_fields__)
        body = None if route.body is None else pick(random, route.body.__struct_fields__)
        user = random.choice(("root", "alice", "bob", "carol"))
        yield f"{route.method} {route.template}", forge.send(user, route.method, path, body, **query)


@pytest.mark.parametrize("seed", range(4))
def test_no_request_however_odd_is_an_internal_error(forge, seed):
    for operation, answer in odd_requests(forge, seed):
        assert answer.status < 500, (operation, answer.body)


def test_every_internal_error_is_a_planted_one(make_forge):
    manifest = json.loads((Path(service.__file__).parent / "faults.json").read_text())
    asked = (pair for seed in range(5) for pair in odd_requests(make_forge("on"), seed))
    failed = [(operation, answer) for operation, answer in asked if answer.status >= 500]
    assert failed
    for operation, answer in failed:
        known = [fault["message"] for fault in manifest if fault["operation"] == operation]
        assert any(message in answer.body["error"] for message in known), (operation, answer.body)


def pick(random: Random, fields: tuple[str, ...]) -> dict[str, Any]:
    """Values that fit more often than not, so that requests get past the first check."""
    return {
        field: GOOD[field] if field in GOOD and random.random() < 0.8 else random.choice(ODD)
        for field in fields
        if random.random() < 0.7
    }


def furnish(forge: Any) -> None:
    forge.project()
    forge.member("bob")
    forge.good("alice", "POST", "/projects/1/labels", {"name": "bug", "color": "#ff0000"})
    forge.good("alice", "POST", "/projects/1/milestones", {"title": "Sprint"})
    forge.good(
        "alice", "POST", "/projects/1/issues", {"title": "Broken", "labels": ["bug"], "milestone_id": 1}
    )
    forge.change()
    forge.good("alice", "POST", "/projects/1/releases", {"tag_name": "v1", "ref": "main"})
    forge.good("alice", "POST", "/projects/1/hooks", {"url": "https://hooks.example/1"})
