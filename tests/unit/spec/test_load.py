"""Documents of every dialect, and their defects."""

from __future__ import annotations

import json

import pytest

from lobrest.errors import SpecError
from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId
from lobrest.spec import load_spec

OK: Json = {"200": {"description": "ok"}}


def load(document: Json) -> ApiSpec:
    return load_spec(json.dumps(document).encode(), name="api.json")


def only(spec: ApiSpec) -> Operation:
    (operation,) = spec.operations.values()
    return operation


def swagger(operation: dict[str, Json], template: str = "/x", method: str = "post", **rest: Json) -> Json:
    return {"swagger": "2.0", "paths": {template: {method: {"responses": OK, **operation}}}, **rest}


def openapi(operation: dict[str, Json], template: str = "/x", method: str = "post", **rest: Json) -> Json:
    return {"openapi": "3.0.3", "paths": {template: {method: {"responses": OK, **operation}}}, **rest}


def test_a_swagger_2_body_becomes_a_request_body() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "string", "x-nullable": True}}}
    spec = load(
        swagger(
            {
                "consumes": ["application/json"],
                "parameters": [
                    {"name": "payload", "in": "body", "required": True, "schema": schema},
                ],
            }
        )
    )
    body = only(spec).body
    assert body is not None and body.required
    assert body.preferred() == (
        "application/json",
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
    )


def test_a_swagger_2_form_becomes_an_object() -> None:
    spec = load(
        swagger(
            {
                "parameters": [
                    {
                        "name": "title",
                        "in": "formData",
                        "type": "string",
                        "required": True,
                        "description": "its name",
                    },
                    {"name": "upload", "in": "formData", "type": "file"},
                ]
            }
        )
    )
    body = only(spec).body
    assert body is not None
    media_type, schema = body.preferred() or ("", {})
    assert media_type == "multipart/form-data"
    assert schema["required"] == ["title"]
    assert schema["properties"] == {
        "title": {"type": "string", "description": "its name"},
        "upload": {"type": "string", "format": "binary"},
    }


def test_collection_formats_become_styles() -> None:
    spec = load(
        swagger(
            {
                "parameters": [
                    {
                        "name": "a",
                        "in": "query",
                        "type": "array",
                        "items": {"type": "string"},
                        "collectionFormat": "multi",
                    },
                    {
                        "name": "b",
                        "in": "query",
                        "type": "array",
                        "items": {"type": "string"},
                        "collectionFormat": "pipes",
                    },
                ]
            },
            method="get",
        )
    )
    first, second = only(spec).parameters
    assert (first.style, first.explode) == ("form", True)
    assert (second.style, second.explode) == ("pipeDelimited", False)


def test_openapi_3_parameters_bodies_answers_and_links() -> None:
    spec = load(
        openapi(
            {
                "operationId": "make",
                "tags": ["t"],
                "summary": "s",
                "deprecated": True,
                "security": [],
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}, "example": "e"}],
                "requestBody": {"$ref": "#/components/requestBodies/B"},
                "responses": {"201": {"$ref": "#/components/responses/R"}},
            },
            components={
                "requestBodies": {
                    "B": {"required": True, "content": {"application/json": {"schema": {"type": "array"}}}}
                },
                "responses": {
                    "R": {
                        "description": "made",
                        "headers": {"Location": {}},
                        "content": {"application/json": {"schema": {"type": "object"}}},
                        "links": {"next": {"operationId": "get", "parameters": {"id": "$response.body#/id"}}},
                    }
                },
            },
        )
    )
    operation = only(spec)
    assert (operation.operation_id, operation.tags, operation.deprecated) == ("make", ("t",), True)
    assert not operation.secured
    assert operation.parameters[0].schema["examples"] == ["e"]
    assert operation.body is not None and operation.body.required
    answer = operation.answers["201"]
    assert answer.headers == ("Location",) and answer.links[0].parameters == {"id": "$response.body#/id"}
    assert not spec.warnings


def test_parameters_of_the_path_item_are_shared_and_overridden() -> None:
    spec = load(
        {
            "openapi": "3.0.0",
            "paths": {
                "/x/{id}": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                        {"name": "q", "in": "query", "schema": {"type": "string"}},
                    ],
                    "get": {
                        "responses": OK,
                        "parameters": [{"name": "q", "in": "query", "schema": {"type": "integer"}}],
                    },
                }
            },
        }
    )
    parameters = {one.name: one for one in only(spec).parameters}
    assert parameters["q"].schema == {"type": "integer"}
    assert parameters["id"].ref.location is Location.PATH


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ([{"name": "id", "in": "query", "type": "integer"}], "in the path, not in the query"),
        ([], "is not declared"),
        ([{"name": "ID", "in": "path", "type": "integer", "required": True}], "is 'id' in the path"),
        ([{"name": "id", "in": "formData", "type": "integer"}], "in the path, not in the form"),
    ],
)
def test_the_template_says_what_is_in_the_path(declared: list[Json], says: str) -> None:
    spec = load(swagger({"parameters": declared}, template="/x/{id}", method="get"))
    parameter = only(spec).parameters[0]
    assert (parameter.ref.location, parameter.name, parameter.required) == (Location.PATH, "id", True)
    assert len(spec.warnings) == 1 and says in spec.warnings[0].message


def test_a_path_parameter_that_is_not_in_the_path_moves_to_the_query() -> None:
    spec = load(swagger({"parameters": [{"name": "z", "in": "path", "type": "string"}]}, method="get"))
    assert only(spec).parameters[0].ref.location is Location.QUERY


def test_base_paths_of_servers_and_of_swagger() -> None:
    assert load(swagger({}, basePath="/v1/", host="h", schemes=["https"])).base_paths == ("/v1",)
    spec = load(
        openapi(
            {},
            servers=[
                {
                    "url": "https://{host}/a/{v}",
                    "variables": {"v": {"default": "2"}, "host": {"default": "h"}},
                },
                {"url": "/b"},
            ],
        )
    )
    assert spec.base_paths == ("/a/2", "/b")
    assert spec.servers == ("https://h/a/2", "/b")
    assert load(openapi({})).base_paths == ("",)


def test_a_3_document_with_swagger_2_leftovers_loads() -> None:
    spec = load(
        openapi(
            {
                "parameters": [
                    {"name": "q", "in": "query", "type": "integer"},
                    {"name": "b", "in": "body", "schema": {"type": "object"}},
                ]
            },
            basePath="/api",
        )
    )
    operation = only(spec)
    assert operation.parameters[0].schema == {"type": "integer"}
    assert operation.body is not None
    assert spec.base_paths == ("/api",)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"get": "nonsense"}, "an operation must be a mapping"),
        ({"get": {"responses": OK, "parameters": ["x"]}}, "a parameter must be a mapping"),
        ({"get": {"responses": OK, "parameters": [{"in": "query"}]}}, "a parameter needs a name"),
        ({"get": {"responses": OK, "parameters": {"q": {"in": "query"}}}}, "parameters must be a list"),
        ({"get": {"responses": OK, "parameters": [{"name": "q", "in": "space"}]}}, "taken as query"),
        ({"get": {"parameters": []}}, "an operation needs responses"),
        ({"get": {"responses": {"200": "x"}}}, "a response must be a mapping"),
        ({"get": {"responses": {"200": {"$ref": "#/nowhere"}}}}, "leads nowhere"),
        ({"get": {"responses": OK, "requestBody": 5}}, "requestBody must be a mapping"),
        ("nothing", "a path needs a mapping"),
        ({"query": {"responses": OK}}, "QUERY method is not supported"),
    ],
)
def test_one_bad_operation_costs_no_other(broken: Json, says: str) -> None:
    spec = load({"openapi": "3.1.0", "paths": {"/bad": broken, "/good": {"get": {"responses": OK}}}})
    assert OperationId("GET /good") in spec.operations
    assert any(
        says in warning.message and warning.place.startswith("/paths/~1bad") for warning in spec.warnings
    )


def test_a_warning_in_yaml_names_its_line() -> None:
    text = b"openapi: 3.0.0\npaths:\n  /x:\n    get:\n      parameters:\n      - in: query\n"
    assert any("(line 6)" in warning.place for warning in load_spec(text).warnings)


def test_operations_that_are_the_same_request_are_told() -> None:
    spec = load(
        {
            "openapi": "3.0.0",
            "paths": {
                "/x/{a}": {"get": {"responses": OK, "operationId": "same"}},
                "/x/{b}": {"get": {"responses": OK, "operationId": "same"}},
            },
        }
    )
    messages = " ".join(warning.message for warning in spec.warnings)
    assert "the same requests as /x/{a}" in messages
    assert "is also the id of GET /x/{a}" in messages
    assert len(spec.operations) == 2


@pytest.mark.parametrize(
    "document",
    [{}, {"openapi": "3.0.0"}, {"openapi": "3.0.0", "paths": {}}, {"paths": []}, [], "text", 5, None],
)
def test_only_a_document_without_operations_is_an_error(document: Json) -> None:
    with pytest.raises(SpecError) as caught:
        load(document)
    assert "api.json" in str(caught.value) and "(" in str(caught.value)


def test_remote_references_are_not_followed_unless_asked() -> None:
    asked: list[str] = []

    def fetch(address: str) -> bytes:
        asked.append(address)
        return b'{"S": {"type": "object", "properties": {"a": {"type": "string"}}}}'

    document = openapi(
        {
            "requestBody": {
                "content": {
                    "application/json": {
                        "schema": {"$ref": "https://elsewhere.test/s.json#/S"},
                    }
                }
            }
        }
    )
    data = json.dumps(document).encode()
    closed = load_spec(data)
    assert any("was not followed" in warning.message for warning in closed.warnings)
    opened = load_spec(data, fetch=fetch)
    assert asked == ["https://elsewhere.test/s.json"]
    assert opened.schemas["S"]["properties"] == {"a": {"type": "string"}}


def test_cyclic_schemas_load() -> None:
    spec = load(
        openapi(
            {},
            components={
                "schemas": {
                    "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}},
                    "B": {"properties": {"a": {"$ref": "#/components/schemas/A"}}},
                    "C": {"$ref": "#/components/schemas/D"},
                    "D": {"$ref": "#/components/schemas/C"},
                }
            },
        )
    )
    assert spec.resolve({"$ref": "#/schemas/A"})["type"] == "object"
    assert spec.resolve({"$ref": "#/schemas/C"}) == {}


def test_warnings_are_bounded() -> None:
    schemas: dict[str, Json] = {f"S{n}": {"type": "wat"} for n in range(3_000)}
    spec = load(openapi({}, components={"schemas": schemas}))
    assert len(spec.warnings) == 2_001 and "more warnings" in spec.warnings[-1].message


def test_a_document_in_several_files() -> None:
    files = {
        "paths/users.yaml": b"get:\n  responses:\n    '200':\n      $ref: '../answers.yaml#/Users'\n",
        "answers.yaml": b"Users:\n  description: ''\n  content:\n    application/json:\n"
        b"      schema: {$ref: 'schemas/User.yaml'}\n",
        "schemas/User.yaml": b"type: object\nproperties:\n  boss: {$ref: '#'}\n  team: {$ref: 'Team.yaml#/T'}\n",
        "schemas/Team.yaml": b"T: {type: object}\n",
    }
    document = {"openapi": "3.0.0", "paths": {"/users": {"$ref": "paths/users.yaml"}}}
    spec = load_spec(json.dumps(document).encode(), fetch=lambda address: files[address])
    schema = only(spec).success_schema()
    assert schema == {"$ref": "#/schemas/User"}
    assert spec.schemas["User"]["properties"] == {
        "boss": {"$ref": "#/schemas/User"},
        "team": {"$ref": "#/schemas/T"},
    }
    assert not spec.warnings
