"""How long each page of the dashboard takes, for campaigns of growing size: it must not grow with the requests.

    .venv/bin/python benchmarks/dashboard.py [--sizes 10000,100000,1000000] [--store postgresql://…] [--out F]

A campaign is made up: the same operations, users, flows and bugs at every size, only ever more plays of them. Pages
are asked for over HTTP from the real server, each a few times; the median and the slowest are told, in milliseconds
of processor time (which other programs on the machine do not change), and the ratio of the largest campaign to the
smallest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
from aiohttp import web

from lobrest.app.outline import keep_outline
from lobrest.model.bug import Bug, BugKey
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.event import (
    BugFound,
    CampaignEnded,
    Event,
    ExchangeDone,
    FlowReplayed,
    OperationCovered,
    Played,
    SeedAdded,
)
from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin, Seed, SeedId, Step
from lobrest.model.slice import Slice, Strategy
from lobrest.model.summary import (
    FlowTotals,
    ModuleResult,
    OperationResult,
    OperationTotals,
    StageTimes,
    Summary,
)
from lobrest.report.data import ReportData
from lobrest.report.derive import flow_map
from lobrest.store import open_store
from lobrest.web.access import Access
from lobrest.web.server import application
from lobrest.web.site import Site
from lobrest.web.watched import watch

STEPS = 5
RATE = 100
"""Requests a second."""
RESOURCES = 60
USERS = ("ann", "ben", "cid", "dora")
KINDS = ("mutate", "walk", "probe", "reach", "again")
OPERATIONS = [
    OperationId(operation)
    for number in range(RESOURCES)
    for operation in (
        f"GET /things{number}",
        f"POST /things{number}",
        f"GET /things{number}/{{id}}",
        f"PUT /things{number}/{{id}}",
        f"DELETE /things{number}/{{id}}",
    )
]
RARE = OPERATIONS[-1]
PAGES = {
    "overview": "/c/1/",
    "bugs": "/c/1/bugs",
    "bug": "/c/1/bugs/7",
    "requests, newest": "/c/1/requests",
    "requests, in the middle": "/c/1/requests?before={middle}",
    "requests of one operation": "/c/1/requests?op=GET+%2Fthings3%2F%7Bid%7D",
    "requests of a rare one": "/c/1/requests?op=" + "DELETE+%2Fthings59%2F%7Bid%7D",
    "requests answered 404": "/c/1/requests?status=404",
    "requests answered 5XX": "/c/1/requests?status=5xx",
    "requests of one kind": "/c/1/requests?kind=probe",
    "requests of one user and kind": "/c/1/requests?kind=walk&user=dora&status=2xx",
    "requests with rare words": "/c/1/requests?q=no+such+words",
    "request": "/c/1/requests/{middle}",
    "operations": "/c/1/operations",
    "operation": "/c/1/operation?op=GET+%2Fthings3%2F%7Bid%7D",
    "flows": "/c/1/flows",
    "seeds": "/c/1/seeds",
    "seed": "/c/1/seeds/flow3",
    "not reached": "/c/1/unreached",
    "time": "/c/1/time",
    "search": "/c/1/search?q=things7",
}


def exchange(chance: random.Random, operation: OperationId, number: int, step: int, at: float) -> Exchange:
    """A plausible answer: mostly success, some refusals, seldom a failure."""
    roll = chance.random()
    status = 200 if roll < 0.7 else 404 if roll < 0.85 else 400 if roll < 0.995 else 500
    body = b'{"id": %d, "name": "thing %d", "state": "open"}' % (number, number % 977)
    request = Request(
        operation,
        operation.split()[0],
        operation.split()[1].replace("{id}", str(number % 5003)) + f"?page={number % 7}",
        (("Content-Type", "application/json"),),
        body if step % 2 else None,
        USERS[number % len(USERS)],
    )
    return Exchange(
        request, Response(status, (("Content-Type", "application/json"),), body, 0.01), None, at, step
    )


def flow(number: int) -> Seed:
    """A logged flow over one resource."""
    entries = tuple(
        LogEntry(
            1_700_000_000.0 + 60 * number + step,
            OPERATIONS[(number * 5 + step) % len(OPERATIONS)],
            Arguments(),
            UserId(USERS[number % 4]),
            200,
        )
        for step in range(STEPS)
    )
    return Seed(
        SeedId(f"flow{number}"),
        tuple(Step(entry, Origin.LOG) for entry in entries),
        (),
        Slice(entries, (Strategy.MLTS,)),
        Origin.LOG,
    )


def events(requests: int) -> Iterator[Event]:
    """The campaign, play by play. Seeds and bugs are the same at every size."""
    chance = random.Random(1)
    flows = [flow(number) for number in range(200)]
    for number, seed in enumerate(flows):
        yield SeedAdded(0.01 * number, seed, "log")
        if number % 2:
            yield FlowReplayed(0.01 * number, seed.id)
    for number, operation in enumerate(OPERATIONS[:-20]):
        yield OperationCovered(0.02 * number, operation)
    for number in range(40):
        path = tuple(exchange(chance, OPERATIONS[number + step], number, step, 1.0) for step in range(4))
        key = BugKey(OPERATIONS[number + 3], 500, f"it broke in way {number}")
        yield BugFound(
            1.0, Bug(number + 1, key, f"it broke in way {number}", number / 2, path, flows[number].id)
        )
    for play in range(requests // STEPS):
        at = play * STEPS / RATE
        kind = KINDS[play % len(KINDS)] if play >= len(flows) else "first"
        yield Played(at, play, flows[play % len(flows)].id, kind, ("value",), STEPS, STEPS - 1)
        for step in range(STEPS):
            number = play * STEPS + step
            # The rare one is seen once in every campaign, near its beginning.
            operation = RARE if number == 77 else OPERATIONS[chance.randrange(len(OPERATIONS) - 1)]
            yield ExchangeDone(
                at, flows[play % len(flows)].id, play, exchange(chance, operation, number, step, at)
            )
    yield CampaignEnded(requests / RATE, "time is up")


def outline(folder: Path) -> ReportData:
    """What is known before the first request."""
    rows = tuple(OperationResult(one, one.split("/")[1], {}) for one in OPERATIONS)
    modules = tuple(ModuleResult(f"things{number}", 5, 0) for number in range(RESOURCES))
    summary = Summary(
        service="Made up", profile="default", seed=1, started="2026-01-01T00:00:00", duration_s=0.0, requests=0,
        requests_per_s=0.0, operations=OperationTotals(len(rows), 0, 0, rows), modules=modules,
        flows=FlowTotals(200, 0), bugs=(), timeline=(), stages=StageTimes(),
        extra={"actors": list(USERS), "budget_s": 600.0},
    )  # fmt: skip
    slices = [flow(number).source for number in range(200)]
    return ReportData(
        summary, target="http://127.0.0.1:1", flows=flow_map(slices, summary), folder=str(folder)
    )


def generate(place: str, folder: Path, requests: int) -> float:
    """A campaign of that size; the seconds it took."""
    began = time.perf_counter()
    store = open_store(place, create=True)
    keep_outline(store, outline(folder))
    pending: list[Event] = []
    for event in events(requests):
        pending.append(event)
        if len(pending) >= 2000:
            store.record(pending)
            pending = []
    store.record(pending)
    store.close()
    return time.perf_counter() - began


async def measure(place: str, requests: int, repeats: int) -> dict[str, tuple[float, float, float]]:
    """For each page the first, the median and the slowest time, in milliseconds."""
    campaigns = await asyncio.to_thread(watch, [place])
    site = Site(tuple(campaigns), Access())
    runner = web.AppRunner(application(site), access_log=None)
    await runner.setup()
    listener = web.TCPSite(runner, "127.0.0.1", 0)
    await listener.start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    found = {}
    try:
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as client:
            await client.get(f"{base}/?token={site.access.token}")
            for name, path in PAGES.items():
                times = []
                for _ in range(repeats):
                    campaigns[0].forget()
                    began = time.process_time()
                    answer = await client.get(base + path.format(middle=requests // 2))
                    text = await answer.text()
                    times.append(1000 * (time.process_time() - began))
                    if answer.status != 200:
                        sys.exit(f"{path}: {answer.status} {text[:200]}")
                found[name] = (times[0], statistics.median(times[1:]), max(times[1:]))
    finally:
        await runner.cleanup()
        for watched in campaigns:
            watched.close()
    return found


def main() -> None:
    """Make the campaigns, measure, tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--store", default="", help="postgresql://…: the campaigns are made there")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    results: dict[int, dict[str, tuple[float, float, float]]] = {}
    folder = Path(tempfile.mkdtemp(prefix="lobrest-dashboard-"))
    try:
        for size in sizes:
            place = f"{given.store}#size{size}" if given.store else str(folder / str(size))
            seconds = generate(place, folder, size)
            print(f"{size:>9,} requests made in {seconds:.1f} s", file=sys.stderr)
            results[size] = asyncio.run(measure(place, size, given.repeats))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(
        f"{'page, CPU ms: median (slowest)':32}" + "".join(f"{size:>20,}" for size in sizes) + f"{'ratio':>8}"
    )
    for name in PAGES:
        cells = "".join(f"{results[size][name][1]:>11.1f} ({results[size][name][2]:>5.0f})" for size in sizes)
        print(f"{name:32}{cells}{results[sizes[-1]][name][1] / results[sizes[0]][name][1]:>9.2f}")
    if given.out:
        given.out.write_text(
            json.dumps({str(size): pages for size, pages in results.items()}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
