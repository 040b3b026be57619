"""Which planted faults are found after how many requests: ``python -m benchmarks.faults``.

Campaigns against the demo without sockets: requests are the clock, so that a busy machine changes nothing. For every
seed the same budget is spent with the log, without it, and at the earlier steps of the ablation. What a campaign would
wait for is not waited for; the demo settles by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lobrest.app.people import ask_people
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.demo import faults as faults_module
from lobrest.demo.company import PEOPLE, founded, secret_of
from lobrest.demo.faults import parse_faults
from lobrest.demo.service import BASE_PATH, Service
from lobrest.demo.service import Request as Incoming
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Player, Reply, Send
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.safety import held_back
from lobrest.fuzz.state import Depth, Material, Rules
from lobrest.model.exchange import Request, Response
from lobrest.spec.router import Router

HERE = Path(faults_module.__file__).parent
PLANTED: Sequence[Mapping[str, str]] = json.loads((HERE / "faults.json").read_text())
NOW = 1_790_000_000.0
MODES: Mapping[str, tuple[Depth, bool]] = {
    "with logs": (Depth.FUZZ, True),
    "without logs": (Depth.FUZZ, False),
    "enhanced slices": (Depth.ENHANCED, True),
    "slices": (Depth.SLICES, True),
}


class Direct:
    """A transport that calls the service."""

    def __init__(self) -> None:
        state = founded()
        self.tokens = {name: secret_of(state, name) for name, _ in PEOPLE}
        self.service = Service(state, parse_faults("on"))
        self.sent = 0

    def answer(self, request: Request) -> Response:
        self.sent += 1
        path, _, query = request.target.partition("?")
        headers = {name.lower(): value for name, value in request.headers}
        if request.actor:
            headers["authorization"] = f"Bearer {self.tokens[request.actor]}"
        reply = self.service.answer(Incoming(request.method, path, query, headers, request.body or b""))
        return Response(reply.status, tuple(reply.headers.items()), reply.body)

    async def send(self, request: Request) -> Response:
        return self.answer(request)

    async def close(self) -> None:
        """Nothing is open."""


def prepared(*, logs: bool) -> Prepared:
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        document.write_text(json.dumps(Direct().service.document("http://127.0.0.1")))
        sources = [str(HERE / "logs" / "api_json.log.gz")] if logs else []
        return prepare(str(document), sources, Reading(), lambda _: None)


def campaign(seed: int, mode: str, requests: int) -> tuple[dict[str, int], int]:
    """The request at which each fault was found, and how many operations were answered 2XX."""
    depth, logs = MODES[mode]
    ready, service = prepared(logs=logs), Direct()
    router = Router(ready.spec)
    names = tuple(service.tokens)
    people = asyncio.run(ask_people(ready.spec, ready.model, router, service, names, base_path=BASE_PATH))
    back = held_back(ready.spec, include=(), exclude=(), allow=())
    engine = Engine(
        Material(ready.spec, ready.model, ready.corpus, ready.slices),
        Rules(seed, names, people, NOW, depth=depth, held_back=frozenset(back)),
    )
    player = Player(ready.spec, ready.model, Renderer(ready.spec, router, base_path=BASE_PATH), now=NOW)
    found: dict[str, int] = {}
    told = 0
    while service.sent < requests and (attempt := engine.next()) is not None:
        play = player.play(attempt.plan)
        ask = next(play)
        while True:
            sent = ask.requests if isinstance(ask, Send) else ()
            replies = tuple(Reply(service.answer(one), float(service.sent)) for one in sent)
            try:
                ask = play.send(replies)
            except StopIteration as ended:
                engine.observe(attempt, ended.value)
                break
        for bug in engine.state.triage.bugs[told:]:
            for fault in PLANTED:
                if bug.key.operation == fault["operation"] and fault["message"] in bug.message:
                    found.setdefault(fault["name"], int(bug.first_seen_s))
        told = len(engine.state.triage.bugs)
    return found, len(engine.state.feedback.covered)


def main() -> None:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    modes = asked.modes.split(",")
    with ProcessPoolExecutor(asked.processes) as pool:
        jobs = {
            mode: [pool.submit(campaign, seed, mode, asked.requests) for seed in range(1, asked.seeds + 1)]
            for mode in modes
        }
        results = {mode: [job.result() for job in some] for mode, some in jobs.items()}
    print(
        f"{asked.seeds} seeds, {asked.requests:,} requests each; seeds that found a fault (median request)\n"
    )
    print("| fault | kind | " + " | ".join(modes) + " |")
    print("|---" * (2 + len(modes)) + "|")
    for fault in PLANTED:
        cells = []
        for mode in modes:
            at = sorted(found[fault["name"]] for found, _ in results[mode] if fault["name"] in found)
            cells.append(f"{len(at)} ({at[len(at) // 2]:,})" if at else "0")
        print(f"| {fault['name']} | {fault['kind']} | " + " | ".join(cells) + " |")
    for name, of in (("faults, mean", lambda one: len(one[0])), ("operations, mean", lambda one: one[1])):
        means = [sum(map(of, results[mode])) / len(results[mode]) for mode in modes]
        print(f"| **{name}** | | " + " | ".join(f"**{mean:.1f}**" for mean in means) + " |")


if __name__ == "__main__":
    main()
