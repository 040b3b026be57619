"""One request in, one answer out: routing, authentication, decoding, the handler, its errors. No sockets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from lobrest.demo.catalogue import MODULES
from lobrest.demo.declare import Call, Route
from lobrest.demo.decode import decode_body, decode_query
from lobrest.demo.document import openapi_document
from lobrest.demo.faults import Faults
from lobrest.demo.quiet import bent, stand_in
from lobrest.demo.records import UserRecord
from lobrest.demo.refusal import Refusal, bad_request, not_found, unauthorized
from lobrest.demo.state import State

BASE_PATH: Final = "/api/v1"


@dataclass(frozen=True, slots=True)
class Request:
    """What a server has read: `path` still percent-encoded, header names in lower case."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes
    headers: Mapping[str, str]


class Service:
    """The forge behind its one entrance, `answer`."""

    def __init__(self, state: State, faults: Faults) -> None:
        self._state = state
        self._faults = faults
        self._routes: defaultdict[int, list[tuple[tuple[str, ...], Route]]] = defaultdict(list)
        for route in (route for module in MODULES for route in module.routes):
            self._routes[len(route.segments)].append((route.segments, route))
        for routes in self._routes.values():  # literal beats parameter
            routes.sort(key=lambda pair: [segment.startswith("{") for segment in pair[0]])

    def document(self, server: str) -> dict[str, Any]:
        return openapi_document(MODULES, server + BASE_PATH)

    def answer(self, request: Request) -> Reply:
        """Never raises: whatever a handler did not foresee is an internal server error."""
        try:
            return self._answer(request)
        except Refusal as refusal:
            return _reply(refusal.status, refusal.payload, refusal.headers)
        except Exception as error:  # noqa: BLE001 - the outermost edge of a server: a defect answers 500
            return _reply(500, {"message": "500 Internal Server Error", "error": _name_and_text(error)}, {})

    def _answer(self, request: Request) -> Reply:
        route, path = self._find(request)
        user = stand_in(route, request.headers, self._state, self._faults) or self._user(request)
        query = decode_query(request.query, route.query) if route.query else None
        body = None
        if route.body is not None:
            media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            body = decode_body(request.body, media_type, route.body)
        call: Call[Any, Any] = Call(self._state, self._faults, user, path, query, body)
        result = route.handler(call)
        if route.answer is None:
            return Reply(route.status, b"", call.answer_headers)
        return _bent(route, _reply(route.status, result, call.answer_headers), self._faults)

    def _find(self, request: Request) -> tuple[Route, dict[str, str]]:
        prefix, _, rest = request.path.partition(BASE_PATH + "/")
        if prefix or not rest:
            raise not_found("Page")
        segments = rest.rstrip("/").split("/")
        matches = [
            (route, values)
            for declared, route in self._routes.get(len(segments), ())
            if (values := _match(declared, segments)) is not None
        ]
        if not matches:
            raise not_found("Page")
        method = "GET" if request.method == "HEAD" else request.method
        for route, values in matches:
            if route.method == method:
                return route, values
        allowed = ", ".join(sorted({route.method for route, _ in matches}))
        raise Refusal(405, {"error": "405 Not Allowed"}, {"Allow": allowed})

    def _user(self, request: Request) -> UserRecord:
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        secret = (
            credentials.strip() if scheme.lower() == "bearer" else request.headers.get("private-token", "")
        )
        user = self._state.user_of_secret(secret)
        if user is None:
            raise unauthorized()
        return user


def _bent(route: Route, reply: Reply, faults: Faults) -> Reply:
    status, body, headers = bent(route, reply.status, reply.body, reply.headers, faults)
    return Reply(status, body, headers)


def _match(declared: tuple[str, ...], given: list[str]) -> dict[str, str] | None:
    values = {}
    for pattern, segment in zip(declared, given, strict=True):
        if not pattern.startswith("{"):
            if pattern != segment:
                return None
        elif segment:
            values[pattern[1:-1]] = _decoded(segment)
        else:
            return None
    return values


def _decoded(segment: str) -> str:
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError as error:
        raise bad_request("path is not valid UTF-8") from error


def _reply(status: int, payload: object, headers: Mapping[str, str]) -> Reply:
    return Reply(status, msgspec.json.encode(payload), {**headers, "Content-Type": "application/json"})


def _name_and_text(error: Exception) -> str:
    kind = type(error)
    foreign = kind.__module__ != "builtins" and not kind.__module__.startswith("lobrest.")
    return f"{kind.__module__}.{kind.__name__}: {error}" if foreign else f"{kind.__name__}: {error}"
