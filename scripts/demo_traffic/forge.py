"""The running demo service, seen by its users."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from demo_traffic.schedule import Answer, Send


class Forge:
    """Sends requests, one after the other, and knows the declared templates."""

    def __init__(self, url: str, auth: Path) -> None:
        parts = urlsplit(url)
        self.base_path = parts.path
        self._connection = http.client.HTTPConnection(parts.netloc)
        users = json.loads(auth.read_text())["auth"]
        self._headers = {
            user["name"]: {h["name"]: h["value"] for h in user["fixedHeaders"]} for user in users
        }
        self._templates = self._read_templates()

    def send(self, request: Send) -> Answer:
        headers = dict(self._headers.get(request.user, {}))
        content = None
        if request.body is not None:
            content = json.dumps(request.body).encode()
            headers["Content-Type"] = "application/json"
        self._connection.request(request.method, self.base_path + target(request), content, headers)
        response = self._connection.getresponse()
        body = response.read()
        return Answer(response.status, json.loads(body) if body else None, len(body))

    def route(self, request: Send) -> str:
        """The template as GitLab writes it; a path that no operation has is `*path`."""
        segments = request.path.strip("/").split("/")
        for method, template in self._templates:
            declared = template.strip("/").split("/")
            if method == request.method and len(declared) == len(segments):
                pairs = zip(declared, segments, strict=True)
                if all(name.startswith("{") or name == segment for name, segment in pairs):
                    return "/api/:version" + template.replace("{", ":").replace("}", "")
        return "/api/:version/*path"

    def close(self) -> None:
        self._connection.close()

    def _read_templates(self) -> list[tuple[str, str]]:
        self._connection.request("GET", "/openapi.json")
        document: Mapping[str, Any] = json.loads(self._connection.getresponse().read())
        return [(method.upper(), path) for path, item in document["paths"].items() for method in item]


def target(request: Send) -> str:
    """Path and query as they go over the wire, below the base path."""
    query = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in request.query.items()
    }
    return request.path + ("?" + urlencode(query) if query else "")
