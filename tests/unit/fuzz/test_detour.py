"""A change that nobody made, right before a step of a flow that works."""

from __future__ import annotations

import random

from tests.unit.enhance.world import TEXT, World
from tests.unit.fuzz.script import Service, answer, drive, engine_of, sent

from lobrest.enhance.arrange import make_seed
from lobrest.fuzz.detour import DetourPlanner, Detours
from lobrest.fuzz.state import Kind
from lobrest.fuzz.variant import Variant
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Origin, Seed, Step
from lobrest.model.slice import Slice

MAKE, SHUT, OPEN, PAY, SHOW = (
    OperationId("POST /orders"),
    OperationId("PUT /orders/{id}/shut"),
    OperationId("PUT /orders/{id}/open"),
    OperationId("POST /orders/{id}/pay"),
    OperationId("GET /orders/{id}"),
)
ORDER = ResourceInstance(ResourceName("/orders"), "1")


def shop() -> World:
    world = World()
    world.operation(MAKE, body={"name": TEXT})
    world.resource("/orders", creators=(MAKE,))
    for one in (SHUT, OPEN, PAY, SHOW):
        world.operation(one)
        world.refers(one, "path/id", "/orders")
    return world


def flow(world: World, last: OperationId) -> Seed:
    entries = (
        world.entry(MAKE, 1, body={"name": "n"}, creates=ORDER),
        world.entry(last, 2, path={"id": ORDER}),
    )
    return make_seed(tuple(Step(one, Origin.LOG) for one in entries), (), Slice(entries), Origin.LOG)


def planned(world: World, operations: tuple[OperationId, ...]) -> tuple[DetourPlanner, Detours, dict, dict]:
    detours = Detours()
    bases = {Variant(one): flow(world, one) for one in operations}
    for variant, seed in bases.items():
        detours.keep(variant, seed, (1, 0, 1, -2))
    variants = {one: [Variant(one)] for one in operations}
    return DetourPlanner(world.spec, world.model), detours, bases, variants


def test_every_change_is_tried_before_every_step_once_and_then_there_is_nothing_left():
    planner, detours, bases, variants = planned(shop(), (SHUT, OPEN, PAY, SHOW))
    chance = random.Random(1)
    ways = []
    while (found := planner.next(detours, bases, variants, chance)) is not None:
        ways.append(found.way)
    changes = (SHUT, OPEN, PAY)
    assert sorted(ways) == sorted((change, step) for change in changes for step in (*changes, SHOW))


def test_the_change_stands_right_before_the_last_step_and_finds_its_things_anew():
    planner, detours, bases, variants = planned(shop(), (SHUT, PAY))
    found = planner.next(detours, bases, variants, random.Random(1))
    assert found is not None
    change, step = found.way
    assert [one.operation for one in found.piece.entries] == [MAKE, change, step]
    assert found.piece.entries[1].uses == {}


def test_behind_a_change_that_bars_a_step_another_is_sought():
    planner, detours, bases, variants = planned(shop(), (SHUT, OPEN, PAY))
    detours.told((Variant(SHUT), Variant(PAY)), barred=1)
    ways = {
        found.way
        for number in range(60)
        if (found := planner.next(detours, bases, variants, random.Random(number))) is not None
    }
    assert (SHUT, OPEN, PAY) in ways


def test_before_a_change_that_is_refused_another_is_sought():
    planner, detours, bases, variants = planned(shop(), (SHUT, OPEN, PAY))
    detours.told((Variant(OPEN), Variant(PAY)), barred=0)
    ways = {
        found.way
        for number in range(60)
        if (found := planner.next(detours, bases, variants, random.Random(number))) is not None
    }
    assert (SHUT, OPEN, PAY) in ways
    assert (OPEN, SHUT, PAY) not in ways


def test_what_went_well_bars_nothing_and_three_requests_are_enough():
    detours = Detours()
    detours.told((Variant(SHUT), Variant(PAY)), barred=None)
    detours.told((Variant(SHUT), Variant(OPEN), Variant(PAY)), barred=2)
    assert detours.barred == []


def test_a_fault_behind_two_changes_is_found():
    """An order that was shut and opened again fails when it is paid."""
    world = shop()
    path = {"id": ORDER}
    slices = [
        Slice((world.entry(MAKE, 1, body={"name": "n"}, creates=ORDER), world.entry(PAY, 2, path=path))),
        Slice((world.entry(SHUT, 3, path=path),)),
        Slice((world.entry(SHUT, 4, path=path), world.entry(OPEN, 5, path=path))),
    ]
    engine = engine_of(world, slices)
    attempts, _, _ = drive(world, engine, _till(), plays=400)
    assert any(one.kind is Kind.DETOUR for one in attempts)
    assert [(bug.key.operation, bug.key.status) for bug in engine.state.triage.bugs] == [(PAY, 500)]


def _till() -> Service:
    states: dict[str, str] = {}

    def service(request: Request) -> Response:
        if request.method == "POST" and request.target == "/orders":
            body = sent(request) if request.body and request.body.startswith(b'{"') else None
            if not isinstance(body, dict):
                return answer(400, {"message": "name is wrong"})
            key = str(len(states) + 1)
            states[key] = "new"
            return answer(201, {"id": key})
        _, _, key, *rest = request.target.split("/")
        state = states.get(key)
        if state is None:
            return answer(404, {"message": "no such order"})
        match [request.method, *rest]:
            case ["PUT", "shut"]:
                states[key] = "shut"
            case ["PUT", "open"] if state == "shut":
                states[key] = "opened again"
            case ["PUT", "open"]:
                return answer(409, {"message": "is open"})
            case ["POST", "pay"] if state == "shut":
                return answer(409, {"message": "is shut"})
            case ["POST", "pay"] if state == "opened again":
                return answer(500, {"message": "no price"})
        return answer(200, {"id": key})

    return service
