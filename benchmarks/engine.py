"""CPU per request of a whole campaign, beside bare loops over HTTP clients and beside Schemathesis.

    python -m benchmarks.engine [--requests 12000] [--concurrency 8] [--rounds 3] [--schemathesis 60]

A trivial service (``benchmarks.trivial_service``) runs in a process of its own and counts what it is sent; CPU is
that of the client's process alone. The loops send the very requests of a campaign, that many at a time, and read
the answers: one over aiohttp, a general client, one over lobrest's own transport. Everything is switched on in
campaigns: mutation, binding, feedback, oracles, triage, store. Rounds are interleaved and medians are printed.
Schemathesis is left out where its environment is not in the benchmark's cache (``make bench`` puts it there) or with
``--schemathesis 0``.

    python -m benchmarks.engine --profile           where the CPU of a campaign goes, by function
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import pstats
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import aiohttp
from benchmarks.bench.cache import Cache, default_folder
from benchmarks.bench.peers.schemathesis import REQUIREMENTS
from benchmarks.trivial_service import log_lines, specification

from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.app.work import WorkFolder
from lobrest.model.exchange import Request
from lobrest.store import Keep, open_store
from lobrest.transport import Credential, Credentials, HttpTransport

ANN = Credential("ann", headers=(("Authorization", "Bearer abcdef"),))


@dataclass(frozen=True)
class Cost:
    """What one run took: CPU seconds of the client, all of them and those of preparing."""

    cpu: float
    prepared: float
    requests: int

    @property
    def each(self) -> float:
        """Microseconds a request, without preparing."""
        return (self.cpu - self.prepared) / self.requests * 1e6


@dataclass(frozen=True)
class Task:
    """What a client is given."""

    url: str
    folder: Path
    requests: int
    concurrency: int

    @property
    def spec(self) -> Path:
        return self.folder / "spec.json"

    @property
    def log(self) -> Path:
        return self.folder / "log.jsonl"

    @property
    def sent(self) -> Path:
        """The requests of a campaign, one JSON object a line."""
        return self.folder / "sent.jsonl"


@contextmanager
def service() -> Iterator[str]:
    """The address of a trivial service."""
    command = [sys.executable, "-m", "benchmarks.trivial_service"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def counted(url: str) -> int:
    """Requests the service has been sent."""
    with urllib.request.urlopen(f"{url}/requests") as answer:
        return int(answer.read())


def cpu_seconds(who: int = resource.RUSAGE_SELF) -> float:
    """User and system time."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def bare(task: Task) -> float:
    """The HTTP library alone; the CPU of preparing."""
    rows = [json.loads(line) for line in task.sent.read_text().splitlines()]
    fixed = {"Authorization": "Bearer abcdef", "User-Agent": "bare", "Accept": "*/*"}
    requests = [
        (
            row["method"],
            task.url + row["target"],
            {**fixed, **dict(row["headers"])},
            row["body"].encode() or None,
        )
        for row in rows
    ]
    queue = islice(cycle(requests), task.requests)

    async def worker(session: aiohttp.ClientSession) -> None:
        for method, url, headers, body in queue:
            async with session.request(method, url, headers=headers, data=body) as answer:
                await answer.read()

    async def everything() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            await asyncio.gather(*(worker(session) for _ in range(task.concurrency)))

    before = cpu_seconds()
    asyncio.run(everything())
    return before


def transport(task: Task) -> float:
    """lobrest's transport alone, the same requests."""
    rows = [json.loads(line) for line in task.sent.read_text().splitlines()]
    requests = [
        Request(
            row["operation"],
            row["method"],
            row["target"],
            tuple((name, value) for name, value in row["headers"]),
            row["body"].encode() or None,
            "ann",
        )
        for row in rows
    ]
    queue = islice(cycle(requests), task.requests)

    async def everything() -> None:
        client = HttpTransport(task.url, Credentials((ANN,)), concurrency=task.concurrency)

        async def worker() -> None:
            for request in queue:
                await client.send(request)

        await asyncio.gather(*(worker() for _ in range(task.concurrency)))
        await client.close()

    before = cpu_seconds()
    asyncio.run(everything())
    return before


def campaign(task: Task, keep: Keep | None) -> float:
    """A whole campaign; without ``keep`` nothing is written."""
    prepared = prepare(str(task.spec), [str(task.log)], Reading(), lambda _: None)
    order = Order(
        task.url,
        Credentials((ANN,)),
        Budget(3600, task.requests),
        concurrency=task.concurrency,
        keep=keep or Keep.BUGS,
        allow=("*",),
    )
    before = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder:
        work = WorkFolder.create(Path(folder) / "work", stem="") if keep is not None else None
        run_session(prepared, order, work)
        if not task.sent.exists() and work is not None:
            task.sent.write_text("\n".join(_requests(work)))
    return before


def _requests(work: WorkFolder) -> Iterator[str]:
    store = open_store(work.path, create=False, readonly=True)
    for stored in store.exchanges(limit=1_000_000):
        one = stored.exchange.request
        try:
            body = (one.body or b"").decode()
        except UnicodeDecodeError:
            continue
        yield json.dumps(
            {
                "operation": one.operation,
                "method": one.method,
                "target": one.target,
                "headers": one.headers,
                "body": body,
            }
        )
    store.close()


CLIENTS: dict[str, Callable[[Task], float]] = {
    "aiohttp loop": bare,
    "transport loop": transport,
    "campaign, no store": lambda task: campaign(task, None),
    "campaign, keep=bugs": lambda task: campaign(task, Keep.BUGS),
    "campaign, keep=all": lambda task: campaign(task, Keep.ALL),
}


def measured(name: str, task: Task) -> Cost:
    """One client in a process of its own."""
    before = counted(task.url)
    words = [task.url, str(task.folder), str(task.requests), str(task.concurrency)]
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.engine", "--measure", name, *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    cpu, prepared = json.loads(ran.stdout.splitlines()[-1])
    return Cost(cpu, prepared, counted(task.url) - before)


def schemathesis(task: Task, seconds: int) -> Cost | None:
    """Schemathesis on the same specification and service, with what its first second costs taken off."""
    home = Cache(default_folder()).folder / "schemathesis" / "venv"
    stamp = home / "requirements.txt"
    if not seconds or not stamp.is_file() or stamp.read_text() != "\n".join(REQUIREMENTS):
        return None
    program = home / "bin" / "st"
    start = cpu_seconds(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    prepared = cpu_seconds(resource.RUSAGE_CHILDREN) - start
    before, start = counted(task.url), cpu_seconds(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [  # as in benchmarks.bench.peers
            program,
            "run",
            task.spec,
            "--url",
            task.url,
            "--header",
            "Authorization: Bearer abcdef",
            "--max-time",
            str(seconds),
            "--workers",
            "2",
            "--seed",
            "1",
            "--suppress-health-check",
            "all",
            "--no-color",
        ],
        stdout=subprocess.DEVNULL,
        cwd=task.folder,
        check=False,
    )
    return Cost(cpu_seconds(resource.RUSAGE_CHILDREN) - start, prepared, counted(task.url) - before)


def profile(task: Task) -> None:
    """A campaign's functions, the dearest first."""
    profiler = cProfile.Profile(time.thread_time)
    profiler.runcall(campaign, task, Keep.ALL)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--schemathesis", type=int, default=60, metavar="S", help="seconds of it; 0 for none")
    parser.add_argument("--profile", action="store_true", help="profile one campaign instead")
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        name, url, folder, requests, concurrency = given.measure
        prepared = CLIENTS[name](Task(url, Path(folder), int(requests), int(concurrency)))
        print(json.dumps([cpu_seconds(), prepared]))
        return
    with service() as url, tempfile.TemporaryDirectory() as folder:
        task = Task(url, Path(folder), given.requests, given.concurrency)
        task.spec.write_text(json.dumps(specification(url)))
        task.log.write_text("\n".join(log_lines()) + "\n")
        if given.profile:
            profile(task)
            return
        costs: dict[str, list[Cost]] = {}
        measured("campaign, keep=all", task)  # leaves the requests that the loops send
        for _ in range(given.rounds):
            for name in CLIENTS:
                costs.setdefault(name, []).append(measured(name, task))
        peer = schemathesis(task, given.schemathesis)
        if peer is not None:
            costs["Schemathesis"] = [peer]
    base = statistics.median(one.each for one in costs["aiohttp loop"])
    print(
        f"{'client':<20} {'CPU µs a request':>17} {'of aiohttp':>12} {'requests':>9} {'CPU s to begin':>15}"
    )
    for name, found in costs.items():
        each = statistics.median(one.each for one in found)
        begin = statistics.median(one.prepared for one in found)
        print(f"{name:<20} {each:>17.0f} {each / base:>11.2f}× {found[-1].requests:>9} {begin:>15.1f}")
    if "Schemathesis" in costs:
        whole = statistics.median(one.each for one in costs["campaign, keep=all"])
        print(f"Schemathesis costs {costs['Schemathesis'][0].each / whole:.1f} times a whole campaign")


if __name__ == "__main__":
    main()
