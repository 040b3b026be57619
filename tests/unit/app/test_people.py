"""Who the credentials belong to, asked from the service itself."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.enhance.world import TEXT, World

from lobrest.app.people import ask_people, self_operations
from lobrest.errors import CredentialsError
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import Json
from lobrest.spec.router import Router


def world_of(*operations: str) -> World:
    world = World()
    for operation in operations:
        world.operation(operation)
    world.resource("/users", acting=True)
    return world


@pytest.mark.parametrize(
    "operation",
    ["GET /user", "GET /users/me", "GET /api/me", "GET /account", "GET /v1/current_user", "GET /whoami"],
)
def test_operations_about_oneself_are_found(operation: str):
    world = world_of(operation, "GET /projects", "GET /users")
    assert [one.id for one in self_operations(world.spec, world.model)] == [operation]


@pytest.mark.parametrize(
    "operation", ["POST /user", "GET /users/{me}", "GET /menu", "GET /user/repos", "GET /users"]
)
def test_others_are_not(operation: str):
    world = world_of(operation)
    assert self_operations(world.spec, world.model) == []


def test_what_needs_a_parameter_is_not_asked():
    world = World()
    world.operation("GET /me", query={"tenant": TEXT}, required=("tenant",))
    assert self_operations(world.spec, world.model) == []


class Line:
    def __init__(self, answers: dict[tuple[str, str], Response | Failure]) -> None:
        self.answers = answers
        self.asked: list[Request] = []

    async def send(self, request: Request) -> Response | Failure:
        self.asked.append(request)
        return self.answers.get((request.target, request.actor), Response(404))

    async def close(self) -> None:
        pass


def asked(world: World, line: Line, *names: str, base: str = "") -> dict[str, Json]:
    return asyncio.run(ask_people(world.spec, world.model, Router(world.spec), line, names, base_path=base))


def test_each_credential_is_asked_who_it_is():
    world = world_of("GET /user")
    line = Line(
        {
            ("/api/user", "one"): Response(200, (), b'{"login": "ann"}'),
            ("/api/user", "two"): Response(200, (), b'{"login": "bo"}'),
        }
    )
    assert asked(world, line, "one", "two", base="/api") == {"one": {"login": "ann"}, "two": {"login": "bo"}}
    assert {request.method for request in line.asked} == {"GET"}


def test_the_next_operation_is_tried_when_the_first_says_nothing():
    world = world_of("GET /me", "GET /users/me")
    line = Line({("/me", "one"): Response(403), ("/users/me", "one"): Response(200, (), b'{"id": 7}')})
    assert asked(world, line, "one") == {"one": {"id": 7}}


@pytest.mark.parametrize(
    "answer",
    [
        Failure.TIMEOUT,
        Response(500),
        Response(200, (), b"<html>"),
        Response(200, (), b""),
        Response(200, (), b"[1]"),
        Response(200, (), b'{"name": "\xff"}'),
        Response(200, (), b'{"a":' * 50_000),
        Response(204),
    ],
)
def test_an_answer_that_says_nothing_is_no_person(answer: Response | Failure):
    world = world_of("GET /user")
    assert asked(world, Line({("/user", "one"): answer}), "one") == {}


def test_without_such_an_operation_nobody_is_asked():
    world = world_of("GET /projects")
    line = Line({})
    assert asked(world, line, "one") == {}
    assert line.asked == []


def test_a_service_that_refuses_every_credential_is_said_at_once():
    world = world_of("GET /user", "GET /me")
    with pytest.raises(CredentialsError, match="refuses every credential"):
        asked(
            world,
            Line({(path, who): Response(401) for path in ("/user", "/me") for who in ("one", "two")}),
            "one",
            "two",
        )


@pytest.mark.parametrize("other", [Response(200, (), b"{}"), Response(404), Response(403), Failure.TIMEOUT])
def test_one_that_is_not_refused_is_enough(other: Response | Failure):
    world = world_of("GET /user")
    asked(world, Line({("/user", "one"): Response(401), ("/user", "two"): other}), "one", "two")
