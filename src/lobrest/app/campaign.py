"""The loop: many flows at once, each in its order, observed in the order they were planned."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lobrest.app.control import Gate
from lobrest.app.outage import OutageRecord, ServiceDownError, Watch, met_it
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Ask, Performance, Plan, Plays, Reply, Send, Wait
from lobrest.fuzz.state import Attempt, Kind
from lobrest.fuzz.takedown import bare, given_up, took_down
from lobrest.model.event import CampaignEnded, Event, ExchangeDone, Outage, Played, SeedAdded
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.summary import Point
from lobrest.ports import Clock, Transport

_GRACE_SECONDS = 2.0
_OUTAGE_SECONDS = 600.0
"""How long a service that went away is waited for."""
_MOST_SUSPECTS = 8
_MOST_TAKEDOWNS = 2
"""An operation that took the service down so often is sent no more."""
_MOST_POINTS = 600
_SPENT = "the requests are spent"
_GONE = "the service does not answer any more"

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
    outages: list[OutageRecord] = field(default_factory=list)
    quarantined: tuple[OperationId, ...] = ()
    """Operations sent no more, because they took the service down again and again."""
    dead: bool = False
    """The service went away and did not come back."""
    reason: str = ""
    stopped: bool = False
    """The user ended it."""


_Pending: TypeAlias = deque[tuple[Attempt, "asyncio.Task[Performance]"]]


class Campaign:
    """Runs an engine until the budget is spent, nothing is left, or somebody says stop."""

    def __init__(
        self,
        engine: Engine,
        player: Plays,
        transport: Transport,
        clock: Clock,
        budget: Budget,
        *,
        sinks: Sequence[Sink] = (),
        window: int = 8,
        planned: Callable[[Attempt], None] | None = None,
        observed: Callable[[Attempt], None] | None = None,
        gate: Gate | None = None,
        before: Result | None = None,
    ) -> None:
        """``before`` is how far it got until it was interrupted: time and requests count on from there."""
        self._engine = engine
        self._player = player
        self._watch = Watch(transport, clock, engine.probe())
        self._clock = clock
        self._budget = budget
        self._sinks = sinks
        self._window = window
        self._planned = planned
        self._observed = observed
        self._gate = gate
        self._stop = asyncio.Event()
        self._takedowns: Counter[OperationId] = Counter()
        self.result = before or Result()
        self._sent = self.result.requests
        self._outlook = 0
        """Steps of the plays under way."""
        self._watch.outages.extend(self.result.outages)
        self.result.outages = self._watch.outages
        self._stopped = "stopped by the user"

    def stop(self, why: str = "") -> None:
        """End in order: what is under way is given up, what was found is kept. ``why``, if not the user."""
        self.result.stopped = not why
        self._stopped = why or self._stopped
        self._stop.set()

    @property
    def ending(self) -> bool:
        """Was it told to stop, or is it over?"""
        return self._stop.is_set() or bool(self.result.reason)

    async def run(self) -> Result:
        """To the end."""
        pending: _Pending = deque()
        start = self._clock.now() - self.result.seconds
        self._watch.begin(start)
        reason = ""
        try:
            while not reason:
                reason = self._over(start)
                while not reason and len(pending) < self._window and not self._promised():
                    attempt = self._next()
                    if attempt is None:
                        break
                    self._outlook += len(attempt.plan.seed.steps)
                    if self._planned is not None:
                        self._planned(attempt)
                    pending.append((attempt, asyncio.create_task(self._drive(attempt.plan, start))))
                if not pending:
                    reason = reason or "nothing left to play"
                    break
                attempt, task = pending[0]
                try:
                    performance = await self._finished(task, start)
                except ServiceDownError:
                    reason = await self._outage(pending, start)
                    continue
                pending.popleft()
                if performance is None:
                    reason = self._over(start) or "time is up"
                    break
                self._observe(attempt, performance)
            while pending and reason == _SPENT:  # plays that ended within the budget count
                attempt, task = pending.popleft()
                try:
                    performance = await self._finished(task, start)
                except ServiceDownError:
                    continue
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
            return self._stopped
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

    async def _drive(self, plan: Plan, start: float, *, alone: bool = False) -> Performance:
        """Between the play and the transport.

        Raises ``ServiceDownError`` where the service goes away; a play that is ``alone`` goes on to its end
        without it, so that it can be told what happened when.
        """
        play: Generator[Ask, Sequence[Reply], Performance] = self._player.play(plan)
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
                    outcome = await self._send(request, plan, alone=alone)
                    replies = (Reply(outcome, self._clock.now() - start),)
                case Send(requests=several):
                    self._count(len(several))
                    outcomes = await asyncio.gather(*(self._send(one, plan, alone=alone) for one in several))
                    replies = tuple(Reply(outcome, self._clock.now() - start) for outcome in outcomes)

    async def _send(self, request: Request, plan: Plan, *, alone: bool) -> Response | Failure:
        try:
            return await self._watch.send(request, play=plan.number)
        except ServiceDownError as error:
            if not alone:
                raise
            return error.outcome

    def _observe(self, attempt: Attempt, performance: Performance) -> None:
        self.result.requests += len(performance.exchanges)
        self._outlook -= len(attempt.plan.seed.steps)
        self._count_failures(performance.exchanges)
        self._tell([*_played(attempt, performance), *self._engine.observe(attempt, performance)])
        if self._observed is not None:
            self._observed(attempt)
        last = self.result.timeline[-1].t_s if self.result.timeline else -1.0
        now = performance.exchanges[-1].at if performance.exchanges else last
        if now - last >= 1.0:
            self._point(now)

    def _count_failures(self, exchanges: Sequence[Exchange]) -> None:
        for exchange in exchanges:
            if exchange.failure is not None:
                kind = exchange.failure.value
                self.result.failures[kind] = self.result.failures.get(kind, 0) + 1

    # Outages ----------------------------------------------------------------------------------------

    def _next(self) -> Attempt | None:
        """The next attempt that leaves the service standing, as far as is known."""
        while True:
            attempt = self._engine.next()
            if attempt is None or not self._is_quarantined(attempt):
                return attempt
            given_up(self._engine.state, attempt)

    def _is_quarantined(self, attempt: Attempt) -> bool:
        banned = self.result.quarantined
        return bool(banned) and any(step.entry.operation in banned for step in attempt.plan.seed.steps)

    async def _outage(self, pending: _Pending, start: float) -> str:
        """Wait for a service that went away, and see which play does it again; why the campaign ends, if so."""
        record = self._watch.outages[-1]
        self._tell([Outage(record.began_s, True, record.words())])
        broken = await self._interrupted(pending)
        if not await self._back(start):
            return self._away(start)
        suspects = [one.play for one in record.suspects if one.play in broken]
        for number in list(dict.fromkeys(suspects))[:_MOST_SUSPECTS]:
            position = next(at for at, (one, _) in enumerate(pending) if one.plan.number == number)
            attempt = pending[position][0]
            task = asyncio.create_task(self._drive(attempt.plan, start, alone=True))
            pending[position] = (attempt, task)
            broken.discard(number)
            performance = await self._finished(task, start)
            if performance is None:
                del pending[position]
                break
            if await self._watch.well():
                continue
            del pending[position]
            if not await self._guilty(attempt, performance, record, start):
                return self._away(start)
            break
        for _ in range(len(pending)):
            attempt, task = pending.popleft()
            if attempt.plan.number in broken and self._is_quarantined(attempt):
                self._give_up(attempt)
                continue
            if attempt.plan.number in broken:
                task = asyncio.create_task(self._drive(attempt.plan, start))
            pending.append((attempt, task))
        return self._over(start)

    def _give_up(self, attempt: Attempt) -> None:
        self._outlook -= len(attempt.plan.seed.steps)
        given_up(self._engine.state, attempt)

    async def _interrupted(self, pending: _Pending) -> set[int]:
        """Let everything under way come to its end; the numbers of the plays that have to begin anew."""
        tasks = [task for _, task in pending]
        await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException) and not isinstance(
                end, ServiceDownError | _CutShortError | asyncio.CancelledError
            ):
                raise end
        return {
            attempt.plan.number
            for (attempt, _), end in zip(pending, ends, strict=True)
            if isinstance(end, ServiceDownError | asyncio.CancelledError)
        }

    async def _guilty(
        self, attempt: Attempt, performance: Performance, record: OutageRecord, start: float
    ) -> bool:
        """A play took the service down by itself: keep it as a bug; False where the service stays away."""
        position = next(
            (index for index, one in enumerate(performance.results) if met_it(one.exchange)),
            len(performance.results) - 1,
        )
        operation = performance.results[position].exchange.request.operation
        again = self._watch.outages[-1]
        record.cause = again.cause = operation
        self._tell([Outage(again.began_s, True, f"{operation} takes it down")])
        self._give_up(attempt)
        self._takedowns[operation] += 1
        if self._takedowns[operation] >= _MOST_TAKEDOWNS:
            self.result.quarantined = (*self.result.quarantined, operation)
        shown, minimised = (performance, position), False
        back = await self._back(start)
        shorter = bare(attempt.plan, position) if back and self._takedowns[operation] == 1 else None
        if shorter is not None:
            task = asyncio.create_task(self._drive(shorter, start, alone=True))
            once_more = await self._finished(task, start)
            if once_more is not None and not await self._watch.well():
                shown, minimised = (once_more, len(once_more.results) - 1), True
                self._watch.outages[-1].cause = operation
                back = await self._back(start)
        self._tell_of(attempt, performance)
        self._tell(took_down(self._engine.state, *shown, minimised=minimised))
        return back

    def _tell_of(self, attempt: Attempt, performance: Performance) -> None:
        """A play that the engine does not learn from is kept all the same."""
        sent = [one for one in performance.exchanges if one.failure is not Failure.CONNECT]
        self.result.requests += len(sent)
        self._count_failures(sent)
        plan = attempt.plan
        self._tell([Played(sent[-1].at if sent else 0.0, plan.number, plan.seed.id, attempt.kind.value)])
        self._tell([ExchangeDone(one.at, plan.seed.id, plan.number, one) for one in sent])

    async def _back(self, start: float) -> bool:
        """Wait for the service; False where it stays away."""
        if not await self._watch.back(lambda: bool(self._over(start)), most_seconds=_OUTAGE_SECONDS):
            return False
        self._tell([Outage(self._clock.now() - start, False, "answers again")])
        return True

    def _away(self, start: float) -> str:
        self.result.dead = not self._stop.is_set()
        return self._over(start) or _GONE

    def _point(self, now: float | None = None) -> None:
        state = self._engine.state
        at = self.result.seconds if now is None else now
        covered, bugs = len(state.feedback.covered), state.triage.failures
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
        why = seed.origin.value if attempt.kind is Kind.FIRST else attempt.kind.value
        events.append(SeedAdded(at, seed, why))
    return events
