"""The transport: one host, bounded answers, paced, with credentials that stay here.

It writes requests itself and leaves the reading of answers to llhttp: a general HTTP client costs three times as
much, follows, retries and normalises where a tester must not, and has to be kept from it.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlsplit

from lobrest import __version__
from lobrest.errors import CredentialsError, TargetError, UsageError
from lobrest.model.exchange import Failure, Headers, Request, Response
from lobrest.transport.connection import NoAnswerError
from lobrest.transport.connections import Connections, Limits, Origin, Timeouts
from lobrest.transport.credential import Credentials
from lobrest.transport.pace import Pace
from lobrest.transport.session import Session
from lobrest.transport.wire import (
    decoded,
    header_lines,
    is_method,
    retry_after,
    sendable_target,
    without_secrets,
)

_DEFAULT_HEADERS: Final = (
    ("User-Agent", f"lobrest/{__version__}"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "identity"),
)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing and usually have no body."""
_RECONNECT_SECONDS: Final = 0.1
_MOST_WAITS: Final = 3
_MOST_VAIN_WAITS: Final = 6
_UNASKED_WAIT: Final = 1.0


@dataclass(frozen=True, slots=True)
class Reached:
    """What a probe found."""

    status: int
    refused: tuple[str, ...] = ()
    """Users whose login was refused."""


class HttpTransport:
    """Sends requests to the one service that was named; see ``ports.Transport``."""

    def __init__(
        self,
        target: str,
        credentials: Credentials,
        *,
        rate: float | None = None,
        concurrency: int = 16,
        timeouts: Timeouts | None = None,
        limits: Limits | None = None,
        verify: bool = True,
    ) -> None:
        """Nothing is sent yet. Raises ``UsageError`` for a target that is no HTTP service."""
        self._origin, self._path = _origin(target)
        self._sessions = {user.name: Session(user) for user in credentials}
        self._pace = Pace(rate, now=time.monotonic)
        self._slots = asyncio.Semaphore(max(1, concurrency))
        self._limits = limits or Limits()
        self._connections = Connections(timeouts or Timeouts(), self._limits, verify=verify)
        # Most requests of a campaign carry one of few sets of headers.
        self._lines = functools.lru_cache(maxsize=256)(header_lines)
        self._vain_waits: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        """Requests sent, retries, waits, logins, and failures by kind."""

    async def send(self, request: Request) -> Response | Failure:
        """The bounded answer, or why there is none; never raises for what a service does.

        Raises ``UsageError`` for an actor without credentials.
        """
        session = self._session(request.actor)
        if not is_method(request.method):
            self.counts["failure:protocol"] += 1
            return Failure.PROTOCOL
        async with self._slots:
            try:
                answer = await self._authorised(request, session)
            except NoAnswerError as error:
                self.counts[f"failure:{error.failure}"] += 1
                return error.failure
        headers, body = without_secrets(answer.headers, answer.body, session.secrets if session else ())
        if headers is answer.headers and body is answer.body:
            return answer
        return replace(answer, headers=headers, body=body)

    async def probe(self) -> Reached:
        """Ask the service for anything at all, and log every user in.

        Raises ``TargetError`` where nothing answers, ``CredentialsError`` where every login is refused.
        """
        try:
            lines = self._lines((), (), _DEFAULT_HEADERS)
            answer = await self._attempt("GET", self._origin, self._path, lines, None)
        except NoAnswerError as error:
            raise TargetError(
                f"no answer from {self._origin}: {error.detail}",
                hint="is the service running, and is --target right?",
            ) from error
        logins = [session for session in self._sessions.values() if session.user.login]
        for session in logins:
            await self._ensure_login(session)
        refused = tuple(session.user.name for session in logins if not session.granted)
        if refused and len(refused) == len(self._sessions):
            raise CredentialsError(
                f"{self._origin} refuses the login of {', '.join(refused)}",
                hint="check the authentication file: endpoint, payload and token",
            )
        return Reached(answer.status, refused)

    async def carried(self, actor: str) -> Headers:
        """The headers that a user's requests carry now, after a login where one is needed."""
        session = self._session(actor)
        if session is None:
            return ()
        if session.user.login is not None:
            await self._ensure_login(session)
        return session.headers

    async def close(self) -> None:
        """Let connections go."""
        await self._connections.close()

    def _session(self, actor: str) -> Session | None:
        if not actor:
            return None
        session = self._sessions.get(actor)
        if session is None:
            raise UsageError(f"there are no credentials named {actor!r}", hint="give them with --auth")
        return session

    async def _authorised(self, request: Request, session: Session | None) -> Response:
        """The answer, after at most one new login where the old one has ended."""
        if session is None or session.user.login is None:
            return await self._patient(request, session)
        await self._ensure_login(session)
        turn = session.logins
        answer = await self._patient(request, session)
        if answer.status != 401 or not session.may_renew(request.operation):
            return answer
        await self._ensure_login(session, not_before=turn + 1)
        answer = await self._patient(request, session)
        session.renewed(request.operation, in_vain=answer.status == 401)
        return answer

    async def _patient(self, request: Request, session: Session | None) -> Response:
        """The answer, after bounded waits where the service asks for them with 429.

        An operation that answers 429 however long is waited is not waited for again.
        """
        operation = request.operation
        answer = await self._resent(request, session)
        waits = 0
        while answer.status == 429 and waits < _MOST_WAITS and self._vain_waits[operation] < _MOST_VAIN_WAITS:
            asked = retry_after(answer.header("Retry-After"), now=datetime.now(UTC))
            self._pace.pause(min(_UNASKED_WAIT if asked is None else asked, self._limits.retry_after))
            self.counts["waits"] += 1
            waits += 1
            answer = await self._resent(request, session)
            if answer.status == 429:
                self._vain_waits[operation] += 1
            else:
                self._vain_waits.pop(operation, None)
        return answer

    async def _resent(self, request: Request, session: Session | None) -> Response:
        """The answer; sent again once where the first try cannot have been processed or changes nothing."""
        target, lines = self._dressed(request, session)
        try:
            return await self._attempt(request.method, self._origin, target, lines, request.body)
        except NoAnswerError as error:
            harmless = error.failure is Failure.CLOSED and request.method in _SAFE
            if not error.unsent and not harmless:
                raise
            self.counts["retries"] += 1
            if error.failure is Failure.CONNECT:
                await asyncio.sleep(_RECONNECT_SECONDS)
        return await self._attempt(request.method, self._origin, target, lines, request.body)

    def _dressed(self, request: Request, session: Session | None) -> tuple[str, bytes]:
        """Target and header lines, with what the user carries."""
        target = sendable_target(request.target)
        lines = self._lines(request.headers, session.headers if session else (), _DEFAULT_HEADERS)
        if session is not None and session.query:
            mark = "&" if "?" in target else "?"
            target += mark + "&".join(f"{quote(key)}={quote(value, safe='')}" for key, value in session.query)
        return target, lines

    async def _ensure_login(self, session: Session, *, not_before: int = 1) -> None:
        """Log in unless that was done as often as ``not_before``, by whoever needed it first."""
        login = session.user.login
        if login is None or session.logins >= not_before:
            return
        async with session.lock:
            if session.logins >= not_before:
                return
            origin, target = self._origin, login.endpoint
            lines = self._lines(login.headers, (), _DEFAULT_HEADERS)
            self.counts["logins"] += 1
            try:
                if login.endpoint.startswith(("http://", "https://")):
                    origin = Origin.of(login.endpoint)
                    parts = urlsplit(login.endpoint)
                    target = parts.path + (f"?{parts.query}" if parts.query else "")
                answer = await self._attempt(login.method, origin, sendable_target(target), lines, login.body)
            except (NoAnswerError, ValueError):
                session.logged_in(None)
            else:
                session.logged_in(answer)

    async def _attempt(
        self, method: str, origin: Origin, target: str, lines: bytes, body: bytes | None
    ) -> Response:
        """One request on the wire, when it is its turn. Raises ``NoAnswerError``."""
        await self._pace.turn()
        self.counts["requests"] += 1
        if body is not None or method not in _SAFE:
            lines += b"Content-Length: %d\r\n" % len(body or b"")
        message = b"%b %b HTTP/1.1\r\nHost: %b\r\n%b\r\n%b" % (
            method.encode(),
            target.encode(),
            origin.netloc.encode(),
            lines,
            body or b"",
        )
        answer = await self._connections.ask(origin, message, bodiless=method == "HEAD")
        encodings = [value for name, value in answer.headers if name.lower() == "content-encoding"]
        if not encodings:
            return answer
        content, cut = decoded(answer.body, ", ".join(encodings), limit=self._limits.body)
        return replace(answer, body=content, truncated=answer.truncated or cut)


def _origin(target: str) -> tuple[Origin, str]:
    """The origin and the path of a target."""
    try:
        parts = urlsplit(target.strip())
        origin = Origin.of(target.strip())
    except ValueError as error:
        raise UsageError(
            "the target is not an http or https URL", hint="write --target http://host:port"
        ) from error
    if parts.username is not None or parts.password is not None:
        raise UsageError("the target holds credentials", hint="give them with --auth instead")
    return origin, sendable_target(parts.path or "/")
