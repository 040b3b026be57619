"""Many documents, good, odd and hostile: each is analysed, or ends in a clear message, in bounded time."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.unit.resources.documents import forge

from lobrest.errors import SpecError
from lobrest.resources import analyse
from lobrest.resources.document import from_json, to_json
from lobrest.spec import BodyFields, Router, load_spec

SHARED = Path(__file__).parents[2].parent / "shared" / "specs"
PUBLIC = (
    sorted(path for path in SHARED.rglob("*") if path.suffix in (".json", ".yaml")) if SHARED.is_dir() else []
)


def examined(data: bytes, name: str = "api") -> None:
    """Everything that is done with a document must hold."""
    spec = load_spec(data, name=name)
    fields = BodyFields(spec)
    router = Router(spec)
    for operation in spec.operations.values():
        fields.of(operation)
        names = [one.ref.pointer for one in operation.parameters if one.ref.location == "path"]
        path = router.expand(operation, dict.fromkeys(names, "v1"), spec.base_paths[0])
        match = router.match(operation.method.value, path)
        assert match is not None, operation.id
    model = analyse(spec)
    assert from_json(to_json(model), spec) == model
    for dependency in model.dependencies.values():
        assert dependency.resource in model.resources
        assert dependency.bindings, dependency.parameter
    for resource in model.resources.values():
        assert resource.creators or resource.listers
        assert model.depth(resource.name) < 30


@pytest.mark.skipif(not PUBLIC, reason="the folder of public specifications is not beside the repository")
@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_public_documents(path: Path) -> None:
    examined(path.read_bytes(), path.name)


def small() -> dict[str, Any]:
    return {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/users": {
                "get": {"responses": {"200": {"description": "", "content": {"application/json": {
                    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/User"}}}}}}},
                "post": {"requestBody": {"content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/User"}}}},
                    "responses": {"201": {"description": "", "content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/User"}}}}}},
            },
            "/users/{id}": {"get": {"parameters": [{"name": "id", "in": "path", "required": True,
                                                    "schema": {"type": "integer"}}],
                                    "responses": {"200": {"description": ""}}}},
        },
        "components": {"schemas": {"User": {"type": "object", "properties": {
            "id": {"type": "integer"}, "boss": {"$ref": "#/components/schemas/User"}}}}},
    }  # fmt: skip


def test_the_small_document_is_good() -> None:
    examined(json.dumps(small()).encode())
    examined(json.dumps(small()).encode("utf-16"))


JUNK: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    "{",
    [],
    [None],
    {},
    {"$ref": "#/nowhere"},
    {"$ref": 5},
    "/../..",
    "ü\u0000",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found += places(inner, (*path, number))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_junk_in_any_place_is_a_warning_or_a_clear_error(seed: int) -> None:
    chance = random.Random(seed)
    document = small()
    for place in places(document)[1:]:
        broken = json.loads(json.dumps(document))
        holder = broken
        for part in place[:-1]:
            holder = holder[part]
        holder[place[-1]] = chance.choice(JUNK)
        try:
            spec = load_spec(json.dumps(broken).encode(), name="broken.json")
        except SpecError as error:
            assert "broken.json" in str(error)
            continue
        analyse(spec)
        Router(spec)


def test_keys_that_are_junk() -> None:
    for key in (
        "",
        "/",
        "//",
        "/{",
        "/{}",
        "/{a}{b}",
        "/" + "{x}/" * 60,
        "/a/../b",
        "no-slash",
        "/\u0000",
        "/%zz",
        "/((",
    ):
        document = small()
        document["paths"][key] = document["paths"].pop("/users")
        spec = load_spec(json.dumps(document).encode())
        analyse(spec)
        assert Router(spec).match("GET", "/users/1") is not None


def test_a_very_wide_document_ends() -> None:
    document = small()
    for number in range(700):
        document["paths"][f"/things{number}/{{id}}/parts{number % 7}"] = document["paths"]["/users"]
        document["paths"][f"/other{number}"] = {"get": {"summary": "List them", "responses": {}}}
        document["paths"][f"/other{number}/{{id}}"] = {"get": {"responses": {}}}
    spec = load_spec(json.dumps(document).encode())
    assert len(analyse(spec).resources) > 1


def test_a_cycle_through_everything_ends() -> None:
    document = small()
    schemas = document["components"]["schemas"]
    for number in range(60):
        schemas[f"S{number}"] = {
            "type": "object",
            "properties": {
                f"p{n}": {"$ref": f"#/components/schemas/S{(number * 7 + n) % 60}"} for n in range(8)
            },
        }
    schemas["User"]["properties"]["all"] = {"$ref": "#/components/schemas/S0"}
    examined(json.dumps(document).encode())


def test_compositions_of_compositions_end() -> None:
    document = small()
    schemas = document["components"]["schemas"]
    for level in range(12):
        schemas[f"L{level}"] = {
            key: [{"$ref": f"#/components/schemas/L{level + 1}"}] * 12 for key in ("allOf", "oneOf", "anyOf")
        }
    schemas["L12"] = {"type": "object", "properties": {"id": {"type": "integer"}}}
    schemas["User"] = {"$ref": "#/components/schemas/L0"}
    spec = load_spec(json.dumps(document).encode())
    analyse(spec)


def test_the_forge_is_good() -> None:
    model = analyse(forge())
    assert len(model.resources) == 6
