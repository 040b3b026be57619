"""What the oracles find on the demo, and what they cost: ``python -m benchmarks.oracles``.

A campaign without sockets against the demo with the faults that no 5XX shows, on the operations around them,
from the specification alone: requests until each is found, and alarms about anything else. Then the same
campaign on the right service with the oracles off and on: processor time a request.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

from lobrest.demo import faults as faults_module
from lobrest.demo.company import founded, secret_of
from lobrest.demo.faults import QUIET, parse_faults
from lobrest.demo.service import BASE_PATH, Service
from lobrest.demo.service import Request as Incoming
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.oracles.catalogue import chosen
from lobrest.fuzz.oracles.desk import Choice
from lobrest.fuzz.play import Player, Reply, Send
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.state import Material, Rules
from lobrest.model.bug import Bug, Severity
from lobrest.model.corpus import Corpus
from lobrest.model.event import BugFound
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import OperationId
from lobrest.report.reproduce import NO_CREDENTIAL
from lobrest.resources import analyse
from lobrest.spec import Router, load_spec

ROWS = json.loads((Path(faults_module.__file__).parent / "quiet.json").read_text())
USED = ("milestones", "issues", "hooks", "labels", "branches", "releases", "commits")
MOST_REQUESTS = 20_000
FORGOTTEN = frozenset({"branch-forgotten"})
"""With it on, half of the flows of the others cannot be played."""
PEOPLE = ("root", "alice", "bob", "carol")


class Campaign:
    """Plays until every fault is found, or the requests are spent."""

    def __init__(self, names: frozenset[str], *, seed: int = 3, oracles: str = "all") -> None:
        self._names = names
        self.first: dict[str, int] = {}
        """By fault: requests until it was told."""
        self._state = founded()
        self._service = Service(self._state, parse_faults(names))
        spec = load_spec(json.dumps(self._service.document("http://localhost")).encode())
        model = analyse(spec)
        aside = frozenset(one for one in spec.operations if not _is_used(one))
        people = {name: json.loads(self._sent(_who(name)).body) for name in PEOPLE}
        choice = Choice(chosen([oracles]), (("Authorization", f"Bearer {NO_CREDENTIAL}"),))
        self.engine = Engine(
            Material(spec, model, Corpus(), ()),
            Rules(seed, PEOPLE, people, 1.7e9, held_back=aside, oracles=choice),
        )
        self._player = Player(spec, model, Renderer(spec, Router(spec), base_path=BASE_PATH), now=1.7e9)
        self.requests = 0

    def run(self, most: int = MOST_REQUESTS) -> dict[str, Bug]:
        """Until everything is found or the requests are spent; what was found, by fault."""
        while self.requests < most and not (self._names and set(self.first) == self._names):
            attempt = self.engine.next()
            assert attempt is not None
            play = self._player.play(attempt.plan)
            replies: tuple[Reply, ...] | None = None
            while True:
                try:
                    ask = next(play) if replies is None else play.send(replies)
                except StopIteration as ended:
                    if any(isinstance(one, BugFound) for one in self.engine.observe(attempt, ended.value)):
                        for name in self.found():
                            self.first.setdefault(name, self.requests)
                    break
                asked = ask.requests if isinstance(ask, Send) else ()
                replies = tuple(Reply(self._sent(one), float(self.requests)) for one in asked)
                self.requests += len(asked)
        return self.found()

    def found(self) -> dict[str, Bug]:
        """By fault the finding that tells of it."""
        bugs = {(str(bug.kind), str(bug.key.operation)): bug for bug in self.engine.state.triage.bugs}
        return {
            row["name"]: bugs[row["kind"], row["operation"]]
            for row in ROWS
            if row["name"] in self._names and (row["kind"], row["operation"]) in bugs
        }

    def others(self) -> list[Bug]:
        """Findings that no fault explains and that matter."""
        explained = {bug.number for bug in self.found().values()}
        bugs = self.engine.state.triage.bugs
        return [bug for bug in bugs if bug.severity is not Severity.INFO and bug.number not in explained]

    def _sent(self, request: Request) -> Response:
        path, _, query = request.target.partition("?")
        headers = {name.lower(): value for name, value in request.headers}
        if request.actor:
            headers["authorization"] = f"Bearer {secret_of(self._state, request.actor)}"
        reply = self._service.answer(Incoming(request.method, path, query, headers, request.body or b""))
        return Response(reply.status, tuple(reply.headers.items()), reply.body, 0.001)


def _who(name: str) -> Request:
    return Request(OperationId("GET /user"), "GET", f"{BASE_PATH}/user", actor=name)


def _is_used(operation: OperationId) -> bool:
    path = operation.partition(" ")[2].split("/")
    if operation in {
        "POST /projects",
        "GET /projects/{id}",
        "GET /tokens",
        "POST /groups",
        "GET /users/{user}",
    }:
        return True
    return any(part in USED for part in path) and path[-1] not in ("move", "notes", "test", "revert")


def findings(seed: int = 3) -> Iterator[tuple[str, Bug]]:
    """Every fault by name with the finding that tells of it."""
    for names in (QUIET - FORGOTTEN, FORGOTTEN):
        yield from Campaign(names, seed=seed).run().items()


def cost(oracles: str, requests: int) -> float:
    """Milliseconds of processor time a request on the right service."""
    campaign = Campaign(frozenset(), oracles=oracles)
    began = time.process_time()
    campaign.run(requests)
    return 1000 * (time.process_time() - began) / campaign.requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=10_000, help="for the cost")
    options = parser.parse_args()
    for seed in range(1, options.seeds + 1):
        print(f"seed {seed}")
        for names in (QUIET - FORGOTTEN, FORGOTTEN):
            campaign = Campaign(names, seed=seed)
            campaign.run()
            for row in ROWS:
                if row["name"] in names:
                    at = campaign.first.get(row["name"])
                    print(f"  {row['kind']:22} {row['name']:26} {f'{at:,} requests' if at else 'not found'}")
            for bug in campaign.others():
                print(f"  not planted: {bug.kind} {bug.key.operation}: {bug.message} ({bug.evidence})")
    right = Campaign(frozenset())
    right.run(options.requests)
    print(f"right service, {right.requests:,} requests: {len(right.others())} alarms that matter")
    for bug in right.others():
        print(f"  {bug.kind} {bug.key.operation}: {bug.message} ({bug.evidence})")
    off, on = cost("none", options.requests), cost("all", options.requests)
    print(f"processor time a request: {off:.3f} ms without oracles, {on:.3f} ms with all of them")


if __name__ == "__main__":
    main()
