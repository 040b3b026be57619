"""A campaign of a million requests: does its memory stay flat, and how large does its database get?

    python -m benchmarks.million [--requests 1000000] [--keep all|interesting|bugs] [--sizes]

The engine, the player, the campaign loop and the store are the real ones; the service is a function in the same
process, which remembers nothing, refuses often and fails now and then with a few dozen different messages.
``--sizes`` also counts what the engine's state holds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import tempfile
import time
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.trivial_service import log_lines, specification

from lobrest.app.campaign import Budget, Campaign
from lobrest.app.clock import SystemClock
from lobrest.app.keeper import Keeper
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.resume import remember
from lobrest.app.session import Order
from lobrest.app.storage import create_campaign_store
from lobrest.app.work import WorkFolder
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Player
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.state import EngineState, Material, Rules
from lobrest.model.event import Event, ExchangeDone
from lobrest.model.exchange import Failure, Request, Response
from lobrest.store import Keep
from lobrest.store.snapshot import Snapshots
from lobrest.transport import Credentials

HEADERS = (("Content-Type", "application/json"), ("Date", "Thu, 01 Jan 2026 00:00:00 GMT"))
URL = "http://127.0.0.1:9"


class Function:
    """A service as a transport."""

    def __init__(self) -> None:
        self._identity = 1000

    async def send(self, request: Request) -> Response | Failure:
        """The answer, at once."""
        mood = zlib.crc32(request.target.encode() + (request.body or b"")) + self._identity
        self._identity += 1
        segments = request.target.partition("?")[0].strip("/").split("/")
        if mood % 4001 == 0:
            return Failure.TIMEOUT
        if not all(segment.isdigit() for segment in segments[1::2]):
            return _answer(404, {"message": f"{segments[-1][:40]} was not found", "request": self._identity})
        if request.body and not request.body.startswith(b"{"):
            return _answer(400, {"message": "the body is no object"})
        if mood % 997 == 0:
            return _answer(500, {"message": f"broken {request.operation[:30]} {'abc'[mood % 3]}"})
        if mood % 7 == 0:
            return _answer(422, {"message": f"title {'xyz'[mood % 3]} is already taken"})
        if request.method == "DELETE":
            return Response(204)
        thing = {
            "id": self._identity,
            "title": f"thing {mood}",
            "state": "open",
            "author": {"id": 1, "username": "ann"},
        }
        if len(segments) % 2 and request.method == "GET":
            return _answer(200, [thing, {**thing, "id": 7}])
        return _answer(201 if request.method == "POST" else 200, thing)

    async def close(self) -> None:
        """Nothing to let go."""


def _answer(status: int, content: object) -> Response:
    return Response(status, HEADERS, json.dumps(content).encode(), 0.001)


def resident_mib() -> float:
    """What the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


class Watch:
    """Prints a line at every tenth."""

    def __init__(self, requests: int, folder: Path, state: EngineState, *, sizes: bool) -> None:
        self._step = max(1, requests // 10)
        self._seen = 0
        self._folder = folder
        self._state = state
        self._sizes = sizes
        self._began = time.process_time()
        self.resident: list[float] = []

    def __call__(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        before = self._seen // self._step
        self._seen += sum(isinstance(event, ExchangeDone) for event in events)
        if self._seen // self._step > before:
            self._line()

    def _line(self) -> None:
        gc.collect()
        files = sum(file.stat().st_size for file in self._folder.glob("lobrest.db*"))
        self.resident.append(resident_mib())
        cpu = (time.process_time() - self._began) / self._seen * 1e6
        print(
            f"{self._seen:>9} requests {self.resident[-1]:>7.1f} MiB in memory"
            f" {files / self._seen:>6.0f} bytes a request on disk {cpu:>5.0f} µs CPU a request",
            flush=True,
        )
        if self._sizes:
            print("          " + ", ".join(f"{name} {size}" for name, size in sizes(self._state)), flush=True)


def sizes(state: EngineState) -> list[tuple[str, int]]:
    """How many things the state holds, by field."""
    knowledge, feedback = state.knowledge, state.feedback
    return [
        ("pool", len(state.pool.items)),
        ("bases", len(state.bases)),
        ("paired", len(state.paired)),
        ("probes", sum(map(len, state.probes.values()))),
        ("cases", len(state.triage.cases)),
        ("pairs", len(feedback.pairs)),
        ("shapes", sum(map(len, feedback.shapes.values()))),
        ("refusals", sum(map(len, feedback.refusals.values()))),
        ("examples", sum(map(len, knowledge.examples.values()))),
        ("bindings", len(knowledge.bindings)),
        ("actors", len(knowledge.actors)),
        ("recipes", len(knowledge.recipes)),
        ("patience", len(knowledge.patience)),
        ("refused", len(state.refused)),
        ("under way", len(state.under_way)),
        ("again", len(state.again)),
    ]


async def campaign(prepared: Prepared, folder: WorkFolder, requests: int, keep: Keep, *, sizes: bool) -> None:
    """To the end."""
    spec, model, now = prepared.spec, prepared.model, 1_767_600_000.0
    engine = Engine(Material(spec, model, prepared.corpus, prepared.slices), Rules(1, ("ann", "bo"), {}, now))
    order = Order(URL, Credentials(), Budget(1e9, requests), keep=keep)
    store = create_campaign_store(folder, "", keep)
    started, clock = datetime.now(UTC), SystemClock()
    remember(store, prepared, order, now=now, started=started)
    keeper = Keeper(folder, store, engine, Snapshots(prepared.slices), clock, origin=URL, started=started)
    watch = Watch(requests, folder.path, engine.state, sizes=sizes)
    player = Player(spec, model, Renderer(spec, prepared.router, base_path=""), now=now)
    runs = Campaign(engine, player, Function(), clock, order.budget, sinks=[keeper, watch], window=32)
    result = await runs.run()
    keeper.end()
    store.close()
    size = (folder.path / "lobrest.db").stat().st_size
    early, late = watch.resident[0], max(watch.resident[1:] or watch.resident)
    print(
        f"{result.requests} requests, keep={keep}: {size / result.requests:.0f} bytes a request; memory"
        f" {early:.0f} MiB after the first tenth, at most {late:.0f} MiB later ({late / early - 1:+.1%});"
        f" {keeper.snapshots_taken} snapshots, {keeper.snapshot_seconds:.1f} s of {result.seconds:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Keep, default=Keep.ALL)
    parser.add_argument("--sizes", action="store_true", help="count what the state holds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        material = Path(place)
        (material / "spec.json").write_text(json.dumps(specification(URL)))
        (material / "log.jsonl").write_text("\n".join(log_lines()) + "\n")
        prepared = prepare(
            str(material / "spec.json"), [str(material / "log.jsonl")], Reading(), lambda _: None
        )
        folder = WorkFolder.create(material / "work", stem="")
        asyncio.run(campaign(prepared, folder, given.requests, given.keep, sizes=given.sizes))


if __name__ == "__main__":
    main()
