"""The transport over aiohttp: one host, bounded answers, paced, with credentials that stay here.

aiohttp resends a request of its own accord when a kept connection breaks, even one that was processed;
a middleware keeps it from that, so that a request goes out twice only where ``send`` decides it.
"""

from __future__ import annotations

import asyncio
import functools
import os
import ssl
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlsplit

import aiohttp
from yarl import URL

from lobrest import __version__
from lobrest.errors import CredentialsError, TargetError, UsageError
from lobrest.model.exchange import Failure, Headers, Request, Response
from lobrest.transport.credential import Credentials
from lobrest.transport.pace import Pace
from lobrest.transport.session import Session
from lobrest.transport.wire import (
    decoded,
    is_method,
    outgoing_headers,
    retry_after,
    sendable_target,
    without_secrets,
)

_DEFAULT_HEADERS: Final = (
    ("User-Agent", f"lobrest/{__version__}"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "identity"),
)
_SKIPPED_AUTO_HEADERS: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
# Servers commonly drop idle connections after two to five seconds; letting go first avoids the race.
_IDLE_SECONDS: Final = 1.5
_RECONNECT_SECONDS: Final = 0.1
_MOST_WAITS: Final = 3
_MOST_VAIN_WAITS: Final = 6
_UNASKED_WAIT: Final = 1.0


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
    header: int = 32768
    """Bytes of the status line and of one header."""
    retry_after: float = 30.0
    """Seconds waited at most for one 429."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a probe found."""

    status: int
    refused: tuple[str, ...] = ()
    """Users whose login was refused."""


class _NoAnswerError(Exception):
    """A request without an answer."""

    def __init__(self, failure: Failure, detail: str, *, unsent: bool = False) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail
        self.unsent = unsent
        """Nothing of it can have reached the service's code."""


class _BrokenError(aiohttp.ClientError):
    """A connection that broke while in use; of no kind that aiohttp retries."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.unsent = isinstance(cause, aiohttp.ClientConnectionResetError) or isinstance(
            cause.__cause__, aiohttp.ClientConnectionResetError
        )


async def _no_hidden_retry(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ServerTimeoutError, TimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _BrokenError(error) from error


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
        self._timeouts = timeouts or Timeouts()
        self._limits = limits or Limits()
        self._verify = verify
        # Most requests of a campaign carry one of few sets of headers.
        self._outgoing = functools.lru_cache(maxsize=256)(outgoing_headers)
        self._client: aiohttp.ClientSession | None = None
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
            except _NoAnswerError as error:
                self.counts[f"failure:{error.failure}"] += 1
                return error.failure
        headers, body = without_secrets(answer.headers, answer.body, session.secrets if session else ())
        return Response(answer.status, headers, body, answer.seconds, answer.truncated)

    async def probe(self) -> Reached:
        """Ask the service for anything at all, and log every user in.

        Raises ``TargetError`` where nothing answers, ``CredentialsError`` where every login is refused.
        """
        try:
            answer = await self._attempt("GET", self._origin + self._path, _DEFAULT_HEADERS, None)
        except _NoAnswerError as error:
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

    async def close(self) -> None:
        """Let connections go."""
        if self._client is not None:
            await self._client.close()
            self._client = None

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
        target, headers = self._dressed(request, session)
        try:
            return await self._attempt(request.method, target, headers, request.body)
        except _NoAnswerError as error:
            harmless = error.failure is Failure.CLOSED and request.method in _SAFE
            if not error.unsent and not harmless:
                raise
            self.counts["retries"] += 1
            if error.failure is Failure.CONNECT:
                await asyncio.sleep(_RECONNECT_SECONDS)
        return await self._attempt(request.method, target, headers, request.body)

    def _dressed(self, request: Request, session: Session | None) -> tuple[str, Headers]:
        """URL and headers, with what the user carries."""
        target = self._origin + sendable_target(request.target)
        headers = self._outgoing(request.headers, session.headers if session else (), _DEFAULT_HEADERS)
        if session is not None and session.query:
            mark = "&" if "?" in target else "?"
            target += mark + "&".join(f"{quote(key)}={quote(value, safe='')}" for key, value in session.query)
        return target, headers

    async def _ensure_login(self, session: Session, *, not_before: int = 1) -> None:
        """Log in unless that was done as often as ``not_before``, by whoever needed it first."""
        login = session.user.login
        if login is None or session.logins >= not_before:
            return
        async with session.lock:
            if session.logins >= not_before:
                return
            external = login.endpoint.startswith(("http://", "https://"))
            url = login.endpoint if external else self._origin + sendable_target(login.endpoint)
            self.counts["logins"] += 1
            try:
                answer = await self._attempt(
                    login.method, url, self._outgoing(login.headers, (), _DEFAULT_HEADERS), login.body
                )
            except _NoAnswerError:
                session.logged_in(None)
            else:
                session.logged_in(answer)

    async def _attempt(self, method: str, url: str, headers: Headers, body: bytes | None) -> Response:
        """One request on the wire, when it is its turn. Raises ``_NoAnswerError``."""
        await self._pace.turn()
        client = self._client or self._open()
        self.counts["requests"] += 1
        began = time.perf_counter()
        answer: aiohttp.ClientResponse | None = None
        try:
            answer = await client.request(
                method, URL(url, encoded=True), headers=headers, data=body, allow_redirects=False
            )
            raw, cut = await self._body(answer)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            if answer is not None:
                answer.close()
            # A failing answer whose body breaks off is still a failing answer.
            if answer is None or answer.status < 500:
                raise _explained(error) from error
            raw, cut = b"", True
        else:
            _let_go(answer)
        seconds = time.perf_counter() - began
        content, more = raw, False
        encodings = answer.headers.get("Content-Encoding")
        if encodings:
            content, more = decoded(raw, encodings, limit=self._limits.body)
        return Response(answer.status, _headers(answer), content, seconds, cut or more)

    async def _body(self, answer: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        """At most the kept part of the body, and whether there was more."""
        limit = self._limits.body
        length = answer.content_length
        if length is not None and length <= limit:
            return await answer.read(), False
        pieces: list[bytes] = []
        size = 0
        while size <= limit:
            piece = await answer.content.readany()
            if not piece:
                return b"".join(pieces), False
            pieces.append(piece)
            size += len(piece)
        answer.close()
        return b"".join(pieces)[:limit], True

    def _open(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS, ssl=self._verify)
        self._client = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=self._timeouts.total,
                sock_connect=self._timeouts.connect,
                sock_read=self._timeouts.read,
            ),
            auto_decompress=False,
            skip_auto_headers=_SKIPPED_AUTO_HEADERS,
            max_line_size=self._limits.header,
            max_field_size=self._limits.header,
            middlewares=(_no_hidden_retry,),
            requote_redirect_url=False,
        )
        return self._client


def _origin(target: str) -> tuple[str, str]:
    """``http://host:port`` and the path of a target."""
    try:
        parts = urlsplit(target.strip())
        port = parts.port
    except ValueError as error:
        raise UsageError("the target is not a URL", hint="write --target http://host:port") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("the target is not an http or https URL", hint="write --target http://host:port")
    if parts.username is not None or parts.password is not None:
        raise UsageError("the target holds credentials", hint="give them with --auth instead")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else ""), sendable_target(parts.path or "/")


def _headers(answer: aiohttp.ClientResponse) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.raw_headers)


def _let_go(answer: aiohttp.ClientResponse) -> None:
    """Give the connection back, unless what follows on it cannot be trusted to be the next answer."""
    stray = answer.status == 204 and (
        answer.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in answer.headers
    )
    if stray or answer.status in (101, 205):
        answer.close()
    else:
        answer.release()


def _explained(error: Exception) -> _NoAnswerError:
    """What kind of failure it is, in words without a secret."""
    if isinstance(error, _BrokenError):
        return _NoAnswerError(Failure.CLOSED, "the connection was closed", unsent=error.unsent)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return _NoAnswerError(Failure.CONNECT, "connecting took too long")
    if isinstance(error, TimeoutError):
        return _NoAnswerError(Failure.TIMEOUT, "the answer took too long")
    if isinstance(error, aiohttp.ClientConnectorError):
        return _NoAnswerError(Failure.CONNECT, _reason(error), unsent=True)
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ClientConnectionError | OSError):
        return _NoAnswerError(Failure.CLOSED, "the answer broke off")
    return _NoAnswerError(Failure.PROTOCOL, "the answer is not HTTP")


def _reason(error: aiohttp.ClientConnectorError) -> str:
    """Why there is no connection, in the words of the system."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        cause = error.certificate_error
        detail = cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else str(cause)
        return f"its certificate is not to be trusted: {detail}"
    number = error.os_error.errno
    return os.strerror(number) if number and number > 0 else error.strerror or str(error.os_error)
