"""The program, a demo service, and a small service with one fault."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.unit.cli.commands import Commands

from lobrest.demo import DemoProcess

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "small", "version": "1"},
    "paths": {
        "/things": {
            "get": {"responses": {"200": {"description": "all"}}},
            "post": {"responses": {"201": {"description": "one"}}},
        },
        "/things/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {"responses": {"200": {"description": "one"}}},
        },
    },
}


@dataclass(frozen=True, slots=True)
class Small:
    """A service with a document; with a fault, reading a thing fails."""

    url: str
    spec: Path


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fault = False

    def do_GET(self) -> None:
        single = self.path.rstrip("/").count("/") > 1
        self._answer(500 if single and self.fault else 200, {"message": "boom"} if single else [{"id": 1}])

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(201, {"id": 1})

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def _serving(folder: Path, *, fault: bool) -> tuple[ThreadingHTTPServer, Small]:
    handler = type("Handler", (_Handler,), {"fault": fault})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    spec = folder / "small.json"
    spec.write_text(json.dumps(DOCUMENT))
    return server, Small(f"http://127.0.0.1:{server.server_port}", spec)


@pytest.fixture(scope="session")
def lobrest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    commands = Commands(tmp_path_factory.mktemp("commands"))
    yield commands
    commands.close()


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    server, small = _serving(tmp_path_factory.mktemp("sound"), fault=False)
    yield small
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    server, small = _serving(tmp_path_factory.mktemp("faulty"), fault=True)
    yield small
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def demo() -> Iterator[DemoProcess]:
    with DemoProcess() as running:
        yield running


@pytest.fixture(scope="session")
def log(demo: DemoProcess) -> Path:
    """The shipped log with bodies."""
    return next(one for one in demo.logs if "json" in one.name)
