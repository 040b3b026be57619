"""A request that takes the service down: kept as a bug with what it stands on, and nothing else."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, World, forge
from tests.unit.fuzz.script import answer, engine_of, plan_of, play, player_of

from lobrest.fuzz.play import Performance, Plan
from lobrest.fuzz.state import Attempt, Kind
from lobrest.fuzz.takedown import bare, given_up, took_down
from lobrest.model.bug import BugKind
from lobrest.model.event import BugConfirmed, BugFound
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.slice import Slice

KILLER = "DELETE /projects/{id}"


def plan(world: World) -> Plan:
    """Licences are listed before and after; only the project is needed."""
    entries = (
        world.entry("GET /licences", 1),
        world.entry("GET /projects/{id}", 2, path={"id": PROJECT}),
        world.entry(KILLER, 3, path={"id": PROJECT}),
        world.entry("GET /licences", 4),
    )
    return plan_of(world, world.completer().complete(Slice(entries)))


def service(request: Request) -> Response | Failure:
    if request.operation == KILLER:
        return Failure.CLOSED
    return answer(201, {"id": 77}) if request.method == "POST" else answer(200, [])


def performed(world: World, given: Plan) -> Performance:
    return play(player_of(world), given, service)[0]


def test_nothing_but_what_it_stands_on():
    world = forge()
    whole = plan(world)
    names = [step.entry.operation for step in whole.seed.steps]
    shorter = bare(whole, names.index(KILLER))
    assert shorter is not None
    assert [step.entry.operation for step in shorter.seed.steps] == ["POST /projects", KILLER]
    assert len(shorter.actors) == len(shorter.tries) == 2
    assert shorter.token != whole.token
    performance = performed(world, shorter)
    assert performance.exchanges[-1].request.target == "/projects/77", "what it stands on is still wired"
    assert bare(shorter, 1) is None


def test_it_is_a_confirmed_bug_of_its_own_kind():
    world = forge()
    engine = engine_of(world)
    whole = plan(world)
    position = [step.entry.operation for step in whole.seed.steps].index(KILLER)
    found, confirmed = took_down(engine.state, performed(world, whole), position, minimised=False)
    assert isinstance(found, BugFound)
    assert isinstance(confirmed, BugConfirmed)
    bug = found.bug
    assert (bug.kind, bug.key.operation, bug.confirmed, bug.number) == (BugKind.OUTAGE, KILLER, True, 1)
    assert bug.exchanges[-1].request.operation == KILLER
    assert len(bug.exchanges) == position + 1
    assert "closed" in bug.evidence
    assert engine.state.triage.next() is None, "no more runs: each takes the service down"
    assert took_down(engine.state, performed(world, whole), position, minimised=False) == []
    assert engine.state.triage.bugs[0].count == 2


def test_an_attempt_that_is_given_up_is_forgotten():
    world = forge()
    engine = engine_of(world)
    attempt = engine.next()
    assert attempt is not None
    given_up(engine.state, attempt)
    assert engine.state.under_way == {}
    assert engine.state.observed == 1
    (event, _) = took_down(engine.state, performed(world, plan(world)), 0, minimised=False)
    case = engine.state.triage.cases[event.bug.key]
    case.under_way = True
    given_up(engine.state, Attempt(plan(world), Kind.BUG, bug=event.bug.key))
    assert not case.under_way
