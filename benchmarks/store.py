"""What recording costs: the same campaign with every kind of keeping and with none, side by side.

    python -m benchmarks.store [--requests 12000] [--concurrency 8] [--rounds 5] [--postgresql]
    python -m benchmarks.store --profile                where the CPU of recording everything goes

Whole campaigns with the same random number against a trivial service (``benchmarks.trivial_service``) in another
process; the same answers give the same requests, so only the keeping differs. Each campaign has a process of its
own, whose CPU is counted from its first request to the closed store, with all threads. Rounds are interleaved and
medians are printed. On a machine that is not idle look at the CPU, with ``--busy``: then a second of the campaign is
a second of its CPU, so that transactions and snapshots are as frequent as they would be if nobody else was there.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engine import cpu_seconds, service
from benchmarks.trivial_service import log_lines, specification
from tests.conformance.postgresql import binaries, postgresql_server

from lobrest.app import session
from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.app.work import WorkFolder
from lobrest.store import Keep, writer
from lobrest.transport import Credential, Credentials

NOTHING = "nothing"
_BUSY_INTERVAL = 10.0
KINDS = (NOTHING, *(keep.value for keep in (Keep.BUGS, Keep.INTERESTING, Keep.ALL)))


@dataclass(frozen=True)
class Cost:
    """One campaign."""

    cpu: float
    seconds: float
    requests: int
    size: int
    """Bytes of the database."""


class CpuClock:
    """Seconds of work; see ``ports.Clock``."""

    def now(self) -> float:
        """Seconds that never go back."""
        return time.process_time()


def campaign(url: str, material: Path, kept: str, requests: int, concurrency: int, store: str) -> Cost:
    """A campaign, and what it took from its first request to its end."""
    prepared = prepare(str(material / "spec.json"), [str(material / "log.jsonl")], Reading(), lambda _: None)
    ann = Credential("ann", headers=(("Authorization", "Bearer abcdef"),))
    keep = Keep.BUGS if kept == NOTHING else Keep(kept)
    order = Order(
        url,
        Credentials((ann,)),
        Budget(3600, requests),
        concurrency=concurrency,
        keep=keep,
        allow=("*",),
        store=store,
    )
    began: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        work = WorkFolder.create(Path(folder) / "work", stem="") if kept != NOTHING else None
        outcome = run_session(
            prepared, order, work, begun=lambda _: began.append((cpu_seconds(), time.perf_counter()))
        )
        cpu, seconds = cpu_seconds() - began[0][0], time.perf_counter() - began[0][1]
        database = Path(folder) / "work" / "lobrest.db"
        size = database.stat().st_size if database.exists() else 0
    return Cost(cpu, seconds, outcome.result.requests, size)


def measured(*words: object, busy: bool = False) -> Cost:
    """The same in a process of its own."""
    more = ["--busy"] if busy else []
    command = [sys.executable, "-m", "benchmarks.store", *more, "--measure", *map(str, words)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Cost(*json.loads(ran.stdout.splitlines()[-1]))


def profile(run: Callable[[], object]) -> None:
    """Functions of all threads, the dearest first."""
    profilers: list[cProfile.Profile] = []

    def watched(*_: object) -> None:
        profiler = cProfile.Profile(time.thread_time)
        profilers.append(profiler)
        profiler.enable()

    threading.setprofile(watched)  # a thread's first event puts a profiler in its place
    main = cProfile.Profile(time.thread_time)
    main.runcall(run)
    threading.setprofile(None)
    pstats.Stats(main).sort_stats("tottime").print_stats("lobrest|sqlite|json|zlib", 45)
    for profiler in profilers:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--postgresql", action="store_true", help="also keep everything in PostgreSQL")
    parser.add_argument("--busy", action="store_true", help="the machine is not idle: time is CPU time")
    parser.add_argument("--profile", action="store_true", help="profile one campaign instead")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.busy:
        session.SystemClock = CpuClock  # type: ignore[assignment,misc]
        writer._INTERVAL_SECONDS = _BUSY_INTERVAL  # type: ignore[misc]
    if given.measure:
        url, folder, kept, requests, concurrency, *store = given.measure
        cost = campaign(url, Path(folder), kept, int(requests), int(concurrency), "".join(store))
        print(json.dumps([cost.cpu, cost.seconds, cost.requests, cost.size]))
        return
    with ExitStack() as stack:
        url = stack.enter_context(service())
        material = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (material / "spec.json").write_text(json.dumps(specification(url)))
        (material / "log.jsonl").write_text("\n".join(log_lines()) + "\n")
        if given.profile:
            profile(lambda: campaign(url, material, "all", given.requests, given.concurrency, ""))
            return
        stores = [(kind, kind, "") for kind in KINDS]
        programs = binaries() if given.postgresql else None
        if programs is not None:
            server = stack.enter_context(postgresql_server(programs))
            stores.append(("all, in PostgreSQL", "all", server.url))
        costs: dict[str, list[Cost]] = {}
        for _ in range(given.rounds):
            for name, kind, store in stores:
                more = [store] if store else []
                cost = measured(
                    url, material, kind, given.requests, given.concurrency, *more, busy=given.busy
                )
                costs.setdefault(name, []).append(cost)
    _print(costs)


def _print(costs: dict[str, list[Cost]]) -> None:
    def median(name: str, value: Callable[[Cost], float]) -> float:
        return statistics.median(value(cost) for cost in costs[name])

    base_rate = median(NOTHING, lambda one: one.requests / one.seconds)
    base_cpu = median(NOTHING, lambda one: one.cpu / one.requests)
    print(f"{'kept':<20} {'requests/s':>11} {'lost':>7} {'CPU µs/request':>15} {'more':>7} {'bytes':>6}")
    for name in costs:
        rate = median(name, lambda one: one.requests / one.seconds)
        cpu = median(name, lambda one: one.cpu / one.requests)
        size = median(name, lambda one: one.size / one.requests)
        print(
            f"{name:<20} {rate:>11.0f} {1 - rate / base_rate:>7.1%} {cpu * 1e6:>15.0f}"
            f" {cpu / base_cpu - 1:>7.1%} {size:>6.0f}"
        )


if __name__ == "__main__":
    main()
