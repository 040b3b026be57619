"""Routing, authentication and errors; and that nothing but a planted defect ever answers 500."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

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


@pytest.mark.parametrize("seed", range(4))
def test_no_request_however_odd_is_an_internal_error(forge, seed):
    """Random operations with random values on a forge that has a bit of everything."""
    random = Random(seed)
    furnish(forge)
    routes = [route for module in MODULES for route in module.routes]
    for _ in range(1500):
        route = random.choice(routes)
        path = "/" + "/".join(
            random.choice(PARTS) if segment.startswith("{") else segment for segment in route.segments
        )
        query = {} if route.query is None else pick(random, route.query.__struct_fields__)
        body = None if route.body is None else pick(random, route.body.__struct_fields__)
        user = random.choice(("root", "alice", "bob", "carol"))
        answer = forge.send(
            user, route.method, path, body, **{name: quote(str(value)) for name, value in query.items()}
        )
        assert answer.status < 500, (route.operation_id, path, query, body, answer.body)


def pick(random: Random, fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: random.choice(ODD) for field in fields if random.random() < 0.6}


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
