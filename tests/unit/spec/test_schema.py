"""Schemas of every dialect become those of OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lobrest.model.operation import Json, Warning
from lobrest.spec.references import References
from lobrest.spec.schema import Schemas


def normalise(raw: Json, root: Json = None) -> tuple[Mapping[str, Json], list[Warning], Schemas]:
    warnings: list[Warning] = []
    schemas = Schemas(References(root, fetch=None, warnings=warnings), warnings)
    schema = schemas.normalise(raw, place="/s")
    schemas.finish()
    return schema, warnings, schemas


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "integer", "example": 3}, {"type": "integer", "examples": [3]}),
        (
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 1},
        ),
        ({"type": "number", "exclusiveMaximum": 5}, {"type": "number", "exclusiveMaximum": 5}),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        (
            {"properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
        (True, {}),
        (None, {}),
        (False, {"not": {}}),
        (
            {"items": [{"type": "string"}], "type": "array"},
            {"type": "array", "prefixItems": [{"type": "string"}]},
        ),
    ],
)
def test_dialects(raw: Json, expected: Mapping[str, Json]) -> None:
    schema, warnings, _ = normalise(raw)
    assert schema == expected
    assert not warnings


def test_required_on_each_property_is_understood() -> None:
    schema, _, _ = normalise(
        {"type": "object", "properties": {"a": {"type": "string", "required": True}, "b": {"type": "string"}}}
    )
    assert schema["required"] == ["a"]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"type": "int"}, "there is no type 'int'"),
        ({"type": "wat"}, "there is no type 'wat'"),
        ({"enum": "a"}, "enum must be a list"),
        ({"allOf": {}}, "allOf must be a list"),
        ({"properties": []}, "properties must be a mapping"),
        ({"required": "a"}, "required must be a list"),
        ("text", "a schema is expected"),
        (["list"], "a schema is expected"),
    ],
)
def test_each_defect_is_one_warning(raw: Json, says: str) -> None:
    _, warnings, _ = normalise(raw)
    assert len(warnings) == 1 and says in warnings[0].message


def test_references_keep_their_names() -> None:
    root: Json = {"definitions": {"User": {"properties": {"boss": {"$ref": "#/definitions/User"}}}}}
    schema, warnings, schemas = normalise({"$ref": "#/definitions/User"}, root)
    assert schema == {"$ref": "#/schemas/User"}
    assert schemas.named["User"]["properties"] == {"boss": {"$ref": "#/schemas/User"}}
    assert not warnings


def test_a_reference_into_a_schema_gets_a_name_of_its_own() -> None:
    root: Json = {"definitions": {"A": {"properties": {"b": {"type": "integer"}}}}}
    schema, _, schemas = normalise({"$ref": "#/definitions/A/properties/b"}, root)
    assert schema == {"$ref": "#/schemas/A.properties.b"}
    assert schemas.named["A.properties.b"] == {"type": "integer"}


def test_nesting_is_cut() -> None:
    raw: Json = {"type": "string"}
    for _ in range(150):
        raw = {"type": "array", "items": raw}
    _, warnings, _ = normalise(raw)
    assert len(warnings) == 1 and "nested deeper" in warnings[0].message


def test_a_long_chain_of_references_is_no_deep_one() -> None:
    links: dict[str, Json] = {
        f"a{n}": {"properties": {"next": {"$ref": f"#/x/a{n + 1}"}}} for n in range(5_000)
    }
    _, warnings, schemas = normalise({"$ref": "#/x/a0"}, {"x": links})
    assert len(schemas.named) == 5_000
    assert len(warnings) == 1
