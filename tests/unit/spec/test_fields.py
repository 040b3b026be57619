"""Body fields, flattened."""

from __future__ import annotations

import json

from lobrest.model.operation import ApiSpec, Json, Operation, OperationId
from lobrest.spec import BodyFields, body_fields, load_spec
from lobrest.spec.fields import MAX_FIELDS, array_items, properties_of, required_names, types


def spec_with(body: Json, schemas: dict[str, Json] | None = None) -> tuple[ApiSpec, Operation]:
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/x": {
                "post": {
                    "requestBody": {"content": {"application/json": {"schema": body}}},
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
        "components": {"schemas": schemas or {}},
    }
    spec = load_spec(json.dumps(document).encode())
    return spec, spec.operations[OperationId("POST /x")]


def test_nested_objects_and_arrays() -> None:
    spec, operation = spec_with(
        {
            "type": "object",
            "required": ["items"],
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["sku"],
                        "properties": {"sku": {"type": "string"}},
                    },
                },
                "who": {"$ref": "#/components/schemas/Who"},
                "a/b": {"type": "integer", "description": "odd"},
            },
        },
        {"Who": {"type": "object", "properties": {"id": {"type": "integer"}}}},
    )
    fields = {field.ref.pointer: field for field in body_fields(spec, operation)}
    assert list(fields) == ["items", "who", "a~1b", "items/*", "items/*/sku", "who/id"]
    assert fields["items"].required and not fields["who/id"].required
    assert fields["a~1b"].description == "odd"
    assert fields["items/*/sku"].name == "sku" and fields["items/*"].name == "items"


def test_a_schema_inside_itself_is_cut() -> None:
    spec, operation = spec_with(
        {"$ref": "#/components/schemas/Node"},
        {
            "Node": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "next": {"$ref": "#/components/schemas/Node"}},
            }
        },
    )
    assert [field.ref.pointer for field in body_fields(spec, operation)] == ["id", "next"]


def test_compositions_are_put_together() -> None:
    spec, operation = spec_with(
        {
            "allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"b": {"type": "string"}}}],
            "oneOf": [{"properties": {"c": {"type": "string"}}}],
        },
        {"Base": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}},
    )
    fields = {field.ref.pointer: field.required for field in body_fields(spec, operation)}
    assert fields == {"a": True, "b": False, "c": False}


def test_a_wide_body_is_bounded() -> None:
    wide: Json = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(5_000)}}
    spec, operation = spec_with(wide)
    assert len(body_fields(spec, operation)) == MAX_FIELDS


def test_a_bomb_of_references_is_bounded() -> None:
    schemas: dict[str, Json] = {"S0": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for level in range(1, 20):
        inner: Json = {f"p{n}": {"$ref": f"#/components/schemas/S{level - 1}"} for n in range(10)}
        schemas[f"S{level}"] = {"type": "object", "properties": inner}
    spec, operation = spec_with({"$ref": "#/components/schemas/S19"}, schemas)
    assert len(body_fields(spec, operation)) <= MAX_FIELDS


def test_fields_are_computed_once() -> None:
    spec, operation = spec_with({"type": "object", "properties": {"a": {"type": "string"}}})
    known = BodyFields(spec)
    assert known.of(operation) is known.of(operation)


def test_an_operation_without_a_body_has_no_fields() -> None:
    spec, operation = spec_with({"type": "object"})
    assert body_fields(spec, operation) == ()


def test_questions_about_schemas() -> None:
    spec, _ = spec_with({})
    assert array_items(spec, {"type": ["array", "null"], "items": {"type": "string"}}) == {"type": "string"}
    assert array_items(spec, {"type": "array"}) == {}
    assert array_items(spec, {"type": "string"}) is None
    assert properties_of(spec, {"properties": {"a": {}}}) == {"a": {}}
    assert required_names(spec, {"anyOf": [{"required": ["a"]}], "required": ["b"]}) == {"b"}
    assert types({"type": ["string", "null"]}) == ("string",)
    assert types({}) == ()
