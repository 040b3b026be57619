"""What recording costs: the same requests with every kind of keeping and with none, side by side.

    python -m benchmarks.store [--requests 12000] [--concurrency 16] [--rounds 3]
    python -m benchmarks.store --soak 1000000     memory and size as a store grows, without requests

Requests go through lobrest's transport to a trivial server in another process; rounds are interleaved and the
best of each is printed. Bodies differ from request to request, as those of a fuzzer do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from benchmarks.transport import Cost, cpu_seconds, resident_mib, trivial_server

from lobrest.model.event import ExchangeDone
from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.store import CampaignStore, Keep, open_store
from lobrest.transport import Credential, Credentials, HttpTransport

OPERATIONS = tuple(OperationId(f"POST /projects/{{id}}/things{number}") for number in range(50))
HEADERS = (("Content-Type", "application/json"), ("Accept", "application/json"))


async def campaign(url: str, store: CampaignStore | None, requests: int, concurrency: int) -> Cost:
    """So many requests, each recorded where there is a store; closing it is part of the price."""
    ann = Credential("ann", headers=(("Authorization", "Bearer abcdef"),))
    transport = HttpTransport(url, Credentials((ann,)), concurrency=concurrency)
    numbers = iter(range(requests))
    began = time.perf_counter()
    cpu = cpu_seconds()

    async def worker() -> None:
        for number in numbers:
            operation = OPERATIONS[number % len(OPERATIONS)]
            body = json.dumps({"title": f"issue {number}", "text": "lorem ipsum " * (number % 40)}).encode()
            request = Request(operation, "POST", f"/projects/{number}/things", HEADERS, body, "ann")
            sent = time.perf_counter() - began
            answer = await transport.send(request)
            done = time.perf_counter() - began
            if store is not None:
                response = answer if isinstance(answer, Response) else None
                failure = None if isinstance(answer, Response) else answer
                exchange = Exchange(request, response, failure, sent, number % 7)
                store.record([ExchangeDone(done, SeedId("c0ffee" * 6), number // 7, exchange)])

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    if store is not None:
        store.close()
    seconds, spent = time.perf_counter() - began, cpu_seconds() - cpu
    await transport.close()
    return Cost(spent / requests * 1e6, requests / seconds)


def soak(count: int) -> None:
    """Record so many exchanges and print what the process and the file have grown to, tenth by tenth."""
    answer = Response(201, (*HEADERS, ("Date", "Thu, 01 Jan 2026 00:00:00 GMT")), b'{"id": 17}', 0.01)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "soak.db"
        store = open_store(place, create=True)
        began = time.perf_counter()
        for number in range(1, count + 1):
            operation = OPERATIONS[number % len(OPERATIONS)]
            body = json.dumps({"title": f"issue {number}", "text": "lorem ipsum " * (number % 40)}).encode()
            request = Request(operation, "POST", f"/projects/{number}/things", HEADERS, body, "ann")
            exchange = Exchange(request, answer, None, number / 1000, number % 7)
            store.record([ExchangeDone(number / 1000, SeedId("c0ffee" * 6), number // 7, exchange)])
            if number % (count // 10) == 0:
                store.flush()
                files = sum(file.stat().st_size for file in Path(folder).iterdir())
                rate = number / (time.perf_counter() - began)
                print(
                    f"{number:>9} requests  {resident_mib():>6.1f} MiB in memory"
                    f"  {files / number:>5.0f} bytes a request on disk  {rate:>7.0f} a second"
                )
        store.close()
        print(f"closed: {place.stat().st_size / count:.0f} bytes a request")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--soak", type=int, metavar="N", help="record N exchanges and watch memory and size")
    given = parser.parse_args()
    if given.soak:
        soak(given.soak)
        return
    kinds: tuple[Keep | None, ...] = (None, Keep.BUGS, Keep.INTERESTING, Keep.ALL)
    best: dict[Keep | None, Cost] = {}
    sizes: dict[Keep | None, float] = {None: 0.0}
    with trivial_server() as url, tempfile.TemporaryDirectory() as folder:
        for turn in range(given.rounds):
            for keep in kinds:
                store = None
                place = Path(folder) / f"{keep}-{turn}.db"
                if keep is not None:
                    store = open_store(place, create=True, keep=keep)
                cost = asyncio.run(campaign(url, store, given.requests, given.concurrency))
                if keep is not None:
                    sizes[keep] = place.stat().st_size / given.requests
                known = best.get(keep, cost)
                best[keep] = Cost(min(known.cpu_us, cost.cpu_us), max(known.per_second, cost.per_second))
    base = best[None]
    print(f"{'kept':<12} {'requests/s':>11} {'slower':>8} {'CPU µs/request':>15} {'more':>7} {'bytes':>6}")
    for keep, cost in best.items():
        slower = 1 - cost.per_second / base.per_second
        more = cost.cpu_us / base.cpu_us - 1
        rate = f"{cost.per_second:>11.0f} {slower:>8.1%}"
        print(f"{keep or 'nothing':<12} {rate} {cost.cpu_us:>15.0f} {more:>7.1%} {sizes[keep]:>6.0f}")


if __name__ == "__main__":
    main()
