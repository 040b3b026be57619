"""Connections to services: opened when needed, kept for the next request, given up when they are too slow."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from lobrest.model.exchange import Failure, Response
from lobrest.transport.connection import Connection, NoAnswerError

# Servers commonly drop idle connections after two to five seconds; letting go first avoids the race.
_IDLE_SECONDS: Final = 1.5
_SLOWEST_LOOK: Final = 1.0
_LOOKS: Final = 20
"""How often the shortest time limit is looked at while it runs."""
_PIECE: Final = 1 << 16
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds each phase of a request may take."""

    connect: float = 5.0
    read: float = 20.0
    """Between two pieces of an answer, and before the first."""
    total: float = 30.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What is kept of an answer, and how long a service may keep us waiting."""

    body: int = 1 << 20
    """Bytes kept of a body, compressed or not; the rest is discarded."""
    header: int = 65536
    """Bytes of the status line and all headers."""
    retry_after: float = 30.0
    """Seconds waited at most for one 429."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a service is."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin:
        """The origin of a URL. Raises ``ValueError`` for one that is no HTTP."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(url)
        return cls(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])

    @property
    def netloc(self) -> str:
        """As the ``Host`` header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


class Connections:
    """All connections of one transport; as many as are asked at once."""

    def __init__(self, timeouts: Timeouts, limits: Limits, *, verify: bool) -> None:
        self._timeouts = timeouts
        self._limits = limits
        self._verify = verify
        self._tls: ssl.SSLContext | None = None
        self._buffer = bytearray(_PIECE)
        self._idle: dict[Origin, list[Connection]] = {}
        self._busy: set[Connection] = set()
        self._look: asyncio.TimerHandle | None = None
        shortest = min(timeouts.read, timeouts.total, _IDLE_SECONDS)
        self._interval = min(_SLOWEST_LOOK, shortest / _LOOKS)

    async def ask(self, origin: Origin, request: bytes, *, bodiless: bool) -> Response:
        """Send a whole request to a service, and wait for its answer. Raises ``NoAnswerError``."""
        connection = self._kept(origin) or await self._opened(origin)
        self._busy.add(connection)
        if self._look is None:
            self._watch()
        try:
            answer = await connection.ask(request, bodiless=bodiless)
        finally:
            self._busy.discard(connection)
        if not connection.is_closing:
            self._idle.setdefault(origin, []).append(connection)
        return answer

    async def close(self) -> None:
        """Let all go."""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        for connection in [*self._busy, *(one for kept in self._idle.values() for one in kept)]:
            connection.close()
        self._idle.clear()
        await asyncio.sleep(0)  # the loop closes sockets in its next turn

    def _kept(self, origin: Origin) -> Connection | None:
        """The connection that was used last, if there is one that still stands."""
        kept = self._idle.get(origin)
        while kept:
            connection = kept.pop()
            if not connection.is_closing:
                return connection
        return None

    async def _opened(self, origin: Origin) -> Connection:
        loop = asyncio.get_running_loop()
        secure = self._context() if origin.scheme == "https" else None
        try:
            async with asyncio.timeout(self._timeouts.connect):
                _, connection = await loop.create_connection(
                    lambda: Connection(
                        self._buffer, body_limit=self._limits.body, head_limit=self._limits.header
                    ),
                    origin.host,
                    origin.port,
                    ssl=secure,
                )
        except TimeoutError as error:
            raise NoAnswerError(Failure.CONNECT, "connecting took too long") from error
        except (OSError, UnicodeError) as error:
            raise NoAnswerError(Failure.CONNECT, _reason(error), unsent=True) from error
        return connection

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            if not self._verify:
                self._tls.check_hostname = False
                self._tls.verify_mode = ssl.CERT_NONE
        return self._tls

    def _watch(self) -> None:
        """Give up what takes too long, and let idle ones go. One timer for all: most requests need none."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in list(self._busy):
            if (
                now - connection.heard_at > self._timeouts.read
                or now - connection.asked_at > self._timeouts.total
            ):
                connection.give_up(Failure.TIMEOUT, "the answer took too long")
        for kept in self._idle.values():
            # The one used last is at the end.
            while kept and (kept[0].is_closing or now - kept[0].heard_at > _IDLE_SECONDS):
                kept.pop(0).close()
        waiting = self._busy or any(self._idle.values())
        self._look = loop.call_later(self._interval, self._watch) if waiting else None


def _reason(error: OSError | UnicodeError) -> str:
    """Why there is no connection, in the words of the system."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not to be trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"it does not speak TLS: {error.reason or error}"
    if isinstance(error, socket.gaierror):
        return error.strerror or str(error)
    if isinstance(error, UnicodeError):
        return "its name is none"
    return os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)
