"""What a performance teaches."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, World, forge, ref
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.lessons import assigned_in, learn_from, unassigned
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed

READ, MAKE = OperationId("GET /projects/{id}"), OperationId("POST /projects")


def seed_of(world: World) -> Seed:
    return world.complete(world.entry(READ, 1, path={"id": PROJECT}))


def performed(world: World, status: int) -> Performance:
    def service(request: Request) -> Response:
        if request.method == "POST":
            return answer(201, {"id": 99})
        return answer(status, {"message": "so it is"})

    return play(player_of(world), plan_of(world, seed_of(world)), service)[0]


def learnt(world: World, status: int) -> Knowledge:
    knowledge = Knowledge()
    learn_from(performed(world, status), knowledge, world.model.creations, lambda _: ())
    return knowledge


def test_what_worked_is_an_example_without_the_identities_of_the_run():
    kept = learnt(forge(), 200).examples[READ]
    assert [one.path for one in kept] == [{"id": "15"}], "the log's, not the 99 of this run"


def test_a_creation_and_a_binding_are_told_of_success_and_of_failure():
    world = forge()
    good, bad = learnt(world, 200), learnt(world, 404)
    assert good.creator_scores()[MAKE] > 0.5
    wires = [(one.good, one.bad) for one in good.bindings.values()]
    assert wires == [(1, 0)]
    assert [(one.good, one.bad) for one in bad.bindings.values()] == [(0, 1)]


def test_whoever_is_refused_is_remembered_for_it():
    refused = learnt(forge(), 403).actors
    assert [(name, tally.bad) for (operation, name), tally in refused.items() if operation == READ] == [
        ("ann", 1)
    ]


def test_a_planned_value_comes_back_and_an_unplanned_one_goes():
    world = forge()
    seed = seed_of(world)
    step = seed.steps[-1]
    assert assigned_in(seed) == {1: [ref(READ, "path/id")]}
    sent = step.entry.arguments.with_value(ref(READ, "path/id"), "99")
    assert unassigned(sent, step, [ref(READ, "path/id")]).path == {"id": "15"}
