"""The loop: many flows at once, each in its order, observed in the order they were planned."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from lobrest.app.control import Gate
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Ask, Performance, Player, Reply, Send, Wait
from lobrest.fuzz.state import Attempt, Kind
from lobrest.model.event import CampaignEnded, Event, Outage, Played, SeedAdded
from lobrest.model.exchange import Exchange, Failure
from lobrest.model.summary import Point
from lobrest.ports import Clock, Transport

_GRACE_SECONDS = 2.0
_FAILURES_TO_OUTAGE = 12
_OUTAGE_SECONDS = 60.0
_MOST_POINTS = 600
_SPENT = "the requests are spent"

Sink = Callable[[Sequence[Event]], None]


class _CutShortError(Exception):
    """A play may send nothing more."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a campaign may go on."""

    seconds: float = 600.0
    requests: int | None = None


@dataclass(slots=True)
class Result:
    """How a campaign went, in figures."""

    requests: int = 0
    seconds: float = 0.0
    timeline: list[Point] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)
    outages: int = 0
    reason: str = ""
    stopped: bool = False
    """The user ended it."""


class Campaign:
    """Runs an engine until the budget is spent, nothing is left, or somebody says stop."""

    def __init__(
        self,
        engine: Engine,
        player: Player,
        transport: Transport,
        clock: Clock,
        budget: Budget,
        *,
        sinks: Sequence[Sink] = (),
        window: int = 8,
        planned: Callable[[Attempt], None] | None = None,
        gate: Gate | None = None,
    ) -> None:
        self._engine = engine
        self._player = player
        self._transport = transport
        self._clock = clock
        self._budget = budget
        self._sinks = sinks
        self._window = window
        self._planned = planned
        self._gate = gate
        self._stop = asyncio.Event()
        self._silent = 0
        self._last_request = ""
        self._sent = 0
        self._outlook = 0
        """Steps of the plays under way."""
        self._back_at = -1.0
        self.result = Result()

    def stop(self) -> None:
        """End in order: what is under way is given up, what was found is kept."""
        self.result.stopped = True
        self._stop.set()

    async def run(self) -> Result:
        """To the end."""
        pending: deque[tuple[Attempt, asyncio.Task[Performance]]] = deque()
        start = self._clock.now()
        reason = ""
        try:
            while not reason:
                reason = self._over(start)
                while not reason and len(pending) < self._window and not self._promised():
                    attempt = self._engine.next()
                    if attempt is None:
                        break
                    self._outlook += len(attempt.plan.seed.steps)
                    if self._planned is not None:
                        self._planned(attempt)
                    pending.append((attempt, asyncio.create_task(self._drive(attempt, start))))
                if not pending:
                    reason = reason or "nothing left to play"
                    break
                attempt, task = pending.popleft()
                performance = await self._finished(task, start)
                if performance is None:
                    reason = self._over(start) or "time is up"
                    break
                self._observe(attempt, performance)
                if self._silent >= _FAILURES_TO_OUTAGE and not await self._outage(start):
                    reason = "the service does not answer any more"
            while pending and reason == _SPENT:  # plays that ended within the budget count
                attempt, task = pending.popleft()
                performance = await self._finished(task, start)
                if performance is not None:
                    self._observe(attempt, performance)
        finally:
            for _, task in pending:
                task.cancel()
            await asyncio.gather(*(task for _, task in pending), return_exceptions=True)
        self.result.seconds = self._clock.now() - start
        self.result.reason = reason
        self._point()
        self._tell([CampaignEnded(self.result.seconds, reason)])
        return self.result

    def _over(self, start: float) -> str:
        if self._stop.is_set():
            return "stopped by the user"
        if self._clock.now() - start >= self._budget.seconds:
            return "time is up"
        if self._budget.requests is not None and self._sent >= self._budget.requests:
            return _SPENT
        return ""

    def _promised(self) -> bool:
        """Are the requests that are left those of plays under way?

        Only what was told is counted, so that the answers alone decide what is planned.
        """
        most = self._budget.requests
        return most is not None and self._outlook > 0 and self.result.requests + self._outlook >= most

    def _count(self, requests: int) -> None:
        """Before anything is sent: ends a play that the budget or the user cuts short."""
        most = self._budget.requests
        if self._stop.is_set() or (most is not None and self._sent + requests > most):
            self._sent = self._sent if most is None else most
            raise _CutShortError
        self._sent += requests

    async def _finished(self, task: asyncio.Task[Performance], start: float) -> Performance | None:
        """The performance, or None when the campaign is over before it."""
        stopping = asyncio.create_task(self._stop.wait())
        while True:
            closings = self._gate.closings if self._gate else 0
            left = max(0.0, self._budget.seconds - (self._clock.now() - start)) + _GRACE_SECONDS
            await asyncio.wait({task, stopping}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            paused = self._gate is not None and self._gate.held_since(closings)
            if task.done() or stopping.done() or not paused:
                break
        stopping.cancel()
        if task.done():
            try:
                return task.result()
            except _CutShortError:
                return None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None

    async def _drive(self, attempt: Attempt, start: float) -> Performance:
        """Between the play and the transport."""
        play: Generator[Ask, Sequence[Reply], Performance] = self._player.play(attempt.plan)
        replies: Sequence[Reply] | None = None
        while True:
            try:
                ask = next(play) if replies is None else play.send(replies)
            except StopIteration as ended:
                performance: Performance = ended.value
                return performance
            match ask:
                case Wait(seconds=seconds):
                    await asyncio.sleep(seconds)
                    replies = ()
                case Send(requests=(request,)):
                    self._count(1)
                    outcome = await self._transport.send(request)
                    replies = (Reply(outcome, self._clock.now() - start),)
                case Send(requests=several):
                    self._count(len(several))
                    outcomes = await asyncio.gather(*(self._transport.send(one) for one in several))
                    replies = tuple(Reply(outcome, self._clock.now() - start) for outcome in outcomes)

    def _observe(self, attempt: Attempt, performance: Performance) -> None:
        self.result.requests += len(performance.exchanges)
        self._outlook -= len(attempt.plan.seed.steps)
        for exchange in performance.exchanges:
            self._silence(exchange)
        self._tell([*_played(attempt, performance), *self._engine.observe(attempt, performance)])
        last = self.result.timeline[-1].t_s if self.result.timeline else -1.0
        now = performance.exchanges[-1].at if performance.exchanges else last
        if now - last >= 1.0:
            self._point(now)

    def _silence(self, exchange: Exchange) -> None:
        if exchange.failure is None:
            self._silent = 0
            self._last_request = exchange.request.operation
            return
        kind = exchange.failure.value
        self.result.failures[kind] = self.result.failures.get(kind, 0) + 1
        # Plays that were under way in an outage are told after it: their failures are no second one.
        if exchange.failure in (Failure.CONNECT, Failure.CLOSED) and exchange.at > self._back_at:
            self._silent += 1

    async def _outage(self, start: float) -> bool:
        """Wait for a service that went away; False when it stays away."""
        now = self._clock.now() - start
        self.result.outages += 1
        self._tell([Outage(now, True, f"after {self._last_request}")])
        began = self._clock.now()
        while not self._stop.is_set() and not self._over(start):
            if await self._alive():
                self._silent, self._back_at = 0, self._clock.now() - start
                self._tell([Outage(self._back_at, False, "answers again")])
                return True
            if self._clock.now() - began > _OUTAGE_SECONDS:
                return False
            await asyncio.sleep(1.0)
        return True

    async def _alive(self) -> bool:
        attempt = self._engine.probe()
        return not isinstance(await self._transport.send(attempt), Failure)

    def _point(self, now: float | None = None) -> None:
        state = self._engine.state
        at = self.result.seconds if now is None else now
        covered, bugs = len(state.feedback.covered), len(state.triage.bugs)
        self.result.timeline.append(Point(round(at, 2), self.result.requests, covered, bugs))
        if len(self.result.timeline) > _MOST_POINTS:  # half the points tell the same story
            self.result.timeline = self.result.timeline[::2]

    def _tell(self, events: Sequence[Event]) -> None:
        for sink in self._sinks:
            sink(events)


def _played(attempt: Attempt, performance: Performance) -> list[Event]:
    """What was played and why; flows of the log are kept, so that they can be looked at later."""
    seed, exchanges = attempt.plan.seed, performance.exchanges
    at = exchanges[-1].at if exchanges else 0.0
    events: list[Event] = [
        Played(
            at,
            attempt.plan.number,
            seed.id,
            attempt.kind.value,
            attempt.mutators,
            len(exchanges),
            sum(exchange.ok for exchange in exchanges),
        )
    ]
    if attempt.kind in (Kind.FIRST, Kind.AGAIN):
        events.append(SeedAdded(at, seed, attempt.kind.value))
    return events
