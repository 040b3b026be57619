"""Tiny services on a loopback port, and campaigns against them from logs that show their business."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, Outcome, run_session
from lobrest.fuzz.state import Depth
from lobrest.transport import read_credentials

START = datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Call:
    """A request as a tiny service sees it."""

    method: str
    path: tuple[str, ...]
    query: dict[str, str]
    body: dict
    user: str


Handler = Callable[[Call], tuple[int, object]]


@contextmanager
def serving(handler: Handler) -> Iterator[str]:
    """The handler behind HTTP, in a thread; users come with Basic authentication."""

    async def answer(request: web.Request) -> web.Response:
        try:
            body = json.loads(await request.read() or b"{}")
        except (ValueError, RecursionError):
            return web.json_response({"message": "malformed"}, status=400)
        kind, _, coded = request.headers.get("Authorization", "").partition(" ")
        user = base64.b64decode(coded).decode().partition(":")[0] if kind == "Basic" else ""
        path = tuple(part for part in request.path.split("/") if part)
        call = Call(request.method, path, dict(request.query), body if isinstance(body, dict) else {}, user)
        status, told = handler(call)
        return web.json_response(told, status=status)

    async def serve() -> None:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.append(runner.addresses[0][1])
        stop.append(asyncio.Event())
        loop.append(asyncio.get_running_loop())
        ready.set()
        await stop[0].wait()
        await runner.cleanup()

    port: list[int] = []
    stop: list[asyncio.Event] = []
    loop: list[asyncio.AbstractEventLoop] = []
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{port[0]}"
    finally:
        loop[0].call_soon_threadsafe(stop[0].set)
        thread.join()


def operation(*parameters: str, query: Sequence[str] = (), answer: dict | None = None) -> dict:
    """An operation of a document: path parameters, queries, and the fields of its answer."""
    declared = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in parameters
    ]
    declared += [{"name": name, "in": "query", "schema": {"type": "string"}} for name in query]
    schema = {"type": "object", "properties": answer or {}}
    return {
        "parameters": declared,
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}},
    }


def access_line(at: float, user: str, method: str, target: str) -> str:
    """A line of nginx, which shows no bodies."""
    moment = datetime.fromtimestamp(START + at, tz=UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'10.0.0.1 - {user} [{moment}] "{method} {target} HTTP/1.1" 200 2 "-" "curl/8"\n'


def campaign(
    folder: Path,
    handler: Handler,
    paths: dict,
    lines: Sequence[str],
    *,
    requests: int,
    depth: Depth = Depth.FUZZ,
    number: int = 1,
) -> Outcome:
    """A real campaign of Ann and Bo, bounded by its requests."""
    spec, log = folder / "api.json", folder / "access.log"
    spec.write_text(
        json.dumps({"openapi": "3.1.0", "info": {"title": "tiny", "version": "1"}, "paths": paths})
    )
    log.write_text("".join(lines))
    prepared = prepare(str(spec), [str(log)] if lines else [], Reading(), lambda _: None)
    with serving(handler) as url:
        order = Order(
            target=url,
            credentials=read_credentials(["ann:one", "bo:two"], environment={}),
            budget=Budget(60.0, requests),
            random_seed=number,
            depth=depth,
        )
        return run_session(prepared, order, None)
