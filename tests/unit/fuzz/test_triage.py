"""Bugs: told apart, confirmed, made smaller; by a script of answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.enhance.world import PROJECT, World, forge, thing
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.oracles.alarm import Alarm, alarm
from lobrest.fuzz.play import Performance
from lobrest.fuzz.triage import Triage, dispensable
from lobrest.model.bug import BugKind, Severity
from lobrest.model.event import BugConfirmed, BugFound
from lobrest.model.exchange import Request, Response
from lobrest.model.seed import Seed

READ = "GET /projects/{id}"


@pytest.fixture
def world() -> World:
    return forge()


def flow(world: World, *operations: str) -> Seed:
    """A project, then requests that need nothing but it."""
    entries = [world.entry("POST /projects", 0, body={"name": "p"}, creates=PROJECT)]
    for at, operation in enumerate(operations, start=1):
        path = {"id": PROJECT} if "{id}" in operation else {}
        entries.append(world.entry(operation, at, path=path))
    return world.complete(*entries)


def fails_after(*needed: str) -> Callable[[Seed, World], Performance]:
    """A service whose last operation fails when the others were asked for before."""

    def run(seed: Seed, world: World) -> Performance:
        asked: list[str] = []

        def service(request: Request) -> Response:
            asked.append(request.operation)
            if request.operation == needed[-1] and set(needed[:-1]) <= set(asked[:-1]):
                return answer(500, {"message": f"lost {len(asked)}"})
            return answer(200, {"id": 7})

        return play(player_of(world), plan_of(world, seed), service)[0]

    return run


def settle(triage: Triage, world: World, run: Callable[[Seed, World], Performance]) -> list:
    events = []
    for _ in range(50):
        wanted = triage.next()
        if wanted is None:
            break
        key, seed = wanted
        events.extend(triage.settled(key, run(seed, world)))
    return events


def test_a_bug_is_found_once_and_counted_after_that(world: World):
    triage = Triage()
    run = fails_after(READ)
    seed = flow(world, READ)
    (found,) = triage.told(run(seed, world))
    assert isinstance(found, BugFound)
    assert found.bug.number == 1
    assert found.bug.key.fingerprint == "lost <n>"
    assert [one.request.operation for one in found.bug.exchanges] == ["POST /projects", READ]
    assert triage.told(run(flow(world, "GET /licences", READ), world)) == []
    assert triage.bugs[0].count == 2


def test_other_operations_statuses_and_messages_are_other_bugs(world: World):
    triage = Triage()
    seed = flow(world, READ, "GET /licences")

    def told(status: int, message: str) -> int:
        def service(request: Request) -> Response:
            return answer(status, {"message": message})

        return len(triage.told(play(player_of(world), plan_of(world, seed), service)[0]))

    assert told(500, "a") == 3
    assert told(503, "a") == 3
    assert told(500, "b") == 3
    assert told(500, "a") == 0
    assert [bug.number for bug in triage.bugs] == list(range(1, 10))


def test_a_second_run_confirms(world: World):
    triage = Triage()
    run = fails_after(READ)
    triage.told(run(flow(world, READ), world))
    assert not triage.bugs[0].confirmed
    key, seed = triage.next()
    (event,) = triage.settled(key, run(seed, world))
    assert isinstance(event, BugConfirmed)
    assert event.bug.confirmed
    assert triage.bugs[0].confirmed


def test_a_bug_that_does_not_come_back_stays_unconfirmed_and_costs_a_bounded_number_of_runs(world: World):
    triage = Triage()
    triage.told(fails_after(READ)(flow(world, READ), world))
    runs = 0
    while (wanted := triage.next()) is not None:
        triage.settled(wanted[0], fails_after("never")(wanted[1], world))
        runs += 1
        assert runs < 50
    assert runs > 1
    assert not triage.bugs[0].confirmed


def test_one_run_at_a_time_for_a_bug(world: World):
    triage = Triage()
    triage.told(fails_after(READ)(flow(world, READ), world))
    assert triage.next() is not None
    assert triage.next() is None


def test_what_comes_after_the_failure_is_cut_off(world: World):
    triage = Triage()
    triage.told(fails_after(READ)(flow(world, READ, "GET /licences", "GET /projects"), world))
    _, seed = triage.next()
    assert seed.steps[-1].entry.operation == READ


def test_steps_that_do_not_matter_go_and_those_that_do_stay(world: World):
    triage = Triage()
    run = fails_after("GET /projects", READ)
    seed = flow(world, "GET /licences", "GET /projects", "GET /licences", "GET /licences", READ)
    triage.told(run(seed, world))
    settle(triage, world, run)
    (bug,) = triage.bugs
    assert bug.minimised
    shown = [one.request.operation for one in bug.exchanges]
    assert shown == ["POST /projects", "GET /projects", READ]
    assert triage.seed_of(bug.key).id == bug.seed


def test_what_makes_what_the_failure_uses_is_never_taken_away(world: World):
    """Without it some project that happens to exist would take its place, on this service only."""
    triage = Triage()
    run = fails_after(READ)
    triage.told(run(flow(world, READ), world))
    settle(triage, world, run)
    assert [one.request.operation for one in triage.bugs[0].exchanges] == ["POST /projects", READ]


def test_dispensable_are_steps_nothing_needed_stands_on(world: World):
    other = thing("/projects", "16")
    seed = world.complete(
        world.entry("POST /projects", 0, body={"name": "p"}, creates=PROJECT),
        world.entry("POST /projects", 1, body={"name": "q"}, creates=other),
        world.entry(READ, 2, path={"id": other}),
        world.entry("GET /licences", 3),
        world.entry(READ, 4, path={"id": PROJECT}),
    )
    assert dispensable(seed, [0]) == frozenset()
    assert dispensable(seed, [1]) == {1, 2}
    assert dispensable(seed, [2]) == {2}
    assert dispensable(seed, range(4)) == {1, 2, 3}


def test_a_service_that_never_says_the_same_twice_has_no_endless_bugs(world: World):
    triage = Triage()
    seed = flow(world, READ)
    words = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    found = []
    for word in words:
        answers = {READ: answer(500, {"message": f"cannot {word}"})}

        def service(request: Request, answers: dict = answers) -> Response:
            return answers.get(request.operation, answer(200, {"id": 7}))

        found += triage.told(play(player_of(world), plan_of(world, seed), service)[0])
    assert len(found) == len(triage.bugs) == 41
    assert triage.bugs[-1].key.fingerprint == "in other words"
    assert triage.bugs[-1].count == 60


def heard(performance: Performance, position: int, *, needs: tuple[int, ...] = ()) -> Alarm:
    return alarm(
        BugKind.SLOW,
        performance.results[position].exchange.request.operation,
        200,
        "f",
        position=position,
        message="m",
        severity=Severity.LOW,
        needs=needs,
    )


def played(seed: Seed, world: World) -> Performance:
    return play(player_of(world), plan_of(world, seed), lambda request: answer(200, {"id": 7}))[0]


def test_what_an_oracle_says_is_a_bug_when_a_second_run_shows_it_too(world: World):
    triage = Triage()
    performance = played(flow(world, "GET /projects", READ, READ), world)
    assert triage.told(performance, [heard(performance, 3)]) == []
    assert triage.bugs == ()
    key, seed = triage.next_alarm() or pytest.fail("nothing to confirm")
    assert triage.next_alarm() is None  # under way
    assert [step.entry.operation for step in seed.steps] == ["POST /projects", READ]
    again = played(seed, world)
    found, confirmed = triage.settled(key, again, [heard(again, 1)])
    assert isinstance(found, BugFound) and isinstance(confirmed, BugConfirmed)
    (bug,) = triage.bugs
    assert (bug.number, bug.kind, bug.confirmed, bug.minimised) == (1, BugKind.SLOW, True, True)
    assert len(bug.exchanges) == 2
    assert triage.failures == 0
    assert triage.next() is None and triage.next_alarm() is None


def test_needed_steps_stay_and_the_whole_is_tried_when_the_short_form_shows_nothing(world: World):
    triage = Triage()
    performance = played(flow(world, "GET /projects", READ, READ), world)
    triage.told(performance, [heard(performance, 3, needs=(1,))])
    key, short = triage.next_alarm() or pytest.fail("nothing to confirm")
    assert len(short.steps) == 3
    assert triage.settled(key, played(short, world), []) == []
    key, whole = triage.next_alarm() or pytest.fail("nothing to confirm")
    assert len(whole.steps) == 4
    again = played(whole, world)
    assert triage.settled(key, again, [heard(again, 3)])
    assert not triage.bugs[0].minimised


def test_what_never_shows_again_is_dropped_for_good(world: World):
    triage = Triage()
    performance = played(flow(world, READ), world)
    for _ in range(2):
        triage.told(performance, [heard(performance, 1)])
        for _ in range(2):
            wanted = triage.next_alarm()
            if wanted is not None:
                assert triage.settled(wanted[0], played(wanted[1], world), []) == []
    assert triage.bugs == () and not triage.waiting and len(triage.dismissed) == 1


def test_settled_evidence_and_short_campaigns_need_no_second_run(world: World):
    performance = played(flow(world, READ), world)
    sure = replace(heard(performance, 1), settled=True)
    triage = Triage()
    assert len(triage.told(performance, [sure])) == 2
    assert triage.bugs[0].confirmed
    once = Triage()
    assert len(once.told(performance, [heard(performance, 1)], at_once=True)) == 1
    assert not once.bugs[0].confirmed
    once.told(performance, [heard(performance, 1)])
    assert once.bugs[0].count == 2


def test_the_graver_alarm_is_looked_at_first(world: World):
    triage = Triage()
    performance = played(flow(world, READ), world)
    grave = replace(heard(performance, 0), severity=Severity.HIGH)
    triage.told(performance, [heard(performance, 1), grave])
    assert triage.next_alarm(Severity.MEDIUM)[0] == grave.key
    assert triage.next_alarm(Severity.MEDIUM) is None
    assert triage.next_alarm()[0] == heard(performance, 1).key
