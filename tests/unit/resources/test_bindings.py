"""Where values come from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.resources.documents import api, body, thing

from lobrest.model.operation import Json, Location, OperationId, Parameter, ParameterRef
from lobrest.model.resource import Binding, Source
from lobrest.resources.answers import Kind, Shape
from lobrest.resources.bindings import (
    from_answer,
    from_list,
    from_request,
    pointers,
    request_binding,
    wanted,
)
from lobrest.spec import body_fields

SPEC = api({"GET /x": {}}, User=thing(id="integer", login="string"), Commit=thing(sha="string", id="integer"))


def parameter(name: str, kind: str) -> Parameter:
    return Parameter(ParameterRef(OperationId("GET /x"), Location.PATH, name), True, {"type": kind})


@pytest.mark.parametrize(
    ("name", "kind", "noun", "properties", "best"),
    [
        ("repo", "string", "repository", {"id": "integer", "name": "string"}, "name"),
        ("index", "integer", "issue", {"id": "integer", "number": "integer"}, "number"),
        ("merge_request_iid", "integer", "merge_request", {"id": "integer", "iid": "integer"}, "iid"),
        ("hook_id", "integer", "hook", {"id": "integer", "name": "string"}, "id"),
        (
            "departmentId",
            "integer",
            "department",
            {"id": "integer", "departmentId": "integer"},
            "departmentId",
        ),
        ("id", "integer", "department", {"departmentId": "integer", "city": "string"}, "departmentId"),
        ("pageName", "string", "page", {"title": "string", "count": "integer"}, "title"),
        ("owner", "string", "repository", {"id": "integer", "owner": "@User"}, "owner/login"),
        ("sha", "string", "branch", {"name": "string", "commit": "@Commit"}, "commit/sha"),
        ("variablename", "string", "variable", {"name": "string", "data": "string"}, "name"),
    ],
)
def test_the_best_field(name: str, kind: str, noun: str, properties: dict[str, str], best: str) -> None:
    want = wanted(parameter(name, kind), name, [tuple(noun.split("_"))], person=False)
    found = pointers(SPEC, _local(thing(**properties)), want)
    assert found[0][1] == best


def _local(schema: Json) -> dict[str, Json]:
    """The schema as the loader would leave it: references into the specification's schemas."""
    assert isinstance(schema, dict)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {
        "type": "object",
        "properties": {
            key: {"$ref": str(value["$ref"]).replace("#/components", "#")}
            if isinstance(value, dict) and "$ref" in value
            else value
            for key, value in properties.items()
        },
    }


@pytest.mark.parametrize(
    ("name", "kind", "description", "properties", "order"),
    [
        ("group", "string", "The path of the group", {"name": "string", "path": "string"}, ["path", "name"]),
        (
            "user",
            "string",
            "The ID or username of the user",
            {"username": "string", "id": "integer"},
            ["id", "username"],
        ),
        (
            "request_iid",
            "integer",
            "The internal ID of it",
            {"id": "integer", "iid": "integer"},
            ["iid", "id"],
        ),
        ("name", "string", "", {"rule_name": "string", "count": "integer"}, ["rule_name"]),
    ],
)
def test_descriptions_say_which_identity(
    name: str, kind: str, description: str, properties: dict[str, str], order: list[str]
) -> None:
    declared = replace(parameter(name, kind), description=description)
    want = wanted(declared, name, [("group",), ("user",), ("request",)], person=name == "user")
    assert [pointer for _, pointer in pointers(SPEC, _local(thing(**properties)), want)] == order


def test_people_go_by_their_login() -> None:
    want = wanted(parameter("username", "string"), "username", [("user",)], person=True)
    schema = _local(thing(id="integer", email="string", login="string"))
    assert [pointer for _, pointer in pointers(SPEC, schema, want)][:2] == ["login", "email"]


def test_identities_of_other_things_inside_are_no_candidates() -> None:
    want = wanted(parameter("index", "integer"), "index", [("issue",)], person=False)
    schema = _local(thing(number="integer", commit="@Commit"))
    assert [pointer for _, pointer in pointers(SPEC, schema, want)] == ["number"]


def test_sources_of_answers_and_lists() -> None:
    want = wanted(parameter("id", "integer"), "id", [("thing",)], person=False)
    schema = _local(thing(id="integer"))
    wrapped = from_answer(SPEC, Shape(Kind.OBJECT, schema, pointer="data"), want)
    assert wrapped[0][1] == Binding(Source.RESPONSE, "data/id")
    listed = from_answer(SPEC, Shape(Kind.LIST, schema), want)
    assert listed[0][1] == Binding(Source.RESPONSE, "0/id")
    assert from_answer(SPEC, Shape(Kind.SCALAR, {"type": "integer"}), want)[0][1] == Binding(
        Source.RESPONSE, ""
    )
    assert from_answer(SPEC, Shape(Kind.NONE, {}), want) == []
    assert from_list(SPEC, Shape(Kind.LIST, schema), want)[0][1] == Binding(Source.LIST, "id")
    assert from_list(SPEC, Shape(Kind.LIST, {"type": "string"}), want)[0][1] == Binding(Source.LIST, "")
    assert from_list(SPEC, Shape(Kind.OBJECT, schema), want) == []


def test_names_that_the_request_gives() -> None:
    spec = api(
        {
            "POST /branches": {
                "requestBody": body(
                    {"new_branch_name": {"type": "string"}, "old_branch_name": {"type": "string"}, "n": {}}
                )
            }
        }
    )
    operation = spec.operations[OperationId("POST /branches")]
    want = wanted(parameter("branch", "string"), "branch", [("branch",)], person=False)
    found = from_request(spec, operation, body_fields(spec, operation), want, "")
    assert [ref.pointer for _, ref in found] == ["new_branch_name"]
    assert request_binding(found[0][1]) == Binding(Source.REQUEST, "body/new_branch_name")
    number = wanted(parameter("id", "integer"), "id", [("branch",)], person=False)
    assert (
        from_request(spec, operation, body_fields(spec, operation), number, "chosen")[0][1].pointer
        == "chosen"
    )
