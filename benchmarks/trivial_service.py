"""A service that costs next to nothing, with a specification and a log that look like those of a real one.

    python -m benchmarks.trivial_service            prints its address, then answers until standard input ends

Things in things: every collection is created in, listed, read, changed and deleted from. It remembers of a thing
where it was made and no more. What was not made there or is deleted is not found, and a body that is no JSON object
is refused, so that a client meets all kinds of answers.
``GET /requests`` says how many requests it was sent, and is not one of them.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from typing import Any, ClassVar

COLLECTIONS = (
    "teams",
    "projects",
    "teams/{team_id}/members",
    "projects/{project_id}/issues",
    "projects/{project_id}/issues/{issue_id}/notes",
    "projects/{project_id}/labels",
    "projects/{project_id}/milestones",
    "projects/{project_id}/releases",
    "projects/{project_id}/releases/{release_id}/assets",
    "projects/{project_id}/hooks",
    "projects/{project_id}/pipelines",
)


def specification(url: str) -> dict[str, Any]:
    """Five operations for each collection."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for collection in COLLECTIONS:
        plural = collection.rpartition("/")[2]
        kind = plural.removesuffix("s")
        name = kind.capitalize()
        schemas[name] = {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                **_FIELDS,
                "author": {"$ref": "#/components/schemas/User"},
            },
        }
        schemas[f"New{name}"] = {"type": "object", "required": ["title"], "properties": dict(_FIELDS)}
        inside = _parameters(collection)
        own = {"name": f"{kind}_id", "in": "path", "required": True, "schema": {"type": "integer"}}
        answer, body = f"#/components/schemas/{name}", f"#/components/schemas/New{name}"
        paths[f"/{collection}"] = {
            "get": _operation(plural, f"List {plural}", [*inside, *_PAGING], {"200": _list(answer)}),
            "post": _operation(plural, f"Create a {kind}", inside, {"201": _content(answer)}, body),
        }
        paths[f"/{collection}/{{{kind}_id}}"] = {
            "get": _operation(plural, f"Get a {kind}", [*inside, own], {"200": _content(answer)}),
            "patch": _operation(plural, f"Change a {kind}", [*inside, own], {"200": _content(answer)}, body),
            "delete": _operation(
                plural, f"Delete a {kind}", [*inside, own], {"204": {"description": "gone"}}
            ),
        }
    schemas["User"] = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "username": {"type": "string"}},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Trivial", "version": "1"},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": schemas},
    }


_FIELDS: dict[str, Any] = {
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "description": {"type": "string"},
    "state": {"type": "string", "enum": ["open", "closed"]},
    "weight": {"type": "integer", "minimum": 0, "maximum": 100},
    "tags": {"type": "array", "items": {"type": "string"}},
}
_PAGING: list[dict[str, Any]] = [
    {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}},
    {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["open", "closed", "all"]}},
]


def _parameters(collection: str) -> list[dict[str, Any]]:
    return [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "integer"}}
        for part in collection.split("/")
        if part.startswith("{")
    ]


def _operation(
    tag: str, summary: str, parameters: list[Any], answers: dict[str, Any], body: str = ""
) -> dict[str, Any]:
    written: dict[str, Any] = {"tags": [tag], "summary": summary, "parameters": parameters}
    written["responses"] = {**answers, "400": {"description": "wrong"}, "404": {"description": "not there"}}
    if body:
        written["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": body}}},
        }
    return written


def _content(reference: str) -> dict[str, Any]:
    return {"description": "it", "content": {"application/json": {"schema": {"$ref": reference}}}}


def _list(reference: str) -> dict[str, Any]:
    schema = {"type": "array", "items": {"$ref": reference}}
    return {"description": "them", "content": {"application/json": {"schema": schema}}}


def log_lines(*, days: int = 20, users: int = 6) -> Iterator[str]:
    """What some people did with it, one JSON object a line."""
    chance = random.Random(7)
    numbers = iter(range(100, 1_000_000))
    for day in range(days):
        for user in range(users):
            moment = 1_767_600_000.0 + 86_400 * day + 3_600 * user
            known: dict[str, int] = {}
            for collection in (*COLLECTIONS[:2], *chance.sample(COLLECTIONS[2:], 4)):
                where = "/" + "/".join(
                    str(known.setdefault(part, next(numbers))) if part.startswith("{") else part
                    for part in collection.split("/")
                )
                kind = collection.rpartition("/")[2].removesuffix("s")
                number = next(numbers)
                known[f"{{{kind}_id}}"] = number
                body = {
                    "title": f"{kind} of {user}",
                    "state": chance.choice(["open", "closed"]),
                    "weight": day,
                }
                steps: list[tuple[str, str, int, dict[str, object] | None]] = [
                    ("POST", where, 201, body),
                    ("GET", f"{where}/{number}", 200, None),
                    ("GET", f"{where}?page={1 + day % 3}", 200, None),
                    ("PATCH", f"{where}/{number}", 200, {"title": f"better {kind}", "tags": ["a", "b"]}),
                    ("DELETE", f"{where}/{number}", 204, None),
                ]
                last = 5 if kind in ("note", "asset", "hook") else chance.randint(2, 4)
                for method, path, status, sent in steps[:last]:
                    moment += chance.uniform(0.5, 9.0)
                    line = {
                        "time": moment,
                        "method": method,
                        "path": path,
                        "status": status,
                        "user": f"user{user}",
                    }
                    answered = {"id": number, **(sent or {})} if status != 204 else None
                    yield json.dumps({**line, "request_body": sent, "response_body": answered})


class TrivialService(asyncio.Protocol):
    """One connection. Requests must come one at a time, with a Content-Length where they have a body."""

    requests = 0
    identity = 1000
    things: ClassVar[dict[bytes, bytes]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            _, found, length = head.lower().partition(b"\r\ncontent-length:")
            size = int(length.split(b"\r\n", 1)[0]) if found else 0
            if len(rest) < size:
                return
            self._buffer = rest[size:]
            method, _, more = head.partition(b" ")
            status, answer = self._answer(method, more.partition(b" ")[0], rest[:size])
            self._transport.write(_HEAD % (status, len(answer), b"" if method == b"HEAD" else answer))

    def _answer(self, method: bytes, target: bytes, body: bytes) -> tuple[int, bytes]:
        if target == b"/requests":
            return 200, b"%d" % TrivialService.requests
        TrivialService.requests += 1
        place = target.partition(b"?")[0].strip(b"/")
        where, _, name = place.rpartition(b"/")
        thing = place.count(b"/") % 2 == 1
        inside, _, outer = (place if thing else where).rpartition(b"/")
        if outer and self.things.get(outer) != inside:
            return 404, b'{"message": "404 not found"}'
        if method == b"DELETE" and thing:
            del self.things[name]
            return 204, b""
        if method in (b"POST", b"PATCH") and not (body.startswith(b"{") and body.endswith(b"}")):
            return 400, b'{"message": "the body is no object"}'
        if thing:
            return 200, _THING % (name, name)
        if method != b"POST":
            return 200, b"[]"
        TrivialService.identity += 1
        new = b"%d" % TrivialService.identity
        self.things[new] = place
        return 201, _THING % (new, new)


_HEAD = (
    b"HTTP/1.1 %d Fine\r\nContent-Type: application/json\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    b"Server: trivial\r\nX-Request-Id: 6e1f2a\r\nContent-Length: %d\r\n\r\n%b"
)
_THING = (
    b'{"id": %b, "title": "a thing", "description": "", "state": "open", "weight": 3, "tags": ["a", "b"],'
    b' "web_url": "http://trivial/things/%b", "created_at": "2026-01-01T00:00:00Z",'
    b' "author": {"id": 1, "username": "ann"}}'
)


async def serve() -> None:
    """Print the address, then answer until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(TrivialService, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
