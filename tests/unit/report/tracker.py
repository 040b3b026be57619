"""A small tracker with one bug, on loopback: reproducers are proved by running them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from lobrest.model.exchange import Exchange, Request, Response

AUTHORISATION = {"alice": "Bearer alice-secret", "bob": "Bearer bob-secret"}


@dataclass
class Tracker:
    """Projects with issues; closing an issue twice with a reason is the bug."""

    first_id: int
    fault: bool
    projects: dict[str, str] = field(default_factory=dict)
    issues: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, method: str, target: str, user: str, body: bytes) -> tuple[int, object, dict[str, str]]:
        self.log.append((method, target))
        if user not in AUTHORISATION.values():
            return 401, {"message": "401 Unauthorized"}, {}
        url = urlsplit(target)
        path = [unquote(part) for part in url.path.split("/")[2:]]
        try:
            fields = json.loads(body) if body else {}
        except ValueError:
            return 400, {"message": "broken JSON"}, {}
        match (method, *path):
            case ("POST", "projects"):
                if fields["name"] in self.projects.values():
                    return 409, {"message": "name has already been taken"}, {}
                number = str(self.first_id + 7 * len(self.projects))
                self.projects[number] = fields["name"]
                return (
                    201,
                    {"id": int(number), "name": fields["name"], "owner": {"id": 1, "login": "alice"}},
                    {},
                )
            case ("POST", "projects", project, "issues") if project in self.projects:
                number = str(len(self.issues) + self.first_id)
                self.issues[(project, number)] = {"closed": 0, "token": "glpat-not-for-others"}
                return 201, None, {"Location": f"/api/projects/{project}/issues/{number}?x=1"}
            case ("POST", "projects", project, "issues", issue, "close") if (project, issue) in self.issues:
                return self._close(self.issues[(project, issue)], fields, parse_qs(url.query))
        return 404, {"message": "404 Not Found"}, {}

    def _close(
        self, issue: dict[str, object], fields: dict[str, object], query: dict[str, list[str]]
    ) -> tuple[int, object, dict[str, str]]:
        if fields.get("project_id") not in map(int, self.projects):
            return 422, {"message": "project_id is wrong"}, {}
        issue["closed"] = int(str(issue["closed"])) + 1
        if self.fault and issue["closed"] == 2 and fields.get("reason") == "it's “done”" and query:
            return 500, {"message": "500 Internal Server Error", "error": "KeyError: 'closed_by'"}, {}
        return 200, {"state": "closed"}, {}


@dataclass(frozen=True)
class Running:
    """A tracker that answers at a URL."""

    url: str
    tracker: Tracker


Start = Callable[..., Running]


def serve(tracker: Tracker) -> tuple[ThreadingHTTPServer, Running]:
    """Answer for the tracker on a free port until the server is shut down."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            user = self.headers.get("Authorization") or ""
            status, value, headers = tracker.answer(self.command, self.path, user, body)
            content = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server, Running(f"http://127.0.0.1:{server.server_address[1]}", tracker)


def record(running: Running, request: Request) -> Exchange:
    """Send a request as its actor and keep what came of it."""
    connection = HTTPConnection(running.url.removeprefix("http://"), timeout=10)
    headers = dict(request.headers)
    if request.actor:
        headers["Authorization"] = AUTHORISATION[request.actor]
    connection.request(request.method, request.target, request.body, headers)
    answer = connection.getresponse()
    response = Response(answer.status, tuple(answer.getheaders()), answer.read())
    connection.close()
    return Exchange(request, response)
