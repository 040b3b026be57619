"""A small service for tests of the log readers: its document, its resources, and lines of its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lobrest.logs import LogReader, LogTable
from lobrest.model.operation import ApiSpec, Location, OperationId, ParameterRef
from lobrest.model.resource import (
    Binding,
    Creation,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)
from lobrest.spec import Router, load_spec

PROJECTS = ResourceName("/projects")
ISSUES = ResourceName("/projects/{id}/issues")
BRANCHES = ResourceName("/projects/{id}/branches")
LABELS = ResourceName("/projects/{id}/labels")
REPOS = ResourceName("/repos")
PEOPLE = ResourceName("/people")


def _operation(
    *names: str, body: Mapping[str, str] | None = None, query: Iterable[str] = ()
) -> dict[str, Any]:
    held: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
        + [{"name": name, "in": "query", "schema": {"type": "string"}} for name in query],
        "responses": {"200": {"description": "fine"}},
    }
    if body is not None:
        properties = {name: {"type": kind} for name, kind in body.items()}
        held["requestBody"] = {
            "content": {"application/json": {"schema": {"type": "object", "properties": properties}}}
        }
    return held


PATHS: dict[str, Any] = {
    "/projects": {
        "get": _operation(query=("search", "page")),
        "post": _operation(body={"name": "string", "public": "boolean", "size": "integer"}),
    },
    "/projects/{id}": {
        "get": _operation("id"),
        "patch": _operation("id", body={"path": "string"}),
        "delete": _operation("id"),
    },
    "/projects/{id}/issues": {
        "get": _operation("id", query=("label",)),
        "post": _operation("id", body={"title": "string"}),
    },
    "/projects/{id}/issues/{iid}": {
        "get": _operation("id", "iid"),
        "put": _operation("id", "iid", body={"state": "string"}),
    },
    "/projects/{id}/branches": {"post": _operation("id", body={"branch": "string", "ref": "string"})},
    "/projects/{id}/branches/{branch}": {"get": _operation("id", "branch")},
    "/projects/{id}/merges": {
        "post": _operation("id", body={"source": "string", "target": "string", "reviewers": "array"})
    },
    "/projects/{id}/labels/{name}": {
        "put": _operation("id", "name", body={"color": "string"}),
        "get": _operation("id", "name"),
    },
    "/repos": {"post": _operation(body={"name": "string"})},
    "/repos/{owner}/{repo}": {
        "get": _operation("owner", "repo"),
        "patch": _operation("owner", "repo", body={"name": "string"}),
    },
    "/people/{person}": {"get": _operation("person")},
    "/login": {"post": _operation(body={"email": "string", "password": "string"})},
}


def spec() -> ApiSpec:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "forge", "version": "1"},
        "servers": [{"url": "/api"}],
        "paths": PATHS,
    }
    return load_spec(json.dumps(document).encode(), name="forge")


def _needs(
    operation: str, name: str, resource: ResourceName, *bindings: Binding, place: Location = Location.PATH
) -> Dependency:
    return Dependency(ParameterRef(OperationId(operation), place, name), resource, bindings)


def model() -> ResourceModel:
    identity = (Binding(Source.RESPONSE, "id"),)
    by_path = (Binding(Source.RESPONSE, "path"),)
    number = (Binding(Source.RESPONSE, "iid"), Binding(Source.RESPONSE, "id"))
    named = (Binding(Source.RESPONSE, "name"), Binding(Source.REQUEST, "body/branch"))
    repo = (Binding(Source.RESPONSE, "name"), Binding(Source.REQUEST, "body/name"))
    owner = (Binding(Source.RESPONSE, "owner/login"),)
    needs = [
        _needs("GET /projects/{id}", "id", PROJECTS, *identity),
        _needs("PATCH /projects/{id}", "id", PROJECTS, *by_path),
        _needs("DELETE /projects/{id}", "id", PROJECTS, *identity),
        *(
            _needs(operation, "id", PROJECTS, *identity)
            for operation in (
                "GET /projects/{id}/issues", "POST /projects/{id}/issues", "GET /projects/{id}/issues/{iid}",
                "PUT /projects/{id}/issues/{iid}", "POST /projects/{id}/branches",
                "GET /projects/{id}/branches/{branch}",
                "POST /projects/{id}/merges", "PUT /projects/{id}/labels/{name}", "GET /projects/{id}/labels/{name}",
            )
        ),
        _needs("GET /projects/{id}/issues", "label", LABELS, place=Location.QUERY),
        _needs("GET /projects/{id}/issues/{iid}", "iid", ISSUES, *number),
        _needs("PUT /projects/{id}/issues/{iid}", "iid", ISSUES, *number),
        _needs("GET /projects/{id}/branches/{branch}", "branch", BRANCHES, *named),
        _needs("POST /projects/{id}/merges", "source", BRANCHES, *named, place=Location.BODY),
        _needs("POST /projects/{id}/merges", "target", BRANCHES, *named, place=Location.BODY),
        _needs("POST /projects/{id}/merges", "reviewers/*", PEOPLE, place=Location.BODY),
        _needs("GET /projects/{id}/labels/{name}", "name", LABELS),
        _needs("GET /repos/{owner}/{repo}", "owner", PEOPLE, *owner),
        _needs("GET /repos/{owner}/{repo}", "repo", REPOS, *repo),
        _needs("PATCH /repos/{owner}/{repo}", "owner", PEOPLE, *owner),
        _needs("PATCH /repos/{owner}/{repo}", "repo", REPOS, *repo),
        _needs("GET /people/{person}", "person", PEOPLE),
    ]  # fmt: skip
    label = OperationId("PUT /projects/{id}/labels/{name}")
    creations = [
        Creation(OperationId("POST /projects"), PROJECTS),
        Creation(OperationId("POST /projects/{id}/issues"), ISSUES),
        Creation(OperationId("POST /projects/{id}/branches"), BRANCHES),
        Creation(OperationId("POST /repos"), REPOS),
        Creation(label, LABELS, identified_by=(ParameterRef(label, Location.PATH, "name"),)),
    ]
    resources = [
        Resource(PROJECTS), Resource(ISSUES, PROJECTS), Resource(BRANCHES, PROJECTS), Resource(LABELS, PROJECTS),
        Resource(REPOS), Resource(PEOPLE),
    ]  # fmt: skip
    return ResourceModel(
        "forge",
        {resource.name: resource for resource in resources},
        {creation.operation: creation for creation in creations},
        {OperationId("GET /projects"): Retrieval(OperationId("GET /projects"), PROJECTS)},
        {dependency.parameter: dependency for dependency in needs},
        frozenset({PEOPLE}),
    )


def line(
    method: str, path: str, status: int = 200, *, at: float = 0.0, user: str = "ann", **more: Any
) -> bytes:
    """A JSON line as many services write it; ``at`` is seconds after a fixed moment."""
    held = {
        "ts": 1_700_000_000 + at, "method": method, "uri": path, "status": status, "user": user, "ip": "10.0.0.1",
        "ua": "test/1", "body": "", "ct": "",
    }  # fmt: skip
    held.update(more)
    if isinstance(held["body"], dict | list):
        held["body"], held["ct"] = json.dumps(held["body"]), "application/json"
    if isinstance(held.get("response_body"), dict | list):
        held["response_body"] = json.dumps(held["response_body"])
    return json.dumps(held).encode()


def reader(**more: Any) -> LogReader:
    document = spec()
    return LogReader(document, Router(document), model(), user_key=b"secret key", **more)


def table(*lines: bytes, **more: Any) -> LogTable:
    """The lines of one file, read."""
    held = reader(**more)
    held.feed("a.log", [b"\n".join(lines) + b"\n"])
    return held.finish()


def shown(log: LogTable, index: int) -> dict[str, str]:
    """What a request uses: parameter → ``value@scope@…``."""
    return {ref.pointer: trail(instance) for ref, instance in log.entry(index).uses.items()}


def trail(instance: Any) -> str:
    return "@".join([instance.value, *(above.value for above in instance.ancestors())])
