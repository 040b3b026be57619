"""Defects that no 5XX shows and that sit at the entrance: who is let in, and what answers look like."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lobrest.demo.declare import Route
from lobrest.demo.faults import Faults
from lobrest.demo.records import UserRecord
from lobrest.demo.state import State


def stand_in(route: Route, headers: Mapping[str, str], state: State, faults: Faults) -> UserRecord | None:
    """Who a request is taken to speak for although it has not logged in; usually nobody."""
    name = f"{route.method} {route.template}"
    credentials = headers.get("authorization", "")
    known = state.user_of_secret(credentials.partition(" ")[2].strip())
    if known is not None or headers.get("private-token"):
        return None
    root = state.users.get(1)
    if name == "GET /projects/{id}/hooks" and not credentials and faults.enabled("hooks-without-login"):
        return root
    if name == "GET /projects/{id}/labels" and credentials and faults.enabled("labels-with-any-login"):
        return root
    return None


def bent(
    route: Route, status: int, body: bytes, headers: Mapping[str, str], faults: Faults
) -> tuple[int, bytes, Mapping[str, str]]:
    """A success as a careless service would send it."""
    name = f"{route.method} {route.template}"
    if name == "POST /groups" and faults.enabled("group-accepted"):
        return 202, body, headers
    if name == "GET /tokens" and faults.enabled("tokens-as-text"):
        return status, body, {**headers, "Content-Type": "text/plain"}
    if name == "GET /projects/{id}/releases/{tag_name}" and faults.enabled("release-author-text"):
        release = msgspec.json.decode(body)
        return status, msgspec.json.encode({**release, "author_id": str(release["author_id"])}), headers
    if name == "GET /users/{user}" and faults.enabled("user-password-shown"):
        user = msgspec.json.decode(body)
        hashed = "$2b$12$" + "abcdefghij" * 5 + "abc"
        return status, msgspec.json.encode({**user, "password_hash": hashed}), headers
    if name == "GET /projects/{id}/repository/commits/{sha}" and faults.enabled("commit-trace"):
        commit = msgspec.json.decode(body)
        trace = 'Traceback (most recent call last):\n  File "/srv/smithy/commits.py", line 7'
        return status, msgspec.json.encode({**commit, "debug": trace}), headers
    return status, body, headers
