"""CPU per request of HTTP clients and of lobrest's transport over one of them, side by side.

    python -m benchmarks.transport [--requests 8000] [--concurrency 16] [--rounds 3]
    python -m benchmarks.transport --hostile 200000     memory and failures against a service that misbehaves

A trivial server answers in a process of its own; only the client's CPU is counted. Clients that are not
installed are left out. The rounds are interleaved, and the best of each is printed: noise only adds.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from tests.unit.transport.hostile_server import BEHAVIOURS, hostile_server

from lobrest.model.exchange import Request, Response
from lobrest.model.operation import OperationId
from lobrest.transport import Credential, Credentials, HttpTransport, Limits, Timeouts

BODY = json.dumps({"title": "an issue", "labels": ["bug", "later"], "weight": 3}).encode()
ANSWER = json.dumps(
    {"id": 17, "title": "an issue", "state": "opened", "author": {"id": 1, "name": "ann"}}
).encode()

Send = Callable[[], Awaitable[None]]


class TrivialServer(asyncio.Protocol):
    """Answers every request alike, as cheaply as Python can; requests must come whole and one at a time."""

    REPLY = (
        b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        b"X-Request-Id: 6e1f2a\r\nContent-Length: %d\r\n\r\n%b" % (len(ANSWER), ANSWER)
    )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = self._buffer.partition(b"\r\n\r\n")
        if not end:
            return
        _, _, length = head.lower().partition(b"content-length: ")
        if len(body) >= int(length.split(b"\r\n")[0] or 0):
            self._buffer = b""
            self._transport.write(self.REPLY)


async def serve() -> None:
    """Print the port, then answer until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(TrivialServer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


@contextmanager
def trivial_server(kind: str = "trivial") -> Iterator[str]:
    """The URL of a server in a process of its own; ``hostile`` is the other kind."""
    command = [sys.executable, "-m", "benchmarks.transport", "--serve", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


@dataclass(frozen=True)
class Cost:
    """What a number of requests took."""

    cpu_us: float
    per_second: float


def cpu_seconds() -> float:
    """User and system time of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def measure(send: Send, requests: int, concurrency: int) -> Cost:
    """Send that many, that many at a time."""

    async def worker(count: int) -> None:
        for _ in range(count):
            await send()

    await worker(50)
    cpu, began = cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(worker(requests // concurrency) for _ in range(concurrency)))
    done = requests // concurrency * concurrency
    return Cost((cpu_seconds() - cpu) / done * 1e6, done / (time.perf_counter() - began))


@asynccontextmanager
async def bare_aiohttp(url: str) -> AsyncIterator[Send]:
    """aiohttp with nothing around it."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer abcdef"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def send() -> None:
            async with session.post(f"{url}/projects/15/issues", data=BODY, headers=headers) as answer:
                await answer.read()

        yield send


@asynccontextmanager
async def bare_pyreqwest(url: str) -> AsyncIterator[Send]:
    """pyreqwest with nothing around it."""
    from pyreqwest.client import ClientBuilder  # measured only where it is installed

    headers = {"Content-Type": "application/json", "Authorization": "Bearer abcdef"}
    async with ClientBuilder().build() as client:

        async def send() -> None:
            request = client.post(f"{url}/projects/15/issues").headers(headers).body_bytes(BODY).build()
            answer = await request.send()
            await answer.bytes()

        yield send


@asynccontextmanager
async def lobrest_transport(url: str) -> AsyncIterator[Send]:
    """What campaigns use."""
    ann = Credential("ann", headers=(("Authorization", "Bearer abcdef"),))
    transport = HttpTransport(url, Credentials((ann,)), concurrency=1024)
    headers = (("Content-Type", "application/json"),)
    operation = OperationId("POST /projects/{id}/issues")
    request = Request(operation, "POST", "/projects/15/issues", headers, BODY, "ann")

    async def send() -> None:
        await transport.send(request)

    yield send
    await transport.close()


def clients() -> dict[str, Callable[[str], object]]:
    """Everything that can be measured here."""
    found: dict[str, Callable[[str], object]] = {"aiohttp, bare": bare_aiohttp}
    if importlib.util.find_spec("pyreqwest"):
        found["pyreqwest, bare"] = bare_pyreqwest
    found["lobrest transport"] = lobrest_transport
    return found


async def serve_hostile() -> None:
    """Print the port, then misbehave until standard input ends."""
    async with hostile_server() as server:
        print(server.url.rpartition(":")[2], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def resident_mib() -> float:
    """Memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


async def hostile(url: str, count: int, concurrency: int) -> None:
    """So many requests to every kind of misbehaviour: memory, tenth by tenth, and what came back."""
    limits = Limits(body=1 << 16, retry_after=0.01)
    timeouts = Timeouts(connect=5, read=1, total=2)
    transport = HttpTransport(url, Credentials(), concurrency=concurrency, limits=limits, timeouts=timeouts)
    # What keeps either side busy for long comes once in a while, the rest ten times as often.
    slow = {"/many-headers", "/trickle", "/failing-trickle", "/silent", "/interim"}
    paths = [*sorted(BEHAVIOURS.keys() - slow) * 10, *sorted(slow)]
    numbers = iter(range(1, count + 1))
    outcomes: Counter[str] = Counter()

    async def worker() -> None:
        for number in numbers:
            path = paths[number % len(paths)]
            outcome = await transport.send(Request(OperationId(f"GET {path}"), "GET", path))
            outcomes[str(outcome.status) if isinstance(outcome, Response) else outcome.value] += 1
            if number % max(1, count // 10) == 0:
                print(f"{number:>8} requests  {resident_mib():>6.1f} MiB", flush=True)

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    await transport.close()
    print(", ".join(f"{name}: {total}" for name, total in sorted(outcomes.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=8000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", choices=("trivial", "hostile"), help="only serve, for the other process")
    parser.add_argument("--hostile", type=int, metavar="N", help="send N requests to a hostile service")
    given = parser.parse_args()
    if given.hostile:
        with trivial_server("hostile") as url:
            asyncio.run(hostile(url, given.hostile, given.concurrency))
        return
    if given.serve:
        asyncio.run(serve() if given.serve == "trivial" else serve_hostile())
        return
    best: dict[str, Cost] = {}
    with trivial_server() as url:
        for _ in range(given.rounds):
            for name, client in clients().items():

                async def run(client: Callable[[str], object] = client) -> Cost:
                    async with client(url) as send:  # type: ignore[attr-defined]
                        return await measure(send, given.requests, given.concurrency)

                cost = asyncio.run(run())
                if name not in best or cost.cpu_us < best[name].cpu_us:
                    best[name] = cost
    base = best["aiohttp, bare"].cpu_us
    print(f"{'client':<20} {'CPU µs a request':>17} {'requests/s':>11} {'of aiohttp':>11}")
    for name, cost in best.items():
        print(f"{name:<20} {cost.cpu_us:>17.0f} {cost.per_second:>11.0f} {cost.cpu_us / base:>10.2f}×")


if __name__ == "__main__":
    main()
