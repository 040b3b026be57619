"""The resources JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.resources.documents import answer, api, forge, many, thing

from lobrest.errors import InputError
from lobrest.resources import analyse
from lobrest.resources.document import from_json, to_json


def test_there_and_back_again() -> None:
    spec = forge()
    model = analyse(spec)
    assert from_json(to_json(model), spec) == model
    assert from_json(json.dumps(to_json(model)).encode(), spec) == model


def test_the_shape_that_others_read() -> None:
    document = to_json(analyse(forge()))
    assert {"service", "creates", "retrieves", "resources", "dependencies"} <= set(document)
    assert {"op", "resource"} <= set(document["creates"][0])
    assert {"path", "parent"} <= set(document["resources"][0])
    assert {"op", "param", "in", "resource", "bindings", "confidence"} <= set(document["dependencies"][0])
    assert {"source", "pointer"} == set(document["dependencies"][0]["bindings"][0])
    assert {"reason", "decided_by"} <= set(document["dependencies"][0])


def test_puts_and_queries_stand_apart() -> None:
    spec = api(
        {
            "PUT /topics/{topic}": {"summary": "Create or update a topic"},
            "POST /jobs/filter": {"responses": answer(many("Job"))},
        },
        Job=thing(id="integer"),
    )
    document = to_json(analyse(spec))
    assert [one["op"] for one in document["puts"]] == ["PUT /topics/{topic}"]
    assert [one["op"] for one in document["queries"]] == ["POST /jobs/filter"]
    assert document["creates"] == document["retrieves"] == []
    assert from_json(document, spec) == analyse(spec)


def test_a_document_written_by_hand_is_enough() -> None:
    model = from_json(
        {
            "creates": [{"op": "POST /user/repos", "resource": "/user/repos"}],
            "dependencies": [{"op": "GET /user/repos", "param": "x", "in": "query", "resource": "/users"}],
        },
        forge(),
    )
    assert set(model.resources) == {"/user/repos", "/users"}
    assert model.resources[next(iter(model.resources))].creators == ("POST /user/repos",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "no JSON"),
        ([], "not a resources document"),
        ({"creates": {}}, "must be a list"),
        ({"creates": [{"op": "POST /x", "resource": "/x"}]}, "no operation 'POST /x'"),
        ({"creates": [{"op": "POST /user/repos"}]}, "names no resource"),
        ({"dependencies": [{"op": "GET /user", "in": "moon", "resource": "/x"}]}, "no place 'moon'"),
        (
            {
                "dependencies": [
                    {"op": "GET /user", "in": "path", "resource": "/x", "bindings": [{"source": "z"}]}
                ]
            },
            "no source 'z'",
        ),
    ],
)
def test_what_is_wrong_is_named(data: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_json(data, forge())
