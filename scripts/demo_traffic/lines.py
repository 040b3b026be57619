"""What the servers in front of and behind the API write about a request."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SECRET = frozenset({"password", "token", "private_token"})


@dataclass(frozen=True, slots=True)
class Visit:
    """One request as the logs see it. `route` is None for what never reaches the API."""

    start: float
    duration: float
    method: str
    target: str
    status: int
    size: int
    address: str
    agent: str
    route: str | None = None
    path: str = ""
    params: tuple[tuple[str, Any], ...] = ()
    user_id: int | None = None
    username: str | None = None
    project: str | None = None
    correlation: str = ""
    scenario: str = ""

    @property
    def end(self) -> float:
        return self.start + self.duration


def api_line(visit: Visit) -> str:
    """GitLab's api_json.log: query and body merged, path parameters only in the path, time of the end."""
    assert visit.route is not None
    line: dict[str, Any] = {
        "time": moment(visit.end).strftime("%Y-%m-%dT%H:%M:%S.")
        + f"{moment(visit.end).microsecond // 1000:03d}Z",
        "severity": "INFO",
        "duration_s": round(visit.duration, 5),
        "db_duration_s": round(visit.duration * 0.3, 5),
        "view_duration_s": round(visit.duration * 0.7, 5),
        "status": visit.status,
        "method": visit.method,
        "path": visit.path,
        "params": [{"key": key, "value": filtered(key, value)} for key, value in visit.params],
        "host": "forge.smithy.example",
        "remote_ip": visit.address,
        "ua": visit.agent,
        "route": visit.route,
    }
    meta: dict[str, Any] = {
        "meta.caller_id": f"{visit.method} {visit.route}",
        "meta.remote_ip": visit.address,
    }
    if visit.user_id is not None:
        line |= {"user_id": visit.user_id, "username": visit.username}
        line |= {"token_type": "PersonalAccessToken", "token_id": visit.user_id}
        meta |= {"meta.user": visit.username, "meta.user_id": visit.user_id}
    if visit.project is not None:
        meta |= {"meta.project": visit.project, "meta.root_namespace": visit.project.partition("/")[0]}
    meta["meta.client_id"] = f"user/{visit.user_id}" if visit.user_id is not None else f"ip/{visit.address}"
    line |= {"correlation_id": visit.correlation} | meta
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def filtered(key: str, value: Any) -> Any:
    if key in SECRET:
        return "[FILTERED]"
    if isinstance(value, Mapping):
        return {name: filtered(name, inner) for name, inner in value.items()}
    return value


def access_line(visit: Visit) -> str:
    """nginx, combined format."""
    time = moment(visit.end).strftime("%d/%b/%Y:%H:%M:%S +0000")
    request = f"{visit.method} {visit.target} HTTP/1.1"
    return f'{visit.address} - - [{time}] "{request}" {visit.status} {visit.size} "-" "{visit.agent}"'


def moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(round(seconds, 3), datetime.UTC)
