"""A small service, its document and a log of it: names must be unique, numbers begin where it is told."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.serving import Call, Handler, serving

_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
_IID = {"name": "issue_iid", "in": "path", "required": True, "schema": {"type": "integer"}}
PROJECT = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
ISSUE = {
    "type": "object",
    "properties": {
        "iid": {"type": "integer"},
        "project_id": {"type": "integer"},
        "title": {"type": "string"},
    },
}


def _body(properties: dict, *required: str) -> dict:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answer(status: str, schema: dict) -> dict:
    return {status: {"description": "it", "content": {"application/json": {"schema": schema}}}}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/projects": {
            "post": {
                "operationId": "createProject",
                "requestBody": _body({"name": {"type": "string"}}, "name"),
                "responses": _answer("201", PROJECT),
            },
            "get": {
                "operationId": "listProjects",
                "responses": _answer("200", {"type": "array", "items": PROJECT}),
            },
        },
        "/projects/{id}": {
            "parameters": [_ID],
            "get": {"operationId": "getProject", "responses": _answer("200", PROJECT)},
        },
        "/projects/{id}/issues": {
            "parameters": [_ID],
            "post": {
                "operationId": "createIssue",
                "requestBody": _body({"title": {"type": "string"}}, "title"),
                "responses": _answer("201", ISSUE),
            },
        },
        "/projects/{id}/issues/{issue_iid}": {
            "parameters": [_ID, _IID],
            "get": {"responses": _answer("200", ISSUE)},
        },
        "/projects/{id}/issues/{issue_iid}/close": {
            "parameters": [_ID, _IID],
            "post": {"operationId": "closeIssue", "responses": _answer("200", ISSUE)},
        },
    },
}


def shop(first_id: int = 1, *, fault: bool = False) -> Handler:
    """The service. With a fault, closing an issue fails."""
    ids = itertools.count(first_id)
    projects: dict[int, dict] = {}
    issues: dict[tuple[int, int], dict] = {}

    def create(call: Call) -> tuple[int, object]:
        name = call.body.get("name")
        if not isinstance(name, str) or not name:
            return 400, {"message": "name is missing"}
        if any(one["name"] == name for one in projects.values()):
            return 409, {"message": "name has already been taken"}
        number = next(ids)
        projects[number] = {"id": number, "name": name}
        return 201, projects[number]

    def inside(call: Call, number: int) -> tuple[int, object]:
        match call.method, call.path[2:]:
            case "GET", ():
                return 200, projects[number]
            case "POST", ("issues",):
                if not isinstance(call.body.get("title"), str):
                    return 400, {"message": "title is missing"}
                iid = sum(project == number for project, _ in issues) + first_id
                issues[number, iid] = {"iid": iid, "project_id": number, "title": call.body["title"]}
                return 201, issues[number, iid]
            case method, ("issues", iid, *rest) if iid.isdigit() and (number, int(iid)) in issues:
                if method == "GET" and not rest:
                    return 200, issues[number, int(iid)]
                if method == "POST" and rest == ["close"]:
                    return (500, {"message": "boom"}) if fault else (200, issues[number, int(iid)])
        return 404, {"message": "not found"}

    def handle(call: Call) -> tuple[int, object]:
        if not call.user:
            return 401, {"message": "who are you?"}
        match call.method, call.path:
            case "GET", ("projects",):
                return 200, list(projects.values())
            case "POST", ("projects",):
                return create(call)
            case _, ("projects", number, *_) if number.isdigit() and int(number) in projects:
                return inside(call, int(number))
        return 404, {"message": "not found"}

    return handle


@contextmanager
def running(first_id: int = 1, *, fault: bool = False) -> Iterator[str]:
    with serving(shop(first_id, fault=fault)) as url:
        yield url


USERS = ("ann:secret-of-ann", "ben:secret-of-ben")


def variables(url: str) -> dict[str, str]:
    """What exported programs are told by the environment."""
    found = {"LOBREST_TARGET": url}
    for user in USERS:
        name = user.partition(":")[0]
        coded = base64.b64encode(user.encode()).decode()
        found[f"LOBREST_AUTH_{name.upper()}"] = f"Authorization: Basic {coded}"
    return found


def written(folder: Path) -> tuple[Path, Path]:
    """The document and a log: Ann makes projects, Ben writes and closes issues in them."""
    spec, log = folder / "openapi.json", folder / "access.log"
    spec.write_text(json.dumps(DOCUMENT))
    lines = []
    moment = itertools.count(1_767_600_000, 3)

    def line(
        user: str, method: str, path: str, status: int, body: object = None, answer: object = None
    ) -> None:
        told = {
            "start_time": next(moment),
            "method": method,
            "request_uri": path,
            "status": status,
            "user": user,
        }
        if body is not None:
            told |= {"request_body": json.dumps(body), "content_type": "application/json"}
        if answer is not None:
            told["response_body"] = json.dumps(answer)
        lines.append(json.dumps(told))

    for number in range(501, 507):
        name = f"catalogue-{number}"
        line("ann", "POST", "/projects", 201, {"name": name}, {"id": number, "name": name})
        line("ann", "GET", f"/projects/{number}", 200, None, {"id": number, "name": name})
        issue = {"iid": 7, "project_id": number, "title": "broken"}
        line("ann", "POST", f"/projects/{number}/issues", 201, {"title": "broken"}, issue)
        line("ann", "GET", f"/projects/{number}/issues/7", 200, None, issue)
        if number % 2:
            line("ann", "POST", f"/projects/{number}/issues/7/close", 200, {}, issue)
        next(moment), [next(moment) for _ in range(400)]
    log.write_text("\n".join(lines) + "\n")
    return spec, log
