"""When the next request may go out: a token bucket, and pauses the service asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

_BURST_SECONDS: Final = 0.1


class Pace:
    """Hands out turns, at most ``rate`` a second, none during a pause."""

    def __init__(
        self,
        rate: float | None,
        *,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._interval = 1 / rate if rate else 0.0
        # Turns that were not taken may be caught up for a tenth of a second, but no longer: a service
        # that stood still must not be met with everything that was saved up meanwhile.
        self._slack = max(_BURST_SECONDS, self._interval) if rate else 0.0
        self._next = float("-inf")
        self._resumes = float("-inf")
        self._now = now
        self._sleep = sleep

    async def turn(self) -> None:
        """Return when it is this caller's turn; turns are given in the order of the calls."""
        now = self._now()
        if self._interval:
            mine = max(self._next, now - self._slack + self._interval)
            self._next = mine + self._interval
            if mine > now:
                await self._sleep(mine - now)
        while (left := self._resumes - self._now()) > 0:
            await self._sleep(left)

    def pause(self, seconds: float) -> None:
        """No turn before ``seconds`` from now; a longer pause under way stands."""
        self._resumes = max(self._resumes, self._now() + seconds)
