"""The OpenAPI document, derived from the declarations that also serve the requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from lobrest.demo.declare import Module, Route

REFERENCE: Final = "#/components/schemas/{name}"

PATH_PARAMETERS: Final[Mapping[str, tuple[dict[str, object], str]]] = {
    "id": ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "The ID or URL-encoded path of the project"),
    "group": ({"type": "string"}, "The path of the group"),
    "user": ({"type": "string"}, "The ID or username of the user"),
    "user_id": ({"type": "integer"}, "The user ID of the member"),
    "token_id": ({"type": "integer"}, "The ID of the token"),
    "branch": ({"type": "string"}, "The URL-encoded name of the branch"),
    "sha": ({"type": "string"}, "The commit hash"),
    "merge_request_iid": ({"type": "integer"}, "The internal ID of the merge request"),
    "issue_iid": ({"type": "integer"}, "The internal ID of the issue"),
    "note_id": ({"type": "integer"}, "The ID of the note"),
    "name": ({"type": "string"}, "The name of the label"),
    "milestone_id": ({"type": "integer"}, "The ID of the milestone"),
    "tag_name": ({"type": "string"}, "The Git tag the release is associated with"),
    "hook_id": ({"type": "integer"}, "The ID of the webhook"),
}

ERRORS: Final = {
    400: "Bad request: a parameter is missing or invalid",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    409: "Conflict with the current state",
    415: "Unsupported media type",
    422: "Unprocessable: a rule was broken",
}


class Error(msgspec.Struct, omit_defaults=True):
    """Why a request was turned down."""

    message: str | dict[str, list[str]] | None = None
    error: str | None = None


def openapi_document(modules: Iterable[Module], server: str) -> dict[str, Any]:
    """The whole document for the service whose base address is `server`."""
    modules = tuple(modules)
    routes = [(module.tag, route) for module in modules for route in module.routes]
    kinds = [Error] + [
        kind for _, route in routes for kind in (route.query, route.body, route.answer) if kind is not None
    ]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    queries = {route.query.__name__ for _, route in routes if route.query is not None}
    schema_of = dict(zip(map(repr, kinds), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for tag, route in routes:
        paths.setdefault(route.template, {})[route.method.lower()] = _operation(
            tag, route, schema_of, components
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Smithy",
            "version": "1.4.0",
            "description": "A small forge: projects, reviews, issues and releases.",
        },
        "servers": [{"url": server}],
        "tags": [{"name": module.tag, "description": module.description} for module in modules],
        "security": [{"bearer": []}, {"private_token": []}],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in queries},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "private_token": {"type": "apiKey", "in": "header", "name": "PRIVATE-TOKEN"},
            },
        },
    }


def _operation(
    tag: str, route: Route, schema_of: Mapping[str, Any], components: Mapping[str, Any]
) -> dict[str, Any]:
    operation: dict[str, Any] = {"tags": [tag], "operationId": route.operation_id, "summary": route.summary}
    parameters = [_path_parameter(name) for name in route.parameters]
    if route.query is not None:
        parameters += _query_parameters(components[route.query.__name__])
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        schema = schema_of[repr(route.body)]
        required = bool(components[route.body.__name__].get("required"))
        operation["requestBody"] = {"required": required, "content": {"application/json": {"schema": schema}}}
    operation["responses"] = _responses(route, schema_of)
    return operation


def _path_parameter(name: str) -> dict[str, Any]:
    schema, description = PATH_PARAMETERS[name]
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _query_parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    parameters = []
    for name, field in schema["properties"].items():
        shown = dict(field)
        description = shown.pop("description", None)
        parameter = {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "schema": shown,
        }
        parameters.append(parameter | ({"description": description} if description else {}))
    return parameters


def _responses(route: Route, schema_of: Mapping[str, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Success" if route.answer is not None else "No content"}
    if route.answer is not None:
        success["content"] = {"application/json": {"schema": schema_of[repr(route.answer)]}}
    failures = {401, *route.errors}
    if route.query is not None or route.body is not None:
        failures.add(400)
    if route.body is not None:
        failures.add(415)
    if route.parameters:
        failures.add(404)
    if route.method != "GET":
        failures.add(403)
    error = {"application/json": {"schema": schema_of[repr(Error)]}}
    return {str(route.status): success} | {
        str(status): {"description": ERRORS[status], "content": error} for status in sorted(failures)
    }
