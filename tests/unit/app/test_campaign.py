"""The loop around the engine, with a service that is a function: budgets, stopping, outages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from tests.unit.enhance.world import PROJECT, World, forge
from tests.unit.fuzz.script import answer, engine_of, player_of
from tests.unit.fuzz.test_engine import Forge

from lobrest.app.campaign import Budget, Campaign, Result
from lobrest.app.clock import SystemClock
from lobrest.app.control import Gate, GatedTransport
from lobrest.errors import StoreError
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.state import Attempt, Depth
from lobrest.model.bug import BugKind
from lobrest.model.event import BugFound, CampaignEnded, Event, ExchangeDone, Outage
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.slice import Slice


class Ticking:
    """A clock that goes on whenever somebody looks at it."""

    def __init__(self, step: float = 0.0) -> None:
        self.time = 0.0
        self.step = step

    def now(self) -> float:
        self.time += self.step
        return self.time


class Line:
    """A transport to a function; it counts and gives way, so that plays interleave."""

    def __init__(self, service: Callable[[Request], Response | Failure]) -> None:
        self.service = service
        self.sent: list[Request] = []
        self.on: dict[int, Callable[[], None]] = {}

    async def send(self, request: Request) -> Response | Failure:
        self.sent.append(request)
        self.on.get(len(self.sent), lambda: None)()
        await asyncio.sleep(0)
        return self.service(request)

    async def close(self) -> None:
        pass


def flows(world: World) -> list[Slice]:
    return [Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))]


class Run:
    """One campaign, from what it was given to what came of it."""

    def __init__(self, service: Callable[[Request], Response | Failure], **more: object) -> None:
        world = forge()
        self.engine: Engine = engine_of(world, flows(world), depth=more.pop("depth", Depth.FUZZ))
        self.line = Line(service)
        self.events: list[Event] = []
        self.planned: list[Attempt] = []
        self.clock = more.pop("clock", Ticking(0.001))
        self.budget = more.pop("budget", Budget(1000.0))
        self.sinks: list = [self.events.extend, *more.pop("sinks", [])]
        self.left: set[asyncio.Task] = set()
        self.campaign: Campaign | None = None
        self.world = world
        self.window = more.pop("window", 8)

    def __call__(self) -> Result:
        return asyncio.run(self._run())

    async def _run(self) -> Result:
        self.campaign = Campaign(
            self.engine,
            player_of(self.world),
            self.line,
            self.clock,
            self.budget,
            sinks=self.sinks,
            window=self.window,
            planned=self.planned.append,
        )
        try:
            return await self.campaign.run()
        finally:
            await asyncio.sleep(0)
            self.left = asyncio.all_tasks() - {asyncio.current_task()}

    def told(self, kind: type) -> Sequence:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.mark.parametrize("most", [1, 7, 60])
@pytest.mark.parametrize("window", [1, 8])
def test_no_more_requests_are_sent_than_allowed(most: int, window: int):
    run = Run(Forge(), budget=Budget(1000.0, most), window=window)
    result = run()
    assert len(run.line.sent) <= most
    assert result.requests <= most
    assert result.reason == "the requests are spent"
    assert len(run.told(ExchangeDone)) == result.requests
    assert not run.left
    if most == 60:
        assert result.requests > 30


def test_it_ends_when_the_time_is_up():
    run = Run(Forge(), budget=Budget(5.0), clock=Ticking(0.01))
    result = run()
    assert result.reason == "time is up"
    assert 5.0 <= result.seconds < 7.0
    assert not run.left
    assert not result.stopped


def test_it_ends_when_nothing_is_left():
    run = Run(Forge(), depth=Depth.ENHANCED)
    result = run()
    assert result.reason == "nothing left to play"
    assert len(run.planned) == len(run.world.spec.operations)
    assert result.requests == len(run.line.sent) == len(run.told(ExchangeDone))


@pytest.mark.parametrize("at", [1, 2, 25])
def test_stopping_keeps_what_was_found_and_leaves_nothing_running(at: int):
    run = Run(Forge())
    run.line.on[at] = lambda: run.campaign.stop()
    result = run()
    assert result.stopped
    assert result.reason == "stopped by the user"
    assert not run.left
    assert len(run.line.sent) <= at + run.window
    assert isinstance(run.events[-1], CampaignEnded)
    assert len(run.told(CampaignEnded)) == 1


def test_a_request_that_never_ends_does_not_keep_it_from_stopping():
    run = Run(Forge())

    async def hangs(request: Request) -> Response:
        asyncio.get_running_loop().call_later(0.01, run.campaign.stop)
        await asyncio.sleep(3600)
        raise AssertionError

    run.line.send = hangs
    assert run().stopped
    assert not run.left


def test_performances_are_told_in_the_order_of_planning():
    run = Run(Forge(), budget=Budget(1000.0, 200))
    run()
    numbers = [event.execution for event in run.told(ExchangeDone)]
    assert numbers == sorted(numbers)
    assert [attempt.plan.number for attempt in run.planned] == list(range(len(run.planned)))


def test_bugs_are_told_and_on_the_timeline():
    def service(request: Request) -> Response:
        return answer(500, {"message": "boom"}) if request.operation == "GET /licences" else Forge()(request)

    run = Run(service, budget=Budget(1000.0, 300), clock=Ticking(0.05))
    result = run()
    assert {event.bug.key.operation for event in run.told(BugFound)} == {"GET /licences"}
    assert result.timeline[-1].bugs == 1
    assert result.timeline[-1].requests == result.requests
    assert [point.t_s for point in result.timeline] == sorted(point.t_s for point in result.timeline)


def test_failures_are_counted_by_kind():
    forge = Forge()

    def service(request: Request) -> Response | Failure:
        return Failure.TIMEOUT if request.operation == "GET /licences" else forge(request)

    run = Run(service, depth=Depth.ENHANCED)
    result = run()
    assert set(result.failures) == {"timeout"}
    assert result.outages == []


def quick(monkeypatch: pytest.MonkeyPatch, clock: Ticking) -> None:
    """Waiting takes no time, but the clock believes it did."""
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        clock.time += seconds
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)


@pytest.mark.parametrize(
    "failure", [Failure.CONNECT, Failure.CLOSED, Failure.TIMEOUT, answer(502), answer(503)]
)
def test_a_service_that_goes_away_is_waited_for_and_is_one_outage(monkeypatch, failure: Failure | Response):
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    forge = Forge()
    away: list[float] = []

    def service(request: Request) -> Response | Failure:
        if len(run.line.sent) > 40 and not away:
            away.append(clock.time)
        if away and clock.time < away[0] + 5.0:
            return failure
        return forge(request)

    run = Run(service, clock=clock, budget=Budget(1000.0, 400))
    result = run()
    assert len(result.outages) == 1
    assert result.outages[0].cause == ""
    assert [event.down for event in run.told(Outage)] == [True, False]
    assert result.reason == "the requests are spent"
    assert not run.told(BugFound)
    assert not result.dead


@pytest.mark.parametrize("window", [1, 8])
@pytest.mark.parametrize("sign", [Failure.CLOSED, answer(502, {"message": "bad gateway"})])
def test_a_request_that_takes_the_service_down_is_found_and_is_a_bug(monkeypatch, sign, window: int):
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    forge = Forge()
    away: list[float] = []
    killer = "DELETE /projects/{id}"

    def service(request: Request) -> Response | Failure:
        if away and clock.time < away[-1] + 3.0:
            return Failure.CONNECT if isinstance(sign, Failure) else sign
        if request.operation == killer:
            away.append(clock.time)
            return sign
        return forge(request)

    run = Run(service, clock=clock, budget=Budget(100_000.0, 600), window=window)
    result = run()
    bugs = [event.bug for event in run.told(BugFound)]
    (bug,) = [one for one in bugs if one.kind is BugKind.OUTAGE]
    assert all(one.key.status == 500 for one in bugs if one is not bug)
    assert (bug.key.operation, bug.kind, bug.confirmed) == (killer, BugKind.OUTAGE, True)
    assert bug.exchanges[-1].request.operation == killer
    assert bug.minimised or len(bug.exchanges) <= 2
    assert bug.key in {one.key for one in run.engine.state.triage.bugs}
    assert result.outages[0].cause == killer
    assert result.quarantined == (killer,)
    assert 4 <= len(away) <= 6, "twice seen, each time once more, and once smaller"
    assert result.reason == "the requests are spent"
    assert not run.left
    told = [event.exchange.request.operation for event in run.told(ExchangeDone)]
    assert killer in told
    assert len(told) == result.requests


def test_a_service_that_only_wants_fewer_requests_gets_fewer(monkeypatch):
    """A proxy that limits the rate with 503: no bug, and not an outage every second for the rest of the day."""
    clock = Ticking(0.0001)
    quick(monkeypatch, clock)
    forge = Forge()
    recent: list[float] = []

    def service(request: Request) -> Response | Failure:
        recent[:] = [at for at in recent if at > clock.time - 1.0]
        if len(recent) >= 40:
            return answer(503, {"message": "slow down"})
        recent.append(clock.time)
        return forge(request)

    run = Run(service, clock=clock, budget=Budget(100_000.0, 1500), window=8)
    result = run()
    assert result.reason == "the requests are spent"
    assert 1 <= len(result.outages) <= 10
    assert all(one.bug.key.status != 503 for one in run.told(BugFound))


def test_an_operation_that_fails_by_itself_is_a_bug_and_no_outage():
    forge = Forge()

    def service(request: Request) -> Response | Failure:
        return answer(503, {"message": "no"}) if request.operation == "GET /licences" else forge(request)

    run = Run(service, budget=Budget(1000.0, 300))
    result = run()
    assert result.outages == []
    assert [(one.bug.key.operation, one.bug.key.status) for one in run.told(BugFound)] == [
        ("GET /licences", 503)
    ]


def test_a_service_that_hangs_after_a_request_has_hung(monkeypatch):
    """The answer is fine, and it is the last one."""
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    forge = Forge()
    away: list[float] = []

    def service(request: Request) -> Response | Failure:
        if away and clock.time < away[-1] + 3.0:
            return Failure.TIMEOUT
        if request.operation == "GET /licences":
            away.append(clock.time)
        return forge(request)

    run = Run(service, clock=clock, budget=Budget(100_000.0, 200), depth=Depth.ENHANCED)
    result = run()
    assert result.outages
    assert not result.dead
    assert result.reason == "nothing left to play"


def test_a_service_that_stays_away_ends_it(monkeypatch):
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    run = Run(lambda _: Failure.CONNECT, clock=clock, budget=Budget(100_000.0))
    result = run()
    assert result.reason == "the service does not answer any more"
    assert result.dead
    assert 500 < result.seconds < 1000
    assert len(run.line.sent) < 300
    assert not run.left


def test_it_can_be_stopped_while_it_waits_for_a_service(monkeypatch):
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    run = Run(lambda _: Failure.CONNECT, clock=clock, budget=Budget(100_000.0))
    run.sinks.append(lambda events: [run.campaign.stop() for one in events if isinstance(one, Outage)])
    result = run()
    assert result.stopped
    assert not result.dead
    assert result.reason == "stopped by the user"


def test_a_service_that_is_away_when_the_time_is_up_is_dead(monkeypatch):
    clock = Ticking(0.001)
    quick(monkeypatch, clock)
    run = Run(lambda _: answer(502), clock=clock, budget=Budget(50.0))
    result = run()
    assert result.dead
    assert result.reason == "time is up"
    assert result.seconds < 70


def test_a_full_disk_ends_it_and_leaves_nothing_running():
    def full(events: Sequence[Event]) -> None:
        raise StoreError("no space left")

    run = Run(Forge(), sinks=[full])
    with pytest.raises(StoreError, match="no space left"):
        run()
    assert not run.left


def test_a_long_timeline_stays_short():
    run = Run(Forge(), clock=Ticking(1.0), budget=Budget(10**9, 1500), window=2)
    result = run()
    assert 100 < len(result.timeline) <= 601


def test_a_pause_longer_than_the_time_left_costs_nothing():
    run = Run(Forge(), budget=Budget(0.3, 40))

    async def tried() -> Result:
        gate = Gate(SystemClock())
        run.line.on[5] = gate.close
        gated = GatedTransport(run.line, gate)
        run.campaign = Campaign(
            run.engine, player_of(run.world), gated, gate, Budget(3.0, 40), sinks=run.sinks, gate=gate
        )
        asyncio.get_running_loop().call_later(0.5, lambda: paused.append(len(run.line.sent)))
        asyncio.get_running_loop().call_later(5.6, gate.open)
        return await run.campaign.run()

    paused: list[int] = []
    result = asyncio.run(tried())
    assert 5 <= paused[0] < 40
    assert len(run.line.sent) > paused[0]
    assert result.reason == "the requests are spent"
    assert result.seconds < 3.0
