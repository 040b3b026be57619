"""The forge without sockets, and people who send requests to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest

from lobrest.demo.catalogue import MODULES
from lobrest.demo.company import founded, secret_of
from lobrest.demo.faults import parse_faults
from lobrest.demo.service import BASE_PATH, Request, Service
from lobrest.demo.state import State

IDS = {"root": 1, "alice": 2, "bob": 3, "carol": 4, "dave": 5, "erin": 6}
PROJECT = "/projects/1"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any
    headers: dict[str, str]


@dataclass(slots=True)
class Forge:
    """`asked` is every request so far, as `METHOD /template`."""

    service: Service
    state: State
    asked: list[str] = field(default_factory=list)

    def send(
        self, user: str, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **query: Any
    ) -> Answer:
        headers = {"authorization": f"Bearer {secret_of(self.state, user)}"} if user else {}
        content = raw if raw is not None else json.dumps(body).encode() if body is not None else b""
        if content:
            headers["content-type"] = "application/json"
        self.asked.append(f"{method} {template(method, path)}")
        reply = self.service.answer(Request(method, BASE_PATH + path, urlencode(query), headers, content))
        return Answer(reply.status, json.loads(reply.body) if reply.body else None, dict(reply.headers))

    def good(self, user: str, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The body of an answer that must be a success."""
        answer = self.send(user, method, path, body, **query)
        assert answer.status < 300, (method, path, answer)
        return answer.body

    def project(self, user: str = "alice", **settings: Any) -> Any:
        return self.good(user, "POST", "/projects", {"name": "shop", **settings})

    def member(self, name: str, role: str = "developer", by: str = "alice") -> Any:
        return self.good(by, "POST", f"{PROJECT}/members", {"user_id": IDS[name], "role": role})

    def push(self, user: str = "alice", branch: str = "feature", file: str = "a.txt") -> Any:
        actions = [{"action": "create", "file_path": file, "content": "x"}]
        body = {"branch": branch, "commit_message": "Add a file", "actions": actions}
        return self.good(user, "POST", f"{PROJECT}/repository/commits", body)

    def change(self, user: str = "alice") -> Any:
        """A branch with a commit, and a merge request for it: `!1` of the first project."""
        self.good(user, "POST", f"{PROJECT}/repository/branches", {"branch": "feature", "ref": "main"})
        self.push(user)
        body = {"title": "Feature", "source_branch": "feature", "target_branch": "main"}
        return self.good(user, "POST", f"{PROJECT}/merge_requests", body)


def template(method: str, path: str) -> str:
    segments = path.strip("/").split("/")
    for route in (route for module in MODULES for route in module.routes if route.method == method):
        pairs = zip(route.segments, segments, strict=False)
        if len(route.segments) == len(segments) and all(d.startswith("{") or d == s for d, s in pairs):
            return route.template
    return path


@pytest.fixture
def make_forge() -> Callable[..., Forge]:
    def make(faults: str = "off") -> Forge:
        state = founded()
        return Forge(Service(state, parse_faults(faults)), state)

    return make


@pytest.fixture
def forge(make_forge: Callable[..., Forge]) -> Forge:
    """Without planted defects."""
    return make_forge("off")
