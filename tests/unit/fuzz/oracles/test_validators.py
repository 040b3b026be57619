"""Schemas of hostile and sloppy specifications as validators."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import TEXT, World

from lobrest.fuzz.oracles.validators import Validators, declared_answer, json_type
from lobrest.model.operation import Answer, ApiSpec, OperationId
from lobrest.spec.load import load_spec

GET = "GET /x"


def spec_with(schema, named=None):
    made = World()
    operation = made.operation(GET)
    known = replace(made.operations[operation], answers={"200": Answer({"application/json": schema})})
    return ApiSpec("t", "1", {operation: known}, named or {}), known


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, [1, 1.0], ["1", None, 1.5]),
        ({"type": ["string", "null"], "enum": ["a"]}, ["a", None], ["b", 1]),
        ({"type": "object", "required": ["a"], "properties": {"a": TEXT}}, [{"a": ""}], [{}, {"a": 1}]),
        (
            {"type": "object", "required": ["p"], "properties": {"p": {"type": "string", "writeOnly": True}}},
            [{}],
            [[]],
        ),
        ({"$ref": "#/schemas/a~1b c"}, [{"next": {}}], [{"next": {"next": 1}}]),
        ({"type": "string", "format": "date-time"}, ["never"], [1]),
        ({"oneOf": [TEXT, {"type": "integer"}]}, ["x", 1], [1.5]),
    ],
)
def test_values_are_judged_as_openapi_means_it(schema, good, bad):
    named = {"a/b c": {"type": "object", "properties": {"next": {"$ref": "#/schemas/a~1b c"}}}}
    spec, operation = spec_with(schema, named)
    compiled = Validators(spec).answer(operation, 200)
    assert compiled is not None
    assert [compiled.is_valid(value) for value in good] == [True] * len(good)
    assert [compiled.is_valid(value) for value in bad] == [False] * len(bad)


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "(["},
        {"minimum": "x"},
        {"$id": "http://127.0.0.1:1/x", "$schema": "http://127.0.0.1:1/y", "type": "string"},
        {"$ref": "#/schemas/itself"},
        {"$ref": "#/schemas/nowhere"},
        {"properties": {"required": {"type": "boolean"}}},
        {"enum": [{"$ref": "x"}]},
    ],
    ids=str,
)
def test_a_broken_schema_says_nothing_and_fetches_nothing(schema):
    spec, operation = spec_with(schema, {"itself": {"$ref": "#/schemas/itself"}})
    compiled = Validators(spec).answer(operation, 200)
    assert compiled is None or isinstance(compiled.is_valid({"a": 10**40}), bool)


def test_a_difference_tells_its_named_schema_and_the_place_in_it():
    spec, operation = spec_with(
        {"type": "array", "items": {"$ref": "#/schemas/User"}},
        {"User": {"type": "object", "properties": {"id": {"type": "integer"}}}},
    )
    compiled = Validators(spec).answer(operation, 200)
    assert compiled is not None
    (error,) = compiled.errors([{"id": "x"}])
    assert compiled.place(error) == ("User", "id")


def test_validators_are_made_once():
    spec, operation = spec_with(TEXT)
    validators = Validators(spec)
    assert validators.answer(operation, 200) is validators.answer(operation, 200)
    assert validators.answer(operation, 404) is None


def test_read_only_fields_are_not_required_of_requests():
    document = b"""{"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"post": {
      "requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["id", "name"],
        "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string", "nullable": true}}}}}},
      "responses": {"200": {"description": "ok"}}}}}}"""
    spec = load_spec(document)
    compiled = Validators(spec).request(spec.operations[OperationId("POST /x")])
    assert compiled is not None
    assert compiled.is_valid({"name": None})
    assert not compiled.is_valid({"id": 1})


@pytest.mark.parametrize(("status", "wanted"), [(200, "200"), (201, "2XX"), (404, "default"), (204, "2XX")])
def test_the_nearest_declaration_counts(status, wanted):
    _, operation = spec_with(TEXT)
    answers = {name: Answer({}, description=name) for name in ("200", "2XX", "default")}
    found = declared_answer(replace(operation, answers=answers), status)
    assert found is not None and found.description == wanted


def test_types_have_the_names_of_json():
    values = [None, True, 1, 1.0, 1.5, "", [], {}]
    assert [json_type(one) for one in values] == [
        *("null", "boolean", "integer", "integer", "number", "string", "array", "object")
    ]
