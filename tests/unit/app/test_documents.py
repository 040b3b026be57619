"""Specifications from files and URLs; whatever is there, the answer is a specification or a clear line."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lobrest.app.documents import read_spec
from lobrest.errors import LobrestError, SpecError

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {"/x": {"get": {"responses": {}}}},
}


@contextmanager
def answering(data: bytes) -> Iterator[str]:
    """A server that says this, whatever it is asked, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(5)
                    connection.recv(65536)
                    connection.sendall(data)
            except OSError:
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/openapi.json"
    thread.join(5)


def http(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def test_a_file(tmp_path: Path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps(DOCUMENT))
    assert list(read_spec(str(file)).operations) == ["GET /x"]


def test_a_url():
    with answering(http(json.dumps(DOCUMENT).encode())) as url:
        assert list(read_spec(url).operations) == ["GET /x"]


def refused(source: str) -> str:
    with pytest.raises(SpecError) as error:
        read_spec(source)
    said = str(error.value)
    assert "\n" not in said
    return said


def test_nothing_there(tmp_path: Path):
    assert "No such file" in refused(str(tmp_path / "no.json"))
    assert "folder" in refused(str(tmp_path))


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0", b"hello", b"{", b"[]", b"{}", b'{"openapi": "3.1.0"}', b"\xff\xfe"]
)
def test_a_file_that_is_no_specification(tmp_path: Path, data: bytes):
    file = tmp_path / "odd"
    file.write_bytes(data)
    assert str(file) in refused(str(file))


def test_a_file_without_an_end():
    assert "64 MiB" in refused("/dev/zero")


def test_nobody_answers():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert "cannot be fetched" in refused(f"http://127.0.0.1:{port}/x")


@pytest.mark.parametrize(
    "data",
    [
        http(b"no", "404 Not Found"),
        http(b"no", "500 Oh"),
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        http(b"<html>"),
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
)
def test_a_server_that_is_something_else(data: bytes):
    with answering(data) as url:
        refused(url)


@pytest.mark.parametrize(
    "url", ["http://", "http://[::1", "http://a b/c", "https://127.0.0.1:99999/x", "http://\x01/"]
)
def test_a_url_that_is_none(url: str):
    with pytest.raises(LobrestError):
        read_spec(url)


def test_other_documents_are_read_only_when_asked(tmp_path: Path):
    (tmp_path / "parts.json").write_text(json.dumps({"Thing": {"type": "object", "properties": {"id": {}}}}))
    body = {"content": {"application/json": {"schema": {"$ref": "parts.json#/Thing"}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": body, "responses": {}}}},
    }
    first = tmp_path / "api.json"
    first.write_text(json.dumps(document))
    alone = read_spec(str(first))
    assert any("parts.json" in one.message or "parts.json" in one.place for one in alone.warnings)
    followed = read_spec(str(first), follow=True)
    assert not any("parts.json" in one.message + one.place for one in followed.warnings)
