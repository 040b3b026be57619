"""A whole campaign against a service that misbehaves in every way we could think of: does memory stay flat?

    python -m benchmarks.hostile [--requests 200000] [--concurrency 64] [--keep bugs]

One operation for each nastiness (bodies without end, wrong lengths, invalid JSON and charsets, compressed bombs,
redirect loops, closed connections, one byte a second, 10⁵ headers …) and a few that behave, so that there are flows.
The service is a process of its own. Engine, player, watch over outages, cleaner and SQLite store are those of
``lobrest run``; only time-outs are shorter, because a tenth of the requests is never answered.
Printed are what came of every nastiness, failures by kind, and the memory of the client at every tenth of the way.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.unit.transport.hostile_server import (
    BEHAVIOURS,
    Call,
    Handler,
    HostileServer,
    answer,
    hostile_server,
)

from lobrest.app.campaign import Budget, Campaign, Result
from lobrest.app.cleanup import Cleaner
from lobrest.app.clock import SystemClock, today
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.fuzz.cleanup import Ledger
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Player
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.state import Material, Rules
from lobrest.model.event import Event, ExchangeDone
from lobrest.model.operation import Json
from lobrest.store import Keep, open_store
from lobrest.transport import Credential, Credentials, HttpTransport
from lobrest.transport.client import Limits, Timeouts

ANN, BO = (Credential(name, headers=(("Authorization", f"Bearer {name}12345"),)) for name in ("ann", "bo"))
PAGE = resource.getpagesize()
JSON = "Content-Type: application/json\r\n"


def bodies() -> dict[str, bytes]:
    """Bodies that claim to be JSON."""
    return {
        "/cut-json": b'{"id": 1, "items": [1, 2',
        "/deep-json": b"[" * 100_000 + b"]" * 100_000,
        "/wide-json": json.dumps({f"k{number}": number for number in range(20_000)}).encode(),
        "/huge-number": b'{"id": ' + b"9" * 100_000 + b"}",
        "/nan": b'{"id": NaN, "n": Infinity, "e": 1e999999}',
        "/twice": b'{"id": 1, "id": 2, "\\ud800": "\\udfff"}',
        "/latin": b'{"name": "\xe9\xff"}',
        "/null": b"null",
        "/text": b"\x00\x01 no JSON at all \r\n\r\n HTTP/1.1 200 OK",
    }


def saying(data: bytes) -> Handler:
    """Always the same bytes."""

    async def handler(_server: HostileServer, _call: Call, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return handler


async def things(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    """The part that behaves."""
    made = server.hits["/things"]
    body = json.dumps({"id": made} if call.method == "POST" else [{"id": made}]).encode()
    writer.write(answer(body, status="201 Created" if call.method == "POST" else "200 OK", headers=JSON))


async def random_failure(server: HostileServer, _call: Call, writer: asyncio.StreamWriter) -> None:
    """Another message every time: bugs that must be told to be one."""
    number = server.hits["/random-failure"]
    body = json.dumps({"message": f"error {number:x} at 0x{number * 7919:x} in user-{number}"}).encode()
    writer.write(answer(body, status="500 Oops", headers=JSON))


async def one_byte(_server: HostileServer, _call: Call, writer: asyncio.StreamWriter) -> None:
    """One byte a second."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1.0)


def install() -> list[str]:
    """All nastinesses, by path."""
    for path, body in bodies().items():
        BEHAVIOURS[path] = saying(answer(body, headers=JSON))
    # Made once: the service is not what is measured.
    headers = b"".join(b"X-%d: y\r\n" % number for number in range(100_000))
    BEHAVIOURS["/many-headers"] = saying(b"HTTP/1.1 200 OK\r\n" + headers + b"Content-Length: 0\r\n\r\n")
    zeros = gzip.compress(bytes(30 << 20), 5)
    BEHAVIOURS["/bomb"] = saying(answer(zeros, headers="Content-Encoding: gzip\r\n"))
    twice = gzip.compress(gzip.compress(bytes(50 << 20), 5))
    BEHAVIOURS["/nested-bomb"] = saying(answer(twice, headers="Content-Encoding: gzip, gzip\r\n"))
    BEHAVIOURS["/one-byte"] = one_byte
    BEHAVIOURS["/random-failure"] = random_failure
    nasty = sorted(BEHAVIOURS)
    BEHAVIOURS["/things"] = things
    return nasty


def document() -> Json:
    """One path for each nastiness, read and written."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    told = {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
    body = {"content": {"application/json": {"schema": schema}}}
    paths: dict[str, Json] = {
        path: {"get": {"responses": told}, "post": {"requestBody": body, "responses": told}}
        for path in install()
    }
    number = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    paths["/things"] = {"get": {"responses": told}, "post": {"requestBody": body, "responses": told}}
    paths["/things/{id}"] = {
        method: {"parameters": [number], "responses": told} for method in ("get", "put", "delete")
    }
    return {"openapi": "3.1.0", "info": {"title": "hostile", "version": "1"}, "paths": paths}


async def serve() -> None:
    """The service, until killed; its address is the first line."""
    install()
    async with hostile_server() as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


def resident() -> int:
    """Bytes of this process in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


class Tally:
    """What came of what, and how much memory it took."""

    def __init__(self, requests: int) -> None:
        self.outcomes: dict[str, Counter[str]] = {}
        self.memory: list[tuple[int, int]] = []
        self._requests = requests
        self._seen = 0

    def __call__(self, events: Sequence[Event]) -> None:
        for event in events:
            if not isinstance(event, ExchangeDone):
                continue
            exchange = event.exchange
            path = exchange.request.operation.partition(" ")[2]
            came = exchange.failure.value if exchange.failure else str(exchange.status)
            if exchange.response is not None and exchange.response.truncated:
                came += " cut"
            self.outcomes.setdefault(path, Counter())[came] += 1
            self._seen += 1
            if self._seen % max(1, self._requests // 20) == 0:
                self.memory.append((self._seen, resident()))
                print(
                    f"  {self._seen:>9,} requests, {self.memory[-1][1] / 1e6:,.0f} MB",
                    file=sys.stderr,
                    flush=True,
                )


async def campaign(
    prepared: Prepared, url: str, folder: Path, arguments: argparse.Namespace, tally: Tally
) -> tuple[Result, HttpTransport, Engine, Cleaner]:
    """As ``lobrest run --cleanup`` does it, with shorter time-outs."""
    spec, model, router = prepared.spec, prepared.model, prepared.router
    credentials = Credentials((ANN, BO))
    transport = HttpTransport(
        url,
        credentials,
        concurrency=arguments.concurrency,
        timeouts=Timeouts(connect=2.0, read=0.6, total=1.2),
        limits=Limits(retry_after=0.05),
    )
    engine = Engine(
        Material(spec, model, prepared.corpus, prepared.slices), Rules(1, credentials.names, {}, today())
    )
    clock = SystemClock()
    ledger = Ledger(spec, model, router, base_path="", people={})
    cleaner = Cleaner(transport, ledger, clock, everybody=credentials.names, beyond=2000)
    store = open_store(folder, create=True, keep=arguments.keep)
    try:
        run = Campaign(
            engine,
            Player(spec, model, Renderer(spec, router, base_path=""), now=today()),
            cleaner,
            clock,
            Budget(arguments.minutes * 60.0, arguments.requests),
            sinks=[store.record, tally],
            window=4 * arguments.concurrency,
        )
        result = await run.run()
        await cleaner.sweep(30.0)
        return result, transport, engine, cleaner
    finally:
        store.close()
        await transport.close()


def shown(
    result: Result, transport: HttpTransport, engine: Engine, cleaner: Cleaner, tally: Tally, seconds: float
) -> None:
    """The figures."""
    print(f"\n{'nastiness':<26} {'requests':>9}  what came of them")
    for path, outcomes in sorted(tally.outcomes.items()):
        told = ", ".join(f"{came}: {times:,}" for came, times in outcomes.most_common())
        print(f"{path:<26} {outcomes.total():>9,}  {told}")
    print(f"\nfailures by kind: {dict(sorted(result.failures.items()))}")
    print(f"transport: {dict(sorted(transport.counts.items()))}")
    outages = [one.summary for one in result.outages]
    print(f"outages: {len(outages)} {outages[:3]}")
    print(f"bugs: {len(engine.state.triage.bugs)}; {cleaner.counts.words()}")
    first = tally.memory[len(tally.memory) // 5][1]
    last = max(size for _, size in tally.memory[len(tally.memory) // 2 :])
    print("memory: " + ", ".join(f"{seen:,}: {size / 1e6:,.0f} MB" for seen, size in tally.memory[1::2]))
    print(f"largest in the second half against a fifth of the way: ×{last / first:.2f}")
    cpu = resource.getrusage(resource.RUSAGE_SELF)
    used = cpu.ru_utime + cpu.ru_stime
    print(f"{result.requests:,} requests in {seconds:,.0f} s, {used:,.0f} s of CPU; ended: {result.reason}")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="give up after so long")
    parser.add_argument("--keep", type=Keep, default=Keep.BUGS, choices=list(Keep))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return
    service = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.hostile", "--serve"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert service.stdout is not None
    try:
        url = service.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "api.json"
            spec.write_text(json.dumps(document()))
            prepared = prepare(str(spec), [], Reading(), lambda _: None)
            tally = Tally(arguments.requests)
            began = time.monotonic()
            ended = asyncio.run(campaign(prepared, url, Path(folder), arguments, tally))
            shown(*ended, tally, time.monotonic() - began)
    finally:
        service.kill()
        service.wait()


if __name__ == "__main__":
    main()
