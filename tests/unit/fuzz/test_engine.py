"""The fuzzer as a script of answers: what it plans, what it learns, and that nothing else decides."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from tests.unit.enhance.world import (
    APPROVE,
    FIX,
    MAIN,
    MERGE,
    OPEN,
    PROJECT,
    REQUEST,
    TEXT,
    World,
    forge,
    thing,
)
from tests.unit.fuzz.script import answer, drive, engine_of

from lobrest.fuzz.engine import Engine
from lobrest.fuzz.state import Depth, Kind
from lobrest.model.event import BugConfirmed, BugFound, ExchangeDone, FlowReplayed, OperationCovered
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.slice import Slice


def slices(world: World) -> list[Slice]:
    """A request opened, approved by somebody else and merged; and a second project."""
    path = {"id": PROJECT, "iid": REQUEST}
    body = {"source_branch": FIX, "target_branch": MAIN, "title": "t"}
    other = thing("/projects", "16")
    return [
        Slice(
            (
                world.entry(OPEN, 1, path={"id": PROJECT}, body=body, creates=REQUEST, user="ann"),
                world.entry(MERGE, 3, path=path, user="ann"),
            )
        ),
        Slice((world.entry(APPROVE, 2, path=path, user="bo"),)),
        Slice((world.entry("GET /projects/{id}", 4, path={"id": other}, user="bo"),)),
        Slice((world.entry("GET /projects/{id}", 5, path={"id": PROJECT}, user="bo"),)),
    ]


def moody(request: Request) -> Response | Failure:
    """A service without memory: its answer is decided by the request alone. Sometimes it fails."""
    mood = zlib.crc32(repr((request.method, request.target, request.body, request.actor)).encode())
    if mood % 97 == 0:
        return Failure.TIMEOUT
    if mood % 41 == 0:
        return answer(500, {"message": f"lost {mood} in {request.operation}"})
    if mood % 11 == 0:
        return answer(422, {"message": {"name": ["has already been taken"]}})
    if mood % 13 == 0:
        return answer(403, {"message": "forbidden"})
    if mood % 17 == 0:
        return answer(404, {"message": "no"})
    if request.operation in ("GET /projects", "GET /licences"):
        return answer(200, [{"id": mood % 1000, "key": f"k{mood % 7}", "name": "main"}])
    return answer(
        201 if request.method == "POST" else 200, {"id": mood % 1000, "iid": mood % 9, "name": "main"}
    )


def planned(number: int, *, window: int = 8, arrival=lambda waiting: waiting[0], plays: int = 150) -> list:
    world = forge()
    engine = engine_of(world, slices(world), random_seed=number)
    attempts, requests, _ = drive(world, engine, moody, plays=plays, window=window, arrival=arrival)
    assert len(attempts) == plays
    return [
        (attempt.kind, attempt.mutators, attempt.plan.seed.id, attempt.plan.actors, sent)
        for attempt, sent in zip(attempts, requests, strict=True)
    ]


def test_the_same_number_and_answers_give_the_same_requests():
    assert planned(1) == planned(1)
    assert planned(1) != planned(2)


def test_every_kind_of_attempt_is_made():
    assert {kind for kind, *_ in planned(1, plays=400)} >= {
        Kind.FIRST,
        Kind.REACH,
        Kind.MUTATE,
        Kind.BUG,
    }


@pytest.mark.parametrize("order", ["last", "random"])
def test_the_order_in_which_answers_arrive_decides_nothing(order: str):
    chance = random.Random(7)
    arrival = max if order == "last" else chance.choice
    assert planned(1, arrival=arrival) == planned(1)


def test_the_order_of_hashes_decides_nothing():
    """The same in two processes: strings hash differently there."""
    script = (
        "import json, zlib\n"
        "from tests.unit.fuzz.test_engine import planned\n"
        "print(zlib.crc32(repr([(str(k), m, i, a, [(r.method, r.target, r.body, r.actor) for r in s])"
        " for k, m, i, a, s in planned(3, plays=90)]).encode()))\n"
    )
    root = Path(__file__).parents[3]
    paths = os.pathsep.join([str(root), *[entry for entry in sys.path if entry]])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in ("1", "2")
    ]
    first, second = (process.communicate()[0] for process in processes)
    assert first == second != ""


class Forge:
    """A small forge with memory: requests are merged after an approval by somebody else; one fault is planted."""

    def __init__(self, *, fault: bool = True) -> None:
        self.fault = fault
        self.projects: dict[str, dict] = {}
        self.titles: list[str] = []

    def __call__(self, request: Request) -> Response:
        parts = request.target.partition("?")[0].strip("/").split("/")
        body = self.body_of(request)
        if body is None:
            return answer(400, {"message": "malformed"})
        if parts[0] == "licences":
            return answer(200, [{"key": "mit"}] if len(parts) == 1 else {"key": parts[1]})
        if parts[0] == "users":
            return answer(200, {"username": parts[-1]})
        if parts == ["projects"]:
            return self._projects(request, body)
        project = self.projects.get(parts[1]) if len(parts) > 1 else None
        if project is None:
            return answer(404, {"message": "no project"})
        if len(parts) == 2:
            return answer(200, {"id": int(parts[1])})
        return self._inside(request, parts, project, body)

    @staticmethod
    def body_of(request: Request) -> dict | None:
        try:
            found = json.loads(request.body) if request.body else {}
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _projects(self, request: Request, body: dict) -> Response:
        if request.method == "GET":
            return answer(200, [{"id": int(number)} for number in self.projects])
        if not isinstance(body.get("name"), str) or not body["name"]:
            return answer(422, {"message": {"name": ["can't be blank"]}})
        number = str(100 + len(self.projects))
        self.projects[number] = {"branches": {"main"}, "requests": {}}
        return answer(201, {"id": int(number), "name": body["name"]})

    def _inside(self, request: Request, parts: list[str], project: dict, body: dict) -> Response:
        if parts[2] == "branches":
            if len(parts) == 4:
                return answer(200 if parts[3] in project["branches"] else 404, {"name": parts[3]})
            if request.method == "GET":
                return answer(200, [{"name": one} for one in sorted(project["branches"])])
            if str(body.get("ref")) not in project["branches"]:
                return answer(400, {"message": "ref does not exist"})
            project["branches"].add(str(body.get("branch")))
            return answer(201, {"name": str(body.get("branch"))})
        if len(parts) == 3:
            if not {str(body.get("source_branch")), str(body.get("target_branch"))} <= project["branches"]:
                return answer(400, {"message": "source_branch does not exist"})
            number = len(project["requests"]) + 1
            project["requests"][str(number)] = {"author": request.actor, "approved": False, "merged": False}
            return answer(201, {"id": 900 + number, "iid": number})
        opened = project["requests"].get(parts[3])
        if opened is None:
            return answer(404, {"message": "no request"})
        if parts[-1] == "approve":
            if opened["author"] == request.actor:
                return answer(403, {"message": "not your own"})
            opened["approved"] = True
        elif parts[-1] == "merge":
            if not opened["approved"]:
                return answer(405, {"message": "approval is needed"})
            if opened["merged"] and self.fault:
                return answer(500, {"message": f"merge {parts[3]} of nothing"})
            opened["merged"] = True
        return answer(200, {"iid": int(parts[3])})


def run(engine: Engine, world: World, plays: int, service=None) -> list:
    return drive(world, engine, service or Forge(), plays=plays, window=4)[2]


def test_a_flow_of_two_people_is_replayed_and_its_fault_found_and_confirmed():
    world = forge()
    engine = engine_of(world, slices(world))
    events = run(engine, world, 400)
    covered = {event.operation for event in events if isinstance(event, OperationCovered)}
    assert {OPEN, APPROVE, MERGE} <= covered
    bugs = [event.bug for event in events if isinstance(event, BugFound)]
    assert [bug.key.operation for bug in bugs] == [MERGE]
    assert any(isinstance(event, BugConfirmed) for event in events)
    assert engine.state.triage.bugs[0].confirmed
    assert any(isinstance(event, FlowReplayed) for event in events)
    assert 0 < engine.replayed <= engine.flows == 3


def test_a_sound_service_has_no_bugs():
    world = forge()
    engine = engine_of(world, slices(world))
    events = run(engine, world, 200, Forge(fault=False))
    assert not [event for event in events if isinstance(event, BugFound)]


def test_every_operation_is_tried():
    world = forge()
    engine = engine_of(world, slices(world))
    events = run(engine, world, 60)
    asked = {event.exchange.request.operation for event in events if isinstance(event, ExchangeDone)}
    assert asked == set(world.spec.operations)


def test_without_fuzzing_each_seed_is_played_once_and_then_nothing_is_left():
    world = forge()
    engine = engine_of(world, slices(world), depth=Depth.ENHANCED)
    attempts, _, _ = drive(world, engine, Forge(), plays=10_000, window=3)
    assert {attempt.kind for attempt in attempts} == {Kind.FIRST}
    shown = {entry.operation for piece in slices(world) for entry in piece.entries}
    assert len(attempts) == len(slices(world)) + len(world.spec.operations) - len(shown)
    assert engine.next() is None


def test_slices_alone_are_only_those_of_the_log():
    world = forge()
    found = slices(world)
    attempts, _, _ = drive(world, engine_of(world, found, depth=Depth.SLICES), moody, plays=10_000, window=3)
    assert len(attempts) == len(found)
    assert all(attempt.plan.seed.source in found for attempt in attempts)
    assert all(set(attempt.plan.tries) == {0} for attempt in attempts)


def test_what_is_held_back_is_never_sent():
    world = forge()
    never = frozenset({OperationId("DELETE /projects/{id}"), OperationId(MERGE), OperationId("POST /users")})
    engine = engine_of(world, slices(world), held_back=never)
    events = run(engine, world, 300)
    asked = {event.exchange.request.operation for event in events if isinstance(event, ExchangeDone)}
    assert asked
    assert not asked & never


def test_with_everything_held_back_there_is_nothing_to_do():
    world = forge()
    engine = engine_of(world, slices(world), held_back=frozenset(world.spec.operations))
    assert engine.next() is None


def test_without_logs_and_without_credentials_it_works_from_the_document():
    world = forge()
    engine = engine_of(world, everybody=())
    events = run(engine, world, 100, Forge())
    assert {event.exchange.request.actor for event in events if isinstance(event, ExchangeDone)} == {""}
    assert OperationId("POST /projects") in engine.state.feedback.covered
    assert engine.flows == 0


def test_a_service_that_never_answers_is_survived():
    world = forge()
    engine = engine_of(world, slices(world))
    events = run(engine, world, 150, lambda _: Failure.CLOSED)
    assert not engine.state.feedback.covered
    assert not [event for event in events if isinstance(event, BugFound)]


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"[" * 5000, b'{"id": {"id": []}}', b"[null]", b'"text"', b"1e999", b"{}"]
)
def test_answers_that_make_no_sense_are_survived(body: bytes):
    world = forge()
    engine = engine_of(world, slices(world))
    for status in (200, 422, 500):
        run(engine, world, 25, lambda _, status=status: Response(status, (("Location", "%%%"),), body))


def test_the_right_candidate_is_learnt_and_stands_alone():
    world = forge()
    engine = engine_of(world, slices(world))
    for dependency in list(world.dependencies.values()):
        if dependency.parameter.pointer == "iid":
            world.refers(dependency.parameter.operation, "path/iid", dependency.resource, "id", "iid")
    run(engine, world, 200)
    known = {
        binding.pointer: tally
        for (resource, _, parameter, binding), tally in engine.state.knowledge.bindings.items()
        if parameter == "iid"
    }
    assert known["iid"].good > 0
    assert "id" not in known or known["id"].good == 0


def test_names_that_must_be_unique_are_learnt():
    world = World()
    world.operation("POST /things", body={"name": TEXT}, required=("name",))
    world.operation("GET /things/{id}")
    world.resource("/things", creators=("POST /things",))
    world.refers("GET /things/{id}", "path/id", "/things")
    taken: set[str] = set()

    def service(request: Request) -> Response:
        if request.method == "GET":
            return answer(200, {})
        name = (Forge.body_of(request) or {}).get("name")
        if not isinstance(name, str) or name in taken:
            return answer(422, {"message": {"name": ["has already been taken"]}})
        taken.add(name)
        return answer(201, {"id": len(taken)})

    piece = Slice((world.entry("POST /things", 1, body={"name": "one"}, creates=thing("/things", "1")),))
    engine = engine_of(world, [piece])
    run(engine, world, 80, service)
    assert {ref.pointer for ref in engine.state.knowledge.unique} == {"name"}
    assert len(taken) > 10


def test_the_probe_is_harmless():
    world = forge()
    assert engine_of(world).probe().method in ("GET", "HEAD")


def test_slices_alone_are_sent_as_the_log_has_them():
    world = forge()
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))
    engine = engine_of(world, [piece], depth=Depth.SLICES)
    attempt = engine.next()
    assert attempt is not None
    assert [step.entry for step in attempt.plan.seed.steps] == list(piece.entries)
    assert attempt.plan.seed.wires == ()
