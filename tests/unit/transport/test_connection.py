"""One connection against scripted bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from lobrest.model.exchange import Failure, Response
from lobrest.transport.connection import Connection, NoAnswerError

CLOSE = b""
"""Ends the connection in a script."""


def converse(
    pieces: Sequence[bytes],
    story: Callable[[Connection], Awaitable[None]],
    *,
    body: int = 100,
    head: int = 1000,
) -> None:
    """A story with a connection to a server that says these things, one for each request."""

    async def run() -> None:
        said = iter(pieces)
        over = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while await reader.read(1000):
                    for piece in next(said).split(b"|"):
                        if piece == CLOSE:
                            return
                        writer.write(piece)
                        await writer.drain()
                        await asyncio.sleep(0.01)
            except ConnectionError:
                pass
            finally:
                writer.close()
                over.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(bytearray(1 << 16), body_limit=body, head_limit=head), "127.0.0.1", port
        )
        try:
            await story(connection)
        finally:
            connection.close()
            await over.wait()
            await asyncio.sleep(0)
            server.close()

    asyncio.run(run())


async def get(connection: Connection, *, bodiless: bool = False) -> Response:
    return await connection.ask(b"GET / HTTP/1.1\r\n\r\n", bodiless=bodiless)


@pytest.mark.parametrize(
    ("said", "status", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, b"ok"),
        (b"HTTP/1.1 200 OK\r\nConte|nt-Length: 4\r\n\r\no|k|ay", 200, b"okay"),
        (b"HTTP/1.1 200 Y\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n|1;x\r\n!\r\n0\r\nT: 1\r\n\r\n", 200, b"ok!"),
        (b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n|HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", 404, b""),
        (b"HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\n1", 201, b"1"),
        (b"HTTP/1.1 204 None\r\n\r\n", 204, b""),
        (b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n", 304, b""),
    ],
)  # fmt: skip
def test_an_answer_is_read_whole_and_the_connection_stays(said: bytes, status: int, body: bytes):
    async def story(connection: Connection) -> None:
        for _ in range(2):
            answer = await get(connection)
            assert (answer.status, answer.body, answer.truncated) == (status, body, False)
            assert not connection.is_closing

    converse([said, said], story)


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\r\n\r\nuntil the |end|",
        b"HTTP/1.0 200 OK\r\nContent-Length: 13\r\n\r\nuntil the end",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 13\r\n\r\nuntil the end",
    ],
)
def test_an_answer_may_be_the_last(said: bytes):
    async def story(connection: Connection) -> None:
        assert (await get(connection)).body == b"until the end"
        assert connection.is_closing
        with pytest.raises(NoAnswerError) as caught:
            await get(connection)
        assert caught.value.unsent

    converse([said], story)


def test_headers_come_as_they_were_sent_and_those_of_interim_answers_do_not():
    async def story(connection: Connection) -> None:
        answer = await get(connection)
        assert answer.headers == (("X-a", "1"), ("x-A", "caf\xe9"), ("Content-Length", "0"))

    said = b"HTTP/1.1 100 Go on\r\nX-I: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-a: 1\r\nx-A: caf\xe9\r\nContent-Length: 0\r\n\r\n"
    converse([said], story)


def test_an_answer_without_a_body_whatever_it_announces():
    async def story(connection: Connection) -> None:
        for _ in range(2):
            answer = await get(connection, bodiless=True)
            assert (answer.status, answer.body) == (200, b"")
            assert not connection.is_closing
        assert (await get(connection)).body == b"ok"

    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    converse([head, head, head + b"ok"], story)


def test_what_nobody_asked_for_closes_the_connection():
    async def story(connection: Connection) -> None:
        assert (await get(connection)).status == 200
        await asyncio.sleep(0.1)
        assert connection.is_closing

    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    converse([whole + b"|" + whole], story)


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 2000, Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 600 + b"Content-Length: 0\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 600, Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal|", Failure.CLOSED),
        (b"HTTP/1.1 200 O|", Failure.CLOSED),
        (b"|", Failure.CLOSED),
    ],
)
def test_no_answer_has_a_kind(said: bytes, failure: Failure):
    async def story(connection: Connection) -> None:
        with pytest.raises(NoAnswerError) as caught:
            await get(connection)
        assert (caught.value.failure, caught.value.unsent) == (failure, False)
        assert connection.is_closing

    converse([said], story)


def test_a_failing_answer_without_its_body_is_a_failing_answer():
    async def story(connection: Connection) -> None:
        answer = await get(connection)
        assert (answer.status, answer.body, answer.truncated) == (503, b"", True)

    converse([b"HTTP/1.1 503 Down\r\nContent-Length: 5\r\n\r\nhal|"], story)


def test_bodies_are_cut():
    async def story(connection: Connection) -> None:
        answer = await get(connection)
        assert (answer.body, answer.truncated) == (b"x" * 100, True)
        assert connection.is_closing

    converse([b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + b"x" * 500], story)


def test_a_body_of_exactly_the_limit_is_whole():
    async def story(connection: Connection) -> None:
        answer = await get(connection)
        assert (answer.body, answer.truncated) == (b"x" * 100, False)

    converse([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 100], story)


def test_who_stops_waiting_lets_go_of_the_connection():
    async def story(connection: Connection) -> None:
        asking = asyncio.create_task(get(connection))
        await asyncio.sleep(0.05)
        asking.cancel()
        await asyncio.wait({asking})
        assert connection.is_closing

    converse([b"HTTP/1.1 200 OK\r\n"], story)
