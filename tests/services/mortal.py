"""A service that one request takes down, as a process of its own: ``python mortal.py PORT``.

Everything is in memory and gone after a restart. ``GET /reports`` answers 503 while the rest is well.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

THINGS: dict[str, bool] = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.act()

    do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_GET

    def act(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = [part for part in self.path.partition("?")[0].split("/") if part]
        match self.command, path:
            case "POST", ["things"]:
                number = str(10 + len(THINGS))
                THINGS[number] = True
                self.say(201, {"id": int(number)})
            case "POST", ["things", number, "polish"] if number in THINGS:
                os._exit(1)
            case "GET", ["things", number] if number in THINGS:
                self.say(200, {"id": int(number)})
            case "GET", ["things"]:
                self.say(200, [{"id": int(number)} for number in THINGS])
            case "GET", ["reports"]:
                self.say(503, {"message": "the printer is on fire"})
            case _:
                self.say(404, {"message": "not here"})

    def say(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer.allow_reuse_address = True
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
