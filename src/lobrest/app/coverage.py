"""Line coverage of the service beside a campaign: asked every few seconds, off the way of the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from lobrest.errors import ProbeError
from lobrest.fuzz.line_coverage import LineCoverage, credit
from lobrest.fuzz.state import Attempt, EngineState
from lobrest.model.operation import Json
from lobrest.ports import Clock, CoverageProbe

_EVERY_SECONDS: Final = 5.0
_MOST_POINTS: Final = 600
_MOST_HELD: Final = 20_000
_PATIENCE: Final = 12
"""Failures in a row after which nobody is asked any more."""


class CoverageWatch:
    """Asks a probe, and gives what is new to the seeds that were played meanwhile."""

    def __init__(
        self,
        probe: CoverageProbe,
        state: EngineState,
        clock: Clock,
        *,
        say: Callable[[str], None] = lambda _: None,
        every_seconds: float = _EVERY_SECONDS,
    ) -> None:
        self._probe = probe
        self._state = state
        self._clock = clock
        self._say = say
        self._every = every_seconds
        self._played: list[Attempt] = []
        self._lines = LineCoverage()
        self._first = 0
        self._points: list[tuple[float, int]] = []
        self._failures = 0
        self._in_a_row = 0
        self._start = clock.now()
        self._asking: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """What has run before the first request earns nobody anything. Raises ``ProbeError``."""
        self._lines.told(await self._probe.lines())
        self._first = self._lines.total
        self._start = self._clock.now()
        self._asking = asyncio.create_task(self._go_on())

    def observed(self, attempt: Attempt) -> None:
        """An attempt has been played."""
        if len(self._played) < _MOST_HELD:
            self._played.append(attempt)

    async def end(self) -> None:
        """Ask once more, and no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
            await self.ask()
        await self._probe.close()

    async def ask(self) -> None:
        """What is new since the last time; a probe that fails is asked again later."""
        played, self._played = self._played, []
        try:
            lines = await self._probe.lines()
        except ProbeError as error:
            if not self._in_a_row:
                self._say(f"line coverage: {error}")
            self._failures += 1
            self._in_a_row += 1
            self._played = [*played, *self._played][:_MOST_HELD]
            return
        self._in_a_row = 0
        credit(self._state, played, self._lines.told(lines))
        self._points.append((round(self._clock.now() - self._start, 1), self._lines.total))
        if len(self._points) > _MOST_POINTS:
            self._points = self._points[::2]

    async def _go_on(self) -> None:
        while self._in_a_row < _PATIENCE:
            await asyncio.sleep(self._every)
            await self.ask()
        self._say("line coverage: given up")

    @property
    def summary(self) -> dict[str, Json]:
        """As ``summary.json`` has it."""
        return {
            "lines": self._lines.total,
            "before": self._first,
            "files": len(self._lines.seen),
            "failures": self._failures,
            "timeline": [{"t_s": at, "lines": lines} for at, lines in self._points],
        }

    def words(self) -> str:
        """One line."""
        new = self._lines.total - self._first
        return f"line coverage: {self._lines.total:,} lines have run, {new:,} of them since the first request"
