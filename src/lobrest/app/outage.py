"""A service that goes away: noticed by asking it, waited for, and the requests named that may have done it.

One bad answer proves nothing: an operation may fail with 503 or close its connection all by itself.
So the service is asked for something that worked a moment ago; only where that fails too it is down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.ports import Clock, Transport

GATEWAY: Final = (502, 503, 504)
"""What a proxy answers in the place of a service that is not there."""
_SILENCE: Final = (Failure.CONNECT, Failure.CLOSED, Failure.TIMEOUT)
_ASK_SECONDS: Final = 15.0
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 10.0
_LONG_STREAK: Final = 12
_MANY_OPERATIONS: Final = 4
_LEAST_OFTEN: Final = 400
_OVERLOADED: Final = "503"
_SHORT_SECONDS: Final = 2.0
_FIRST_EASE, _MOST_EASE = 0.02, 2.0
_REMEMBERED: Final = 3
"""Operations that worked lately, to ask for."""


class ServiceDownError(Exception):
    """The service is away: nothing more can be sent."""

    def __init__(self, outcome: Response | Failure = Failure.CONNECT) -> None:
        super().__init__()
        self.outcome = outcome
        """What came instead of an answer."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A request that was under way when the service went down."""

    play: int
    """The number of the plan it belongs to."""
    operation: OperationId
    sent: float


@dataclass(slots=True)
class OutageRecord:
    """One outage, from the first request that met it."""

    began_s: float
    sign: str
    """What was seen first: ``502``, ``closed`` …"""
    suspects: tuple[Suspect, ...] = ()
    ended_s: float | None = None
    cause: str = ""
    """The operation that took it down again when it was sent alone; empty where none did."""

    @property
    def summary(self) -> dict[str, object]:
        """As ``summary.json`` has it."""
        return {
            "began_s": round(self.began_s, 2),
            "ended_s": None if self.ended_s is None else round(self.ended_s, 2),
            "sign": self.sign,
            "suspects": list(dict.fromkeys(one.operation for one in self.suspects))[:8],
            "cause": self.cause,
        }

    def words(self) -> str:
        """What was under way, in a few words."""
        named = list(dict.fromkeys(one.operation for one in self.suspects))
        if not named:
            return self.sign
        more = f" and {len(named) - 3} more" if len(named) > 3 else ""
        return f"{self.sign}, during {', '.join(named[:3])}{more}"


class Watch:
    """Sends for the plays of a campaign, and knows whether the service is there."""

    def __init__(self, transport: Transport, clock: Clock, harmless: Request) -> None:
        """``harmless`` is what the service is asked while nothing is known to work."""
        self._transport = transport
        self._clock = clock
        self._harmless = harmless
        self._start = clock.now()
        self._good: dict[OperationId, Request] = {}
        self._own: set[tuple[OperationId, str]] = set()
        """Operations that fail so while the service is well."""
        self._streak = 0
        self._failing: set[OperationId] = set()
        self._patience = _LONG_STREAK
        self._flying: dict[int, Suspect] = {}
        self._doubtful: dict[int, Suspect] = {}
        """Failed, and nobody knows yet whether by themselves."""
        self._count = 0
        self._asking = asyncio.Lock()
        self._ease = 0.0
        """Seconds waited before every request: a service that answers 503 for a moment only wants less of them."""
        self.outages: list[OutageRecord] = []
        self.asked = 0
        """Requests sent to find out whether the service is there."""

    @property
    def down(self) -> bool:
        """Is it away now?"""
        return bool(self.outages) and self.outages[-1].ended_s is None

    def begin(self, start: float) -> None:
        """Count time from here."""
        self._start = start

    async def send(self, request: Request, *, play: int) -> Response | Failure:
        """The answer. Raises ``ServiceDownError`` where there is none because the service is away."""
        if self._asking.locked():
            async with self._asking:
                pass
        if self._ease:
            await asyncio.sleep(self._ease)
        if self.down:
            raise ServiceDownError
        self._count += 1
        number = self._count
        self._flying[number] = suspect = Suspect(play, request.operation, self._clock.now() - self._start)
        try:
            outcome = await self._transport.send(request)
        finally:
            del self._flying[number]
        sign = sign_of(outcome)
        if sign is None:
            self._worked(request, outcome)
            return outcome
        if self.down or await self._gone(request, sign, suspect, number):
            raise ServiceDownError(outcome)
        return outcome

    def _worked(self, request: Request, outcome: Response | Failure) -> None:
        if isinstance(outcome, Failure):  # no HTTP at all, but somebody is there
            return
        if self._streak:
            self._streak = 0
            self._failing.clear()
        if request.method == "GET" and outcome.status < 500 and request.operation not in self._good:
            while len(self._good) >= _REMEMBERED:
                del self._good[next(iter(self._good))]
            self._good[request.operation] = request

    async def _gone(self, request: Request, sign: str, suspect: Suspect, number: int) -> bool:
        """Is the service away, or does this operation fail by itself?"""
        key = (request.operation, sign)
        if key in self._own:
            self._streak += 1
            self._failing.add(request.operation)
            many = len(self._failing) >= _MANY_OPERATIONS and self._streak >= self._patience // 3
            if self._streak < self._patience and not many:
                return False
        now = self._clock.now() - self._start
        if sign != Failure.CONNECT.value:  # what reached nobody has done nothing
            self._doubtful[number] = suspect
        async with self._asking:
            if self.down:
                self._doubtful.pop(number, None)
                return True
            if await self.alive(but=request):
                self._doubtful.pop(number, None)
                self._own.add(key)
                self._streak = 0
                self._failing.clear()
                self._patience = min(2 * self._patience, _LEAST_OFTEN)
                return False
            self._patience = _LONG_STREAK
            flying = sorted(self._flying.values(), key=lambda one: one.sent)
            self.outages.append(OutageRecord(now, sign, (*self._doubtful.values(), *flying)))
            self._doubtful.clear()
            return True

    async def alive(self, *, but: Request | None = None) -> bool:
        """Does the service answer something that worked before, or anything at all while nothing has?"""
        known = [one for one in self._good.values() if but is None or one.operation != but.operation]
        for request in known[-2:] or [self._harmless]:
            self.asked += 1
            try:
                outcome = await asyncio.wait_for(self._transport.send(request), _ASK_SECONDS)
            except TimeoutError:
                continue
            if sign_of(outcome) is None:
                return True
        return False

    async def well(self) -> bool:
        """Is it there now? Where it is not, that is an outage like any other."""
        if not self.down and not await self.alive():
            self.outages.append(OutageRecord(self._clock.now() - self._start, "silence"))
        return not self.down

    async def back(self, over: Callable[[], bool], *, most_seconds: float) -> bool:
        """Wait until the service answers again; False where it stays away or the campaign is over."""
        began = self._clock.now()
        for wait in _waits():
            if over() or self._clock.now() - began >= most_seconds:
                return False
            if await self.alive():
                record = self.outages[-1]
                record.ended_s = self._clock.now() - self._start
                if record.sign == _OVERLOADED and record.ended_s - record.began_s < _SHORT_SECONDS:
                    self._ease = min(max(2 * self._ease, _FIRST_EASE), _MOST_EASE)
                return True
            await asyncio.sleep(wait)
        return False


def sign_of(outcome: Response | Failure) -> str | None:
    """What speaks for a service that is away, or None."""
    if isinstance(outcome, Failure):
        return outcome.value if outcome in _SILENCE else None
    return str(outcome.status) if outcome.status in GATEWAY else None


def met_it(exchange: Exchange) -> bool:
    """Did this request find the service gone, or did it go under it?"""
    outcome = exchange.response if exchange.response is not None else exchange.failure
    return outcome is None or sign_of(outcome) is not None


def _waits() -> Iterator[float]:
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, _LONGEST_WAIT)
