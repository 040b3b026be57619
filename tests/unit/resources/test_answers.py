"""Lists, objects and envelopes."""

from __future__ import annotations

import pytest
from tests.unit.resources.documents import answer, api, many, ref, thing

from lobrest.model.operation import Json, OperationId
from lobrest.resources.answers import Kind, named_part, shape_of


@pytest.mark.parametrize(
    ("template", "schema", "kind", "entity", "pointer"),
    [
        ("/users", many("User"), Kind.LIST, ("user",), ""),
        ("/users", {"type": "object", "properties": {"data": many("User"), "total": {"type": "integer"}}},
         Kind.LIST, ("user",), "data"),
        ("/users", {"type": "object", "properties": {"users": many("User"), "version": {"type": "integer"}}},
         Kind.LIST, ("user",), "users"),
        ("/users", {"type": "object", "properties": {"_embedded": {"type": "object", "properties": {
            "users": many("User")}}}}, Kind.LIST, ("user",), "_embedded/users"),
        ("/users/{id}", ref("User"), Kind.OBJECT, ("user",), ""),
        ("/users/{id}", {"type": "object", "properties": {"data": ref("User")}},
         Kind.OBJECT, ("user",), "data"),
        ("/teams/{id}", {"type": "object", "properties": {"name": {"type": "string"}, "members": many("User"),
                                                           "owner": ref("User")}}, Kind.OBJECT, (), ""),
        ("/names", {"type": "array", "items": {"type": "string"}}, Kind.LIST, (), ""),
        ("/count", {"type": "integer"}, Kind.SCALAR, (), ""),
        ("/any", {}, Kind.UNKNOWN, (), ""),
    ],
)  # fmt: skip
def test_shapes(template: str, schema: Json, kind: Kind, entity: tuple[str, ...], pointer: str) -> None:
    spec = api({f"GET {template}": {"responses": answer(schema)}}, User=thing(id="integer", name="string"))
    shape = shape_of(spec, spec.operations[OperationId(f"GET {template}")])
    assert (shape.kind, shape.entity, shape.pointer) == (kind, entity, pointer)


@pytest.mark.parametrize(
    ("responses", "kind"),
    [
        ({"204": {"description": ""}}, Kind.NONE),
        ({"200": {"description": ""}}, Kind.UNKNOWN),
        ({"default": {"description": ""}}, Kind.UNKNOWN),
        (answer({"type": "array"}, "default"), Kind.LIST),
        (answer({"$ref": "#/components/schemas/Error"}, "default"), Kind.UNKNOWN),
    ],
)
def test_answers_without_a_schema(responses: Json, kind: Kind) -> None:
    spec = api({"GET /x": {"responses": responses}}, Error=thing(message="string"))
    assert shape_of(spec, spec.operations[OperationId("GET /x")]).kind is kind


def test_names_are_seen_through_choices_with_null() -> None:
    assert named_part({"anyOf": [{"$ref": "#/schemas/A"}, {"type": "null"}]}) == "A"
    assert named_part({"allOf": [{"$ref": "#/schemas/A"}]}) == "A"
    assert named_part({"type": "string"}) == ""
