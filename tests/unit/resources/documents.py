"""Small documents for the tests of the analysis."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lobrest.model.operation import ApiSpec, Json
from lobrest.spec import load_spec


def answer(schema: Json, status: str = "200") -> Json:
    """Responses with one JSON answer."""
    return {status: {"description": "", "content": {"application/json": {"schema": schema}}}}


def ref(name: str) -> Json:
    """A reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def many(name: str) -> Json:
    """An array of a named schema."""
    return {"type": "array", "items": ref(name)}


def body(properties: Mapping[str, Json], required: tuple[str, ...] = ()) -> Json:
    """A JSON request body."""
    schema: Json = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {"content": {"application/json": {"schema": schema}}}


def thing(**properties: str) -> Json:
    """An object schema from names and types."""
    return {
        "type": "object",
        "properties": {
            name: ref(kind[1:]) if kind.startswith("@") else {"type": kind}
            for name, kind in properties.items()
        },
    }


def api(operations: Mapping[str, Mapping[str, Json]], **schemas: Json) -> ApiSpec:
    """A specification from ``"METHOD /path"`` → operation."""
    paths: dict[str, dict[str, Json]] = {}
    for name, operation in operations.items():
        method, template = name.split(" ", 1)
        paths.setdefault(template, {})[method.lower()] = {
            "responses": {"200": {"description": ""}},
            **operation,
        }
    document: Json = {
        "openapi": "3.0.3",
        "info": {"title": "test", "version": "1"},
        "paths": dict(paths),
        "components": {"schemas": dict(schemas)},
    }
    return load_spec(json.dumps(document).encode())


def forge() -> ApiSpec:
    """A service with most of what real ones do: owners, forks, links, searches, sequences."""
    repository = thing(
        id="integer", name="string", full_name="string", owner="@User", default_branch="string"
    )
    return api(
        {
            "POST /admin/users": {
                "summary": "Create a user",
                "requestBody": body(
                    {
                        "username": {"type": "string"},
                        "email": {"type": "string"},
                        "password": {"type": "string"},
                    },
                    ("username",),
                ),
                "responses": answer(ref("User"), "201"),
            },
            "GET /users/search": {"summary": "Search users", "responses": answer(many("User"))},
            "GET /users/{username}": {"responses": answer(ref("User"))},
            "PATCH /admin/users/{username}": {"responses": answer(ref("User"))},
            "GET /user": {"responses": answer(ref("User"))},
            "POST /user/repos": {
                "summary": "Create a repository",
                "requestBody": body({"name": {"type": "string"}, "private": {"type": "boolean"}}, ("name",)),
                "responses": answer(ref("Repository"), "201"),
            },
            "GET /user/repos": {"responses": answer(many("Repository"))},
            "GET /users/{username}/repos": {"responses": answer(many("Repository"))},
            "GET /repos/{owner}/{repo}": {"responses": answer(ref("Repository"))},
            "DELETE /repos/{owner}/{repo}": {},
            "PATCH /repos/{owner}/{repo}": {
                "requestBody": body({"default_branch": {"type": "string"}, "name": {"type": "string"}}),
                "responses": answer(ref("Repository")),
            },
            "POST /repos/{owner}/{repo}/forks": {
                "summary": "Fork a repository",
                "requestBody": body({"name": {"type": "string"}}),
                "responses": answer(ref("Repository"), "202"),
            },
            "POST /repos/{owner}/{repo}/transfer": {
                "summary": "Transfer a repository",
                "requestBody": body({"new_owner": {"type": "string"}}),
                "responses": answer(ref("Repository"), "202"),
            },
            "GET /repos/{owner}/{repo}/branches": {"responses": answer(many("Branch"))},
            "GET /repos/{owner}/{repo}/branches/{branch}": {"responses": answer(ref("Branch"))},
            "POST /repos/{owner}/{repo}/branches": {
                "summary": "Create a branch",
                "requestBody": body(
                    {"new_branch_name": {"type": "string"}, "old_branch_name": {"type": "string"}},
                    ("new_branch_name",),
                ),
                "responses": answer(ref("Branch"), "201"),
            },
            "GET /repos/{owner}/{repo}/issues": {
                "parameters": [
                    {"name": "created_by", "in": "query", "schema": {"type": "string"}},
                    {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["a", "b"]}},
                ],
                "responses": answer(many("Issue")),
            },
            "POST /repos/{owner}/{repo}/issues": {
                "summary": "Create an issue",
                "requestBody": body(
                    {
                        "title": {"type": "string"},
                        "assignees": {"type": "array", "items": {"type": "string"}},
                        "milestone": {"type": "integer"},
                        "base": {"type": "string", "description": "The base branch for the issue"},
                        "due": {"type": "string", "format": "date-time"},
                    },
                    ("title",),
                ),
                "responses": answer(ref("Issue"), "201"),
            },
            "GET /repos/{owner}/{repo}/issues/{index}": {
                "parameters": [
                    {"name": "index", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": answer(ref("Issue")),
            },
            "POST /repos/{owner}/{repo}/issues/{index}/lock": {
                "summary": "Lock an issue",
                "responses": {"204": {"description": ""}},
            },
            "GET /repos/{owner}/{repo}/milestones": {"responses": answer(many("Milestone"))},
            "POST /repos/{owner}/{repo}/milestones": {"responses": answer(ref("Milestone"), "201")},
            "GET /repos/{owner}/{repo}/milestones/{id}": {"responses": answer(ref("Milestone"))},
            "GET /repos/{owner}/{repo}/collaborators": {"responses": answer(many("User"))},
            "PUT /repos/{owner}/{repo}/collaborators/{collaborator}": {"summary": "Add a collaborator"},
            "DELETE /repos/{owner}/{repo}/collaborators/{collaborator}": {},
        },
        User=thing(id="integer", login="string", email="string"),
        Repository=repository,
        Branch=thing(name="string", protected="boolean"),
        Issue=thing(id="integer", number="integer", title="string", user="@User", milestone="@Milestone"),
        Milestone=thing(id="integer", title="string"),
    )
