"""Connections opened, kept and given up."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
from tests.unit.transport.hostile_server import HostileServer, hostile_server

from lobrest.model.exchange import Failure
from lobrest.transport.connection import NoAnswerError
from lobrest.transport.connections import Connections, Limits, Origin, Timeouts

PATIENT = Timeouts(connect=20, read=20, total=20)


def visit(
    story: Callable[[HostileServer, Connections], Awaitable[None]], timeouts: Timeouts = PATIENT
) -> None:
    async def run() -> None:
        async with hostile_server() as server:
            connections = Connections(timeouts, Limits(), verify=True)
            try:
                await story(server, connections)
            finally:
                await connections.close()

    asyncio.run(run())


def get(path: str) -> bytes:
    return b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode()


@pytest.mark.parametrize(
    ("url", "netloc", "port"),
    [
        ("http://a.example/x", "a.example", 80),
        ("https://a.example:443", "a.example", 443),
        ("http://a.example:443", "a.example:443", 443),
        ("http://[::1]:8080/", "[::1]:8080", 8080),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, netloc: str, port: int):
    origin = Origin.of(url)
    assert (origin.netloc, origin.port) == (netloc, port)
    assert str(origin) == f"{origin.scheme}://{netloc}"


@pytest.mark.parametrize("url", ["ftp://x", "x", "http://", "http://x:99999"])
def test_other_urls_have_none(url: str):
    with pytest.raises(ValueError):
        Origin.of(url)


def test_connections_are_used_again_and_as_many_as_are_needed_at_once():
    async def story(server: HostileServer, connections: Connections) -> None:
        origin = Origin.of(server.url)
        for _ in range(5):
            await connections.ask(origin, get("/plain"), bodiless=False)
        assert server.connections == 1
        await asyncio.gather(*(connections.ask(origin, get("/plain"), bodiless=False) for _ in range(4)))
        assert server.connections == 4

    visit(story)


def test_idle_connections_are_let_go_before_the_service_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lobrest.transport.connections._IDLE_SECONDS", 0.05)

    async def story(server: HostileServer, connections: Connections) -> None:
        origin = Origin.of(server.url)
        await connections.ask(origin, get("/plain"), bodiless=False)
        await asyncio.sleep(0.5)
        await connections.ask(origin, get("/plain"), bodiless=False)
        assert server.connections == 2

    visit(story)


@pytest.mark.parametrize(
    ("path", "timeouts"), [("/silent", Timeouts(20, 0.1, 20)), ("/trickle", Timeouts(20, 20, 0.2))]
)
def test_what_takes_too_long_is_given_up(path: str, timeouts: Timeouts):
    async def story(server: HostileServer, connections: Connections) -> None:
        with pytest.raises(NoAnswerError) as caught:
            await connections.ask(Origin.of(server.url), get(path), bodiless=False)
        assert caught.value.failure is Failure.TIMEOUT

    visit(story, timeouts)


def test_nobody_there_is_told_in_the_words_of_the_system():
    async def story(_: HostileServer, connections: Connections) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with pytest.raises(NoAnswerError, match="refused") as caught:
            await connections.ask(Origin("http", "127.0.0.1", port), get("/"), bodiless=False)
        assert (caught.value.failure, caught.value.unsent) == (Failure.CONNECT, True)

    visit(story)
