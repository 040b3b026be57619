"""Scripted people: their requests in virtual time, and the logs of it."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from benchmarks.bench.casts.stage import Cast, Scene, Step, play, write_logs


class Shop(BaseHTTPRequestHandler):
    """Gives every order a number, and forgets it."""

    made = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Shop.made += 1
        self.answer(201, {"id": Shop.made})

    def do_GET(self) -> None:
        self.answer(404, {"message": "gone"})

    def answer(self, status: int, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def order(chance: random.Random, number: int) -> Scene:
    made = yield Step("POST", "/orders", {"sku": f"s{number}"})
    yield Step("GET", f"/orders/{made.value['id']}")


def test_scenes_of_several_people_interleave_and_use_answers(shop: str, tmp_path: Path) -> None:
    lines = play(Cast({"ana": (order,), "ben": (order,)}, rounds=3), shop)
    assert len(lines) == 12
    assert [line.at for line in lines] == sorted(line.at for line in lines)
    assert {line.step.path for line in lines if line.step.method == "GET"} == {
        f"/orders/{n}" for n in range(1, 7)
    }
    write_logs(lines, "/api", tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "cast.json.log").read_text().splitlines()]
    assert rows[0]["request_uri"] == "/api/orders"
    assert json.loads(rows[0]["request_body"])["sku"].startswith("s")
    combined = (tmp_path / "cast.combined.log").read_text().splitlines()
    assert '"POST /api/orders HTTP/1.1" 201' in combined[0]
