"""The same flows on two services: what differs is found, and what only looks like it is not."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.services.serving import Call, Handler, access_line, operation, serving

from lobrest.app.campaign import Budget
from lobrest.app.compare import Counterpart, Service
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.errors import TargetError
from lobrest.fuzz.compare import Aspect, Comparison
from lobrest.fuzz.state import Depth
from lobrest.transport import read_credentials

BOOK = {"id": {"type": "integer"}, "title": {"type": "string"}, "copies": {"type": "integer"}}
PATHS = {
    "/books": {"post": operation(answer=BOOK), "get": operation()},
    "/books/{id}": {"get": operation("id", answer=BOOK)},
    "/books/{id}/lend": {"post": operation("id", answer=BOOK)},
}
LINES = [
    access_line(0, "ann", "POST", "/books"),
    access_line(3, "ann", "GET", "/books/41"),
    access_line(6, "ann", "POST", "/books/41/lend"),
    access_line(9, "ann", "GET", "/books"),
]
Change = Callable[[Call, int, object], tuple[int, object]]


def library(first: int, change: Change | None = None) -> Handler:
    """Books numbered from ``first``; every answer has a counter and a moment of its own."""
    books: dict[str, dict] = {}
    served = itertools.count(first * 31)

    def plain(call: Call) -> tuple[int, object]:
        match call.method, call.path:
            case "POST", ("books",):
                number = first + 7 * len(books)
                books[str(number)] = {"id": number, "title": call.body.get("title", "t"), "copies": 3}
                return 201, books[str(number)]
            case "GET", ("books",):
                return 200, sorted(books.values(), key=lambda one: (first * one["id"]) % 11)
            case "GET", ("books", number) if number in books:
                return 200, {
                    **books[number],
                    "served": next(served),
                    "at": f"2026-01-{first % 28 + 1:02}T00:00:00Z",
                }
            case "POST", ("books", number, "lend") if number in books:
                return 200, {"id": int(number), "left": 2, "slip": f"slip of {number}"}
        return 404, {"message": f"no {'/'.join(call.path)}"}

    def handler(call: Call) -> tuple[int, object]:
        status, told = plain(call)
        return (status, told) if change is None else change(call, status, told)

    return handler


def prepared(folder: Path) -> Prepared:
    spec, log = folder / "api.json", folder / "access.log"
    spec.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    log.write_text("".join(LINES))
    return prepare(str(spec), [str(log)], Reading(), lambda _: None, everything=True)


def compared(folder: Path, here: Handler, there: Handler) -> Comparison:
    material = prepared(folder)
    users = read_credentials(["ann:one", "bo:two"], environment={})
    with serving(here) as one, serving(there) as other:
        order = Order(one, users, Budget(60.0), depth=Depth.ENHANCED, concurrency=2)
        beside = Counterpart(
            Service(one, users), Service(other, read_credentials(["zoe:x"], environment={})), material
        )
        run_session(material, order, None, beside=beside)
    return beside.comparison


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_two_services_that_only_number_and_order_differently_are_equal(tmp_path: Path):
    found = compared(tmp_path, library(5), library(1200))
    assert found.found == {}
    assert found.flows == 2
    assert found.steps == 4


def lends_badly(call: Call, status: int, told: object) -> tuple[int, object]:
    return (500, {"message": "boom"}) if call.path[-1:] == ("lend",) and status == 200 else (status, told)


def lacks_copies(call: Call, status: int, told: object) -> tuple[int, object]:
    if call.method == "GET" and len(call.path) == 2 and isinstance(told, dict):
        told = {name: value for name, value in told.items() if name != "copies"}
    return status, told


def has_one_left(call: Call, status: int, told: object) -> tuple[int, object]:
    return (status, {**told, "left": 1}) if call.path[-1:] == ("lend",) and status == 200 else (status, told)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lends_badly, (Aspect.STATUS, "POST /books/{id}/lend", "")),
        (lacks_copies, (Aspect.SHAPE, "GET /books/{id}", "copies")),
        (has_one_left, (Aspect.VALUE, "POST /books/{id}/lend", "left")),
    ],
)
def test_another_status_shape_or_value_is_found_and_nothing_else(
    tmp_path: Path, change: Change, expected: tuple
):
    found = compared(tmp_path, library(5), library(1200, change))
    assert [
        (one.difference.aspect, one.difference.operation, one.difference.pointer) for one in found.ranked()
    ] == [expected]


def test_a_second_service_that_is_not_there_is_said_at_once(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nowhere = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(TargetError, match="no answer"):
        material = prepared(tmp_path)
        users = read_credentials(["ann:one"], environment={})
        with serving(library(5)) as one:
            order = Order(one, users, Budget(60.0), depth=Depth.ENHANCED)
            beside = Counterpart(Service(one, users), Service(nowhere, users), material)
            run_session(material, order, None, beside=beside)
