"""Which instances a request names."""

from __future__ import annotations

import pytest
from tests.unit.logs.forge import model, spec

from lobrest.logs.arguments import ArgumentReader, Detail
from lobrest.logs.formats.record import Body
from lobrest.logs.instances import MOST_INSTANCES, InstanceReader, names_in, own_identities
from lobrest.logs.plan import make_plan
from lobrest.logs.users import Identifier
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.slice import Profile

SPEC = spec()
PLAN = make_plan(SPEC, model(), Profile.DEFAULT)


def reader():
    return InstanceReader(ArgumentReader(SPEC), Identifier(b"k"))


def places(operation, path, target="/", body=""):
    plan = PLAN.operations[PLAN.index_of[OperationId(operation)]]
    detail = Detail(target, body, Body.TEXT, "application/json")
    return [(ref.pointer, place) for ref, place in reader().places(plan, path, detail)]


def test_places_count_distinct_instances_in_order():
    found = places(
        "POST /projects/{id}/merges",
        {"id": "1"},
        body='{"source":"a","target":"a","reviewers":["x","y","x"]}',
    )
    assert found == [
        ("id", 0),
        ("reviewers/*", 1),
        ("reviewers/1", 2),
        ("reviewers/2", 1),
        ("source", 3),
        ("target", 3),
    ]


def test_a_bulk_call_is_bounded():
    body = '{"reviewers":[' + ",".join(map(str, range(1000, 2000))) + "]}"
    assert (
        len({place for _, place in places("POST /projects/{id}/merges", {"id": "1"}, body=body)})
        <= MOST_INSTANCES
    )


def test_a_query_names_instances_too():
    assert places("GET /projects/{id}/issues", {"id": "1"}, "/x?label=bug") == [("id", 0), ("label", 1)]


def test_a_secret_in_a_path_is_linkable_but_not_shown():
    held = reader()
    secret = "glpat-abcdefghij0123456789"
    assert held.identity("id", secret) == held.identity("other", secret)
    assert secret not in held.identity("id", secret)
    assert held.shown_path({"id": secret, "name": "plain"}) == {
        "id": held.identity("id", secret),
        "name": "plain",
    }
    assert held.identity("id", "{petId}") == ""


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ({"iid": 3, "id": 57}, ("3",)),
        ({"id": 57}, ("57",)),
        ({"iid": 3, "path": "a/b"}, ("3", "a/b")),
        ({"iid": None, "path": ""}, ()),
        ([1, 2], ()),
        (None, ()),
    ],
)
def test_names_in_an_answer(answer, names):
    assert names_in(answer, (("iid", "id"), ("id",), ("path",))) == names


def test_own_identities_come_from_every_place():
    operation = OperationId("x")
    refs = tuple(
        ParameterRef(operation, place, "n") for place in (Location.PATH, Location.QUERY, Location.BODY)
    )
    assert list(own_identities(refs, {"n": "p"}, {"n": "q"}, {"n": 5})) == ["p", "q", "5"]
    assert list(own_identities(refs, {}, {}, None)) == []
