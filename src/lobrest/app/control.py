"""Pausing, resuming and stopping a campaign from outside: by a file in its work folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from lobrest.errors import StoreError
from lobrest.model.exchange import Failure, Request, Response
from lobrest.ports import Clock, Transport

CONTROL: Final = "control"
PERSON: Final = "person"
_LOOK_EVERY_SECONDS: Final = 0.4


class Wish(StrEnum):
    """What somebody wants of a running campaign."""

    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


def wish_for(folder: Path, wish: Wish) -> None:
    """Tell the campaign of that folder; it looks several times a second."""
    beside = folder / f"{CONTROL}.new"
    try:
        beside.write_text(wish.value, encoding="ascii")
        os.replace(beside, folder / CONTROL)  # noqa: PTH105 (one atomic move)
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", source=str(folder)) from error


def wished(folder: Path) -> Wish:
    """The last wish; a file that says anything else says nothing."""
    try:
        return Wish((folder / CONTROL).read_text(encoding="ascii", errors="replace").strip()[:10])
    except (OSError, ValueError):
        return Wish.RUN


def forget_wishes(folder: Path) -> None:
    """A campaign begins, or ends, without old wishes."""
    with suppress(OSError):
        (folder / CONTROL).unlink(missing_ok=True)


class Gate:
    """Time and the permission to send. While it is closed time stands still: a pause costs no budget."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open = asyncio.Event()
        self._open.set()
        self._holders: set[str] = set()
        self._lost = 0.0
        self._closed_at = 0.0
        self.closings = 0
        """How often it was closed."""

    @property
    def closed(self) -> bool:
        """Is the campaign paused?"""
        return not self._open.is_set()

    def now(self) -> float:
        """See ``ports.Clock``."""
        return (self._closed_at if self.closed else self._clock.now()) - self._lost

    def closed_by(self, holder: str) -> bool:
        """Is this one of those who keep it closed?"""
        return holder in self._holders

    def close(self, holder: str = PERSON) -> None:
        """From now on nothing more is sent, until everybody who closed it has opened it."""
        self._holders.add(holder)
        if not self.closed:
            self._closed_at = self._clock.now()
            self.closings += 1
            self._open.clear()

    def open(self, holder: str = PERSON) -> None:
        """Go on, if nobody else wants it closed."""
        self._holders.discard(holder)
        if self.closed and not self._holders:
            self._lost += self._clock.now() - self._closed_at
            self._open.set()

    async def passed(self) -> None:
        """Returns when sending is allowed."""
        await self._open.wait()

    def held_since(self, closings: int) -> bool:
        """Is it closed, or was it since it had been closed so often?"""
        return self.closed or self.closings != closings


class GatedTransport:
    """Sends through a gate; see ``ports.Transport``."""

    def __init__(self, transport: Transport, gate: Gate) -> None:
        self._transport = transport
        self._gate = gate

    async def send(self, request: Request) -> Response | Failure:
        """The answer, once the gate is open."""
        if self._gate.closed:
            await self._gate.passed()
        return await self._transport.send(request)

    async def close(self) -> None:
        """Let connections go."""
        await self._transport.close()


class Stoppable(Protocol):
    """What can be told to end."""

    def stop(self) -> None:
        """End in order."""


async def obey(
    folder: Path, gate: Gate, campaign: Stoppable, told: Callable[[bool], None] = lambda _: None
) -> None:
    """Do what the folder's control file says, until cancelled. ``told`` hears whether it is paused now."""
    while True:
        match wished(folder):
            case Wish.PAUSE if not gate.closed_by(PERSON):
                gate.close()
                told(True)
            case Wish.RUN if gate.closed_by(PERSON):
                gate.open()
                told(False)
            case Wish.STOP:
                campaign.stop()
                gate.open()
                return
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
