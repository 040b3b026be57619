"""A reverse proxy that writes down what passes: a log for a service that keeps too little of one."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from lobrest.app.recording import Body, Scribe, Seen
from lobrest.errors import StoreError, UsageError
from lobrest.model.exchange import Headers

_HOP_BY_HOP: Final = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "expect",
})  # fmt: skip
_BODILESS: Final = frozenset({204, 304})
_UPSTREAM_SECONDS: Final = 300.0
_CONNECT_SECONDS: Final = 10.0
_LARGEST_LINE: Final = 65_536


@dataclass(frozen=True, slots=True)
class RecordOrder:
    """What is to be recorded, and where."""

    upstream: str
    host: str
    port: int
    out: Path
    key: bytes
    """Under which users are hashed."""
    body_limit: int = 256 << 10
    """Longer bodies pass and are not kept."""
    rotate_bytes: int = 256 << 20
    rotated_files: int = 9
    insecure: bool = False
    """Accept any certificate of the service."""


def parse_listen(text: str) -> tuple[str, int]:
    """``8080``, ``:8080``, ``127.0.0.1:8080``, ``[::1]:8080``; without a host, this machine alone."""
    found = re.fullmatch(r"(?:(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*):)?(\d{1,5})", text.strip())
    if found is None or int(found[2]) > 65_535:
        raise UsageError(f"{text!r} is no address to listen on", hint="write --listen 127.0.0.1:8080")
    return (found[1] or "").strip("[]") or "127.0.0.1", int(found[2])


class LogFile:
    """The recorded lines: appended, flushed, and moved aside when they get too many."""

    def __init__(self, path: Path, *, rotate_bytes: int, rotated_files: int) -> None:
        self._path = path
        self._rotate_bytes = rotate_bytes
        self._rotated_files = rotated_files
        self._open()

    def write(self, line: str) -> None:
        """One line, safe from a crash of this program when it returns."""
        data = line.encode("utf-8", "replace") + b"\n"
        try:
            if self._size and self._size + len(data) > self._rotate_bytes:
                self._rotate()
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise StoreError(f"cannot be written: {error.strerror}", source=str(self._path)) from error
        self._size += len(data)

    def close(self) -> None:
        """Let go."""
        self._file.close()

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab")
            self._size = self._path.stat().st_size
        except OSError as error:
            raise StoreError(
                f"cannot be written: {error.strerror}", source=str(self._path), hint="give --out another file"
            ) from error

    def _rotate(self) -> None:
        self._file.close()
        for number in range(self._rotated_files, 0, -1):
            older = self._numbered(number)
            newer = self._numbered(number - 1)
            if newer.exists():
                newer.replace(older)
        self._path.unlink(missing_ok=True)
        self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


@dataclass(slots=True)
class Recorder:
    """The proxy while it runs."""

    order: RecordOrder
    recorded: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Requests that were not passed on or not answered, by kind."""
    _session: aiohttp.ClientSession | None = None
    _log: LogFile | None = None
    _scribe: Scribe | None = None

    async def serve(self, *, ready: Callable[[str], None], stop: asyncio.Event) -> None:
        """Listen until told to stop; ``ready`` is told the address."""
        order = self.order
        if urlsplit(order.upstream).scheme not in ("http", "https") or not urlsplit(order.upstream).hostname:
            raise UsageError(
                "is no URL of a service", source=order.upstream, hint="write --upstream http://host:port"
            )
        self._scribe = Scribe(order.key, body_limit=order.body_limit)
        self._log = LogFile(order.out, rotate_bytes=order.rotate_bytes, rotated_files=order.rotated_files)
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=_CONNECT_SECONDS, sock_read=_UPSTREAM_SECONDS
            ),
            connector=aiohttp.TCPConnector(limit=0, ssl=not order.insecure),
            max_line_size=_LARGEST_LINE,
            max_field_size=_LARGEST_LINE,
        )
        server = web.Server(self._handle, max_line_size=_LARGEST_LINE, max_field_size=_LARGEST_LINE)
        runner = web.ServerRunner(server, shutdown_timeout=5.0)
        try:
            await runner.setup()
            try:
                site = web.TCPSite(runner, order.host, order.port)
                await site.start()
            except OSError as error:
                raise UsageError(
                    f"cannot listen on {order.host}:{order.port}: {error.strerror}",
                    hint="choose another --listen",
                ) from error
            host, port = runner.addresses[0][:2]
            ready(f"http://{f'[{host}]' if ':' in str(host) else host}:{port}")
            await stop.wait()
        finally:
            await runner.cleanup()
            await self._session.close()
            self._log.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            self.failures["websocket"] += 1
            return _refusal(501, "lobrest record passes no websockets on: connect to the service itself")
        if request.method == "CONNECT" or not request.raw_path.startswith("/"):
            self.failures["not a request of a service"] += 1
            return _refusal(400, "lobrest record is no forward proxy: send requests for the service itself")
        return await self._passed(request)

    async def _passed(self, request: web.BaseRequest) -> web.StreamResponse:
        started, clock = time.time(), time.perf_counter()
        sent, got = Body(self.order.body_limit), Body(self.order.body_limit)
        assert self._session is not None
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            answer = await self._session.request(
                request.method,
                URL(self.order.upstream.rstrip("/") + request.raw_path, encoded=True),
                headers=_onwards(request),
                data=_copied(request, sent) if request.body_exists else None,
                allow_redirects=False,
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            )
        except TimeoutError:
            self.failures["timeout"] += 1
            return _refusal(504, "the service did not answer in time")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            self.failures["no answer"] += 1
            return _refusal(502, f"the service gives no answer: {type(error).__name__}")
        cut = False
        async with answer:
            back = web.StreamResponse(status=answer.status, reason=answer.reason, headers=_backwards(answer))
            try:
                await back.prepare(request)
                if request.method != "HEAD" and answer.status not in _BODILESS:
                    async for chunk in answer.content.iter_any():
                        got.add(chunk)
                        await back.write(chunk)
                    await back.write_eof()
            except (aiohttp.ClientError, TimeoutError):
                cut = True  # the service broke off: so must we, or the client takes a part for the whole
                self.failures["broken off by the service"] += 1
            except ConnectionError:
                cut = True
                self.failures["broken off by the client"] += 1
        self._write(
            Seen(
                started,
                time.perf_counter() - clock,
                request.method,
                request.raw_path,
                answer.status,
                request.remote or "",
                _pairs(request.headers),
                sent,
                _pairs(answer.headers),
                got,
                cut,
            )
        )
        if cut and request.transport is not None:
            request.transport.abort()
        return back

    def _write(self, seen: Seen) -> None:
        assert self._scribe is not None
        assert self._log is not None
        try:
            self._log.write(self._scribe.line(seen))
        except StoreError:
            self.failures["not written"] += 1  # the service goes on being served
        else:
            self.recorded += 1


async def _copied(request: web.BaseRequest, body: Body) -> AsyncIterator[bytes]:
    async for chunk in request.content.iter_any():
        body.add(chunk)
        yield chunk


def _onwards(request: web.BaseRequest) -> CIMultiDict[str]:
    """Headers for the service: those of one connection stay with it."""
    headers = _end_to_end(request.headers)
    headers.popall("Host", None)
    forwarded = [*request.headers.getall("X-Forwarded-For", []), request.remote or "unknown"]
    headers["X-Forwarded-For"] = ", ".join(forwarded)
    headers.setdefault("X-Forwarded-Host", request.host)
    headers.setdefault("X-Forwarded-Proto", request.scheme)
    return headers


def _backwards(answer: aiohttp.ClientResponse) -> CIMultiDict[str]:
    return _end_to_end(answer.headers)


def _end_to_end(headers: object) -> CIMultiDict[str]:
    kept: CIMultiDict[str] = CIMultiDict()
    items = list(headers.items())  # type: ignore[attr-defined]
    named = {
        word.strip().lower()
        for name, value in items
        if name.lower() == "connection"
        for word in value.split(",")
    }
    for name, value in items:
        if name.lower() not in _HOP_BY_HOP and name.lower() not in named:
            kept.add(name, value)
    return kept


def _pairs(headers: object) -> Headers:
    return tuple((str(name), str(value)) for name, value in headers.items())  # type: ignore[attr-defined]


def _refusal(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status, headers={"Connection": "close"})
