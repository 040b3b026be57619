"""Who shows a thing, and whether two answers show the same."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import NOTE, NOTES, told, world

from lobrest.fuzz.oracles.reading import (
    Readers,
    ends_with_parameter,
    parameter_names,
    parameters_of,
    same_thing,
    shows_something,
    steady,
)
from lobrest.model.exchange import Response
from lobrest.model.operation import OperationId


def test_readers_of_a_path_and_of_what_it_goes_through():
    made = world()
    made.operation(f"POST {NOTE}/publish")
    made.operation("GET /odd/{key}", query={"must": TEXT}, required=("must",))
    made.operation("DELETE /odd/{key}")
    readers = Readers(made.spec, frozenset())
    publish = made.operations[OperationId(f"POST {NOTE}/publish")]
    assert [one.id for one in readers.above(publish)] == [f"GET {NOTE}", "GET /projects/{id}"]
    assert readers.of(publish) is None
    deletion = readers.of(made.operations[OperationId(f"DELETE {NOTE}")])
    assert deletion is not None and deletion.id == f"GET {NOTE}"
    assert readers.of(made.operations[OperationId("DELETE /odd/{key}")]) is None
    assert readers.of(made.operations[OperationId(f"POST {NOTES}")]) is None


def test_templates():
    assert [ends_with_parameter(one) for one in ("/a/{b}", "/a", "/", "/a/{b}.json")] == [
        *(True, False, False, False)
    ]
    assert parameters_of("/a/{b}/{c}...{d}") == ["b", "c", "d"]
    assert parameter_names("/a/{b}") == {"b"}


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"id": 1, "updated_at": "x"}, {"id": 1, "updated_at": "y"}, True),
        ({"id": 1, "state": "open"}, {"id": 1, "state": "deleted"}, False),
        ({"id": 1, "deleted_at": None}, {"id": 1, "deleted_at": "now"}, False),
        ({"updated": {"by": 1}}, {"updated": {"by": 2}}, False),
        ({}, {}, False),
        ([], [], False),
    ],
)
def test_the_same_thing_apart_from_what_changes_by_itself(left, right, same):
    assert same_thing(told(200, left), told(200, right)) is same


def test_bytes_are_compared_as_they_are_and_nothing_is_like_nothing():
    assert same_thing(Response(200, (), b"\xff1"), Response(200, (), b"\xff1"))
    assert not same_thing(Response(200), Response(200))
    assert not same_thing(None, told(200, {"a": 1}))


def test_absurd_depth_ends():
    value: list = []
    for _ in range(200):
        value = [value]
    assert steady(value) is not None


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (b"[]\n", False),
        (b'{"total": 0, "items": [], "next": null}', False),
        (b"", False),
        (b"null", False),
        (b'[{"id": 3}]', True),
        (b"text", True),
    ],
)
def test_answers_with_nothing_in_them(body, wanted):
    assert shows_something(Response(200, (), body)) is wanted
