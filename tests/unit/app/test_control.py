"""Pausing, resuming and stopping from outside."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lobrest.app.control import CONTROL, Gate, GatedTransport, Wish, forget_wishes, obey, wish_for, wished
from lobrest.errors import StoreError
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import OperationId


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 10.0

    def now(self) -> float:
        return self.time


class Campaign:
    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


class Line:
    def __init__(self) -> None:
        self.sent = 0

    async def send(self, request: Request) -> Response:
        self.sent += 1
        return Response(200)

    async def close(self) -> None:
        self.sent = -1


def test_a_wish_is_read_back_and_forgotten(tmp_path: Path):
    assert wished(tmp_path) is Wish.RUN
    for wish in Wish:
        wish_for(tmp_path, wish)
        assert wished(tmp_path) is wish
    forget_wishes(tmp_path)
    forget_wishes(tmp_path)
    assert wished(tmp_path) is Wish.RUN


@pytest.mark.parametrize("content", [b"", b"rm -rf", b"\xff\xfe", b"pause" * 1000])
def test_anything_else_in_the_file_is_no_wish(tmp_path: Path, content: bytes):
    (tmp_path / CONTROL).write_bytes(content)
    assert wished(tmp_path) is Wish.RUN


def test_a_folder_that_is_gone_is_told(tmp_path: Path):
    with pytest.raises(StoreError, match="cannot be written"):
        wish_for(tmp_path / "gone", Wish.STOP)


def test_time_stands_still_behind_a_closed_gate():
    async def tried() -> None:
        clock = Hands()
        gate = Gate(clock)
        assert (gate.now(), gate.held_since(0)) == (10.0, False)
        gate.close()
        gate.close()
        clock.time = 50.0
        assert (gate.now(), gate.closed, gate.closings) == (10.0, True, 1)
        gate.open()
        clock.time = 53.0
        assert (gate.now(), gate.closed) == (13.0, False)
        assert gate.held_since(0)
        assert not gate.held_since(1)

    asyncio.run(tried())


def test_nothing_is_sent_while_the_gate_is_closed():
    async def tried() -> None:
        gate, line = Gate(Hands()), Line()
        transport = GatedTransport(line, gate)
        gate.close()
        sending = asyncio.create_task(transport.send(Request(OperationId("GET /"), "GET", "/")))
        await asyncio.sleep(0.01)
        assert line.sent == 0
        gate.open()
        assert await sending == Response(200)
        assert line.sent == 1
        await transport.close()
        assert line.sent == -1

    asyncio.run(tried())


def test_the_file_is_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lobrest.app.control._LOOK_EVERY_SECONDS", 0.001)

    async def tried() -> None:
        gate, campaign, told = Gate(Hands()), Campaign(), list[bool]()
        obeying = asyncio.create_task(obey(tmp_path, gate, campaign, told.append))
        for wish, closed in ((Wish.PAUSE, True), (Wish.RUN, False), (Wish.PAUSE, True)):
            wish_for(tmp_path, wish)
            await asyncio.sleep(0.05)
            assert gate.closed is closed
        wish_for(tmp_path, Wish.STOP)
        await obeying
        assert campaign.stopped
        assert not gate.closed
        assert told == [True, False, True]

    asyncio.run(tried())
