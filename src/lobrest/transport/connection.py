"""One HTTP/1.1 connection: a request out, one bounded answer in, nothing kept of what nobody asked for."""

from __future__ import annotations

import asyncio
from typing import Final, cast

import httptools

from lobrest.model.exchange import Failure, Response

_OVERHEAD: Final = 8
"""Bytes on the wire for one of the body, at most: framing has no other bound."""


class NoAnswerError(Exception):
    """A request without an answer."""

    def __init__(self, failure: Failure, detail: str, *, unsent: bool = False) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail
        self.unsent = unsent
        """Nothing of it can have reached the service's code."""


class Connection(asyncio.BufferedProtocol):
    """Asks one thing at a time; usable until ``is_closing``.

    After an answer that breaks a rule, announces the end, or is followed by what was not asked for, it closes.
    """

    def __init__(self, buffer: bytearray, *, body_limit: int, head_limit: int) -> None:
        """``buffer`` may be shared by all connections of a loop: nothing stays in it between two calls."""
        self._body_limit = body_limit
        self._head_limit = head_limit
        self._most_received = head_limit + _OVERHEAD * body_limit
        self._loop = asyncio.get_running_loop()
        self._buffer = buffer
        self._view = memoryview(buffer)
        self._wire: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Response] | None = None
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        self._bodiless = False
        self.asked_at = self._loop.time()
        """When the last request was sent, by the loop's clock …"""
        self.heard_at = self.asked_at
        """… and when the service was last heard of."""
        self._forget()

    def _forget(self) -> None:
        self._status = 0
        self._head: list[tuple[bytes, bytes]] = []
        self._head_size = 0
        self._received = 0
        self._pieces: list[bytes] = []
        self._size = 0
        self._headless = False
        """The status and all headers are there."""
        self._complete = False
        self._keeps = False
        self._stray = False

    @property
    def is_closing(self) -> bool:
        """Can nothing more be asked?"""
        return self._wire is None or self._wire.is_closing()

    async def ask(self, request: bytes, *, bodiless: bool) -> Response:
        """Send a whole request. ``bodiless`` says that its answer has no body, whatever it announces.

        Raises ``NoAnswerError``.
        """
        if self._wire is None or self._wire.is_closing():
            raise NoAnswerError(Failure.CLOSED, "the connection was closed", unsent=True)
        self._forget()
        self._bodiless = bodiless
        self._waiter = self._loop.create_future()
        self.asked_at = self.heard_at = self._loop.time()
        self._wire.write(request)
        try:
            return await self._waiter
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            self._waiter = None

    def close(self) -> None:
        """Let go at once."""
        if self._wire is not None:
            self._wire.abort()

    def give_up(self, failure: Failure, detail: str) -> None:
        """End what is being asked without an answer; a failing one whose body is missing counts as one."""
        self.close()
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        if self._headless and self._status >= 500:
            waiter.set_result(self._response(b"", cut=True))
        else:
            waiter.set_exception(NoAnswerError(failure, detail))

    # What the event loop calls ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.BaseProtocol``."""
        self._wire = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002
        """See ``asyncio.BufferedProtocol``."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """See ``asyncio.BufferedProtocol``."""
        waiter = self._waiter
        if waiter is None or waiter.done():
            self.close()  # nobody asked
            return
        assert self._parser is not None
        self.heard_at = self._loop.time()
        self._received += nbytes
        try:
            self._parser.feed_data(self._view[:nbytes])
        except httptools.HttpParserUpgrade:
            self.close()
            waiter.set_result(self._response(b""))
            return
        except httptools.HttpParserError:
            self.give_up(Failure.PROTOCOL, "the answer is not HTTP")
            return
        if self._stray:
            self.give_up(Failure.PROTOCOL, "there was more than one answer")
        elif self._head_size > self._head_limit or (not self._headless and self._received > self._head_limit):
            self.give_up(Failure.PROTOCOL, "the headers are too long")
        elif self._complete:
            self._finish(waiter)
        elif self._size > self._body_limit:
            self.close()
            body = b"".join(self._pieces)[: self._body_limit]
            waiter.set_result(self._response(body, cut=True))
        elif self._received > self._most_received:
            self.give_up(Failure.PROTOCOL, "the answer is mostly framing")

    def connection_lost(self, error: Exception | None) -> None:
        """See ``asyncio.BaseProtocol``."""
        self._wire = None
        self._parser = None  # it holds on to this object
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        if error is None and self._headless and self._ends_with_the_connection():
            waiter.set_result(self._response(b"".join(self._pieces)))
        elif self._status:
            self.give_up(Failure.CLOSED, "the answer broke off")
        else:
            self.give_up(Failure.CLOSED, "the connection was closed")

    # What the parser calls --------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A status line begins."""
        self._stray = self._complete

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header, or one trailer after the body."""
        if not self._headless:
            self._head.append((name, value))
            self._head_size += len(name) + len(value)

    def on_headers_complete(self) -> None:
        """The headers have ended."""
        assert self._parser is not None
        self._status = self._parser.get_status_code()
        self._headless = True
        if self._bodiless and self._status >= 200:
            self._end()

    def on_body(self, piece: bytes) -> None:
        """Some of the body; what is over the limit is dropped."""
        if self._size <= self._body_limit:
            self._pieces.append(piece)
            self._size += len(piece)

    def on_message_complete(self) -> None:
        """The answer has ended, or it was only one on the way to the answer."""
        if self._status < 200 and self._status != 101:
            self._headless = False
            self._head = []
        else:
            self._end()

    # ------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        assert self._parser is not None
        self._keeps = self._parser.should_keep_alive()  # of this answer; asked later, it is of the next
        self._complete = True

    def _finish(self, waiter: asyncio.Future[Response]) -> None:
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        last = not self._keeps or self._status in (101, 205)
        if last or (self._status == 204 and self._announces_a_body()):
            self.close()
        elif (
            self._bodiless
        ):  # the parser waits for the body that was announced: the next answer needs a new one
            self._parser = httptools.HttpResponseParser(self)
        cut = len(body) > self._body_limit
        waiter.set_result(self._response(body[: self._body_limit] if cut else body, cut=cut))

    def _response(self, body: bytes, *, cut: bool = False) -> Response:
        headers = tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in self._head])
        return Response(self._status, headers, body, self._loop.time() - self.asked_at, cut)

    def _announces_a_body(self) -> bool:
        for name, value in self._head:
            lowered = name.lower()
            if lowered == b"transfer-encoding" or (lowered == b"content-length" and value.strip() != b"0"):
                return True
        return False

    def _ends_with_the_connection(self) -> bool:
        return all(name.lower() not in (b"content-length", b"transfer-encoding") for name, _ in self._head)
