"""The recording proxy, with real connections."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.unit.export import shop

import lobrest
from lobrest.app.record import LogFile, Recorder, RecordOrder, parse_listen
from lobrest.errors import StoreError, UsageError


@contextmanager
def recording(upstream: str, out: Path, **rest: object) -> Iterator[tuple[str, Recorder]]:
    """The proxy in a thread of its own."""
    recorder = Recorder(RecordOrder(upstream, "127.0.0.1", 0, out, b"k" * 32, **rest))  # type: ignore[arg-type]
    found: list[str] = []
    ready = threading.Event()
    stop: list[Callable[[], None]] = []

    async def serve() -> None:
        event, loop = asyncio.Event(), asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(event.set))
        await recorder.serve(ready=lambda url: (found.append(url), ready.set())[0], stop=event)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(20)
    try:
        yield found[0], recorder
    finally:
        stop[0]()
        thread.join()


@contextmanager
def raw_service(answer: Callable[[bytes], bytes]) -> Iterator[str]:
    """A service that answers each connection's first bytes with bytes, then closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                data = connection.recv(65_536)
                while b"\r\n\r\n" not in data:
                    data += connection.recv(65_536)
                connection.sendall(answer(data))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def asked(url: str, method: str, path: str, **rest: object) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request(method, path, **rest)  # type: ignore[arg-type]
        got = connection.getresponse()
        return got.status, {name.lower(): value for name, value in got.getheaders()}, got.read()
    finally:
        connection.close()


def test_what_was_recorded_is_mined(tmp_path: Path):
    """Requests pass as they are, on one connection, and lobrest reads what was written."""
    spec, _ = shop.written(tmp_path)
    out = tmp_path / "recorded.log"
    with shop.running(first_id=5) as upstream, recording(upstream, out) as (url, recorder):
        ann = dict([shop.variables(url)["LOBREST_AUTH_ANN"].split(": ", 1)])
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        for name in ("one", "two"):
            headers = {**ann, "Content-Type": "application/json"}
            connection.request("POST", "/projects", json.dumps({"name": name}), headers)
            project = json.loads(connection.getresponse().read())["id"]
            chunks = iter([b'{"title": ', b'"broken"}'])  # chunked
            connection.request("POST", f"/projects/{project}/issues", chunks, headers, encode_chunked=True)
            issue = json.loads(connection.getresponse().read())["iid"]
            connection.request("GET", f"/projects/{project}/issues/{issue}", headers=ann)
            assert connection.getresponse().read()
        connection.close()
    assert recorder.recorded == 6
    assert "secret-of-ann" not in out.read_text()
    mined = lobrest.mine(spec, out)
    entries = [entry for flow in mined.flows for entry in flow.entries]
    assert len(entries) == 6
    assert len({entry.user for entry in entries}) == 1
    assert all(entry.creates is not None for entry in entries if entry.operation.startswith("POST"))


def test_head_gzip_and_no_content(tmp_path: Path):
    packed = gzip.compress(b'{"id": 1}')

    def answer(data: bytes) -> bytes:
        if data.startswith(b"HEAD"):
            return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n"
        if data.startswith(b"DELETE"):
            return b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: 1\r\nX-A: 2\r\n\r\n"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        return head + f"Content-Length: {len(packed)}\r\n\r\n".encode() + packed

    out = tmp_path / "r.log"
    with raw_service(answer) as upstream, recording(upstream, out) as (url, _):
        status, headers, content = asked(url, "HEAD", "/a")
        assert (status, headers["content-length"], content) == (200, "999", b"")
        assert asked(url, "DELETE", "/a%2Fb?c=%20")[0] == 204
        status, headers, content = asked(url, "GET", "/a", headers={"Accept-Encoding": "gzip"})
        assert (headers["content-encoding"], content) == ("gzip", packed)
    head, delete, get = lines(out)
    assert (head["method"], head["status"]) == ("HEAD", 200)
    assert (delete["request_uri"], delete["status"]) == ("/a%2Fb?c=%20", 204)
    assert json.loads(get["response_body"]) == {"id": 1}


def test_a_service_that_is_away_or_breaks_off_does_not_end_the_recording(tmp_path: Path):
    out = tmp_path / "r.log"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with recording(nowhere, out) as (url, recorder):
        status, _, content = asked(url, "GET", "/a")
        assert status == 502
        assert "no answer" in json.loads(content)["message"]
        assert recorder.failures["no answer"] == 1
    assert not lines(out)

    def half(_: bytes) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

    with raw_service(half) as upstream, recording(upstream, out) as (url, recorder):
        with pytest.raises((http.client.HTTPException, OSError)):
            asked(url, "GET", "/a")
        with pytest.raises((http.client.HTTPException, OSError)):
            asked(url, "GET", "/b")
        assert recorder.failures["broken off by the service"] == 2
    assert [(one["request_uri"], one["response_truncated"]) for one in lines(out)] == [
        ("/a", True),
        ("/b", True),
    ]


def test_websockets_and_forward_requests_are_refused_in_words(tmp_path: Path):
    out = tmp_path / "r.log"
    with shop.running() as upstream, recording(upstream, out) as (url, _):
        status, _, content = asked(
            url, "GET", "/ws", headers={"Upgrade": "websocket", "Connection": "Upgrade"}
        )
        assert status == 501
        assert b"websockets" in content
        status, _, content = asked(url, "GET", "http://elsewhere.example/")
        assert status == 400
    assert not lines(out)


def test_large_bodies_pass_and_are_not_kept(tmp_path: Path):
    large = b"x" * 3_000_000

    def answer(_: bytes) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + large

    out = tmp_path / "r.log"
    with raw_service(answer) as upstream, recording(upstream, out, body_limit=1000) as (url, _):
        assert asked(url, "GET", "/a")[2] == large
    (told,) = lines(out)
    assert told["response_truncated"] is True


def test_files_rotate_by_size(tmp_path: Path):
    path = tmp_path / "r.log"
    log = LogFile(path, rotate_bytes=100, rotated_files=2)
    for number in range(12):
        log.write(json.dumps({"n": number, "x": "y" * 30}))
    log.close()
    names = sorted(one.name for one in tmp_path.iterdir())
    assert names == ["r.log", "r.log.1", "r.log.2"]
    order = [one["n"] for name in ("r.log.2", "r.log.1", "r.log") for one in lines(tmp_path / name)]
    assert order == list(range(order[0], 12))
    assert all((tmp_path / name).stat().st_size <= 100 for name in names)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("8080", ("127.0.0.1", 8080)), (":0", ("127.0.0.1", 0)), ("0.0.0.0:80", ("0.0.0.0", 80)),
        ("[::1]:80", ("::1", 80)), ("localhost:99", ("localhost", 99)),
    ],
)  # fmt: skip
def test_addresses(text: str, wanted: tuple[str, int]):
    assert parse_listen(text) == wanted


@pytest.mark.parametrize("text", ["", "x", "1:2:3", "host:", "host:70000", "http://x:1"])
def test_what_is_no_address(text: str):
    with pytest.raises(UsageError):
        parse_listen(text)


def test_what_cannot_be_served_is_told(tmp_path: Path):
    async def serve(**rest: object) -> None:
        order = RecordOrder(
            **{"upstream": "http://127.0.0.1:9", "host": "127.0.0.1", "port": 0, "key": b"k", **rest}
        )  # type: ignore[arg-type]
        await Recorder(order).serve(ready=lambda _: None, stop=asyncio.Event())

    with pytest.raises(UsageError, match="no URL of a service"):
        asyncio.run(serve(upstream="ftp://x", out=tmp_path / "a"))
    with pytest.raises(StoreError, match="cannot be written"):
        asyncio.run(serve(out=Path("/proc/nowhere/a")))
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot listen"):
        asyncio.run(serve(out=tmp_path / "a", port=taken.getsockname()[1]))
