"""Bugs and flows that were run again from a page."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from lobrest.app.rerun import Ending, Rerun, rerun
from lobrest.model.reproducer import Reproducer
from lobrest.transport import Credentials

_MOST_KEPT: Final = 50
_MOST_AT_ONCE: Final = 2


@dataclass(slots=True)
class Replays:
    """The latest of them, while the dashboard runs."""

    runs: dict[int, Rerun] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)
    """The page each was started from."""
    _tasks: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _last: int = 0

    @property
    def busy(self) -> bool:
        """Are so many under way that the next one has to wait for its turn?"""
        return sum(not task.done() for task in self._tasks.values()) >= _MOST_AT_ONCE

    def start(
        self, reproducer: Reproducer, credentials: Credentials, *, target: str, title: str, origin: str
    ) -> int:
        """Begin one; its number."""
        self._last += 1
        number = self._last
        progress = Rerun(title, target, len(reproducer.steps))
        self.runs[number], self.origins[number] = progress, origin
        self._tasks[number] = asyncio.create_task(self._run(reproducer, progress, credentials))
        for old in [one for one in self.runs if one <= number - _MOST_KEPT]:
            if self._tasks[old].done():
                del self.runs[old], self.origins[old], self._tasks[old]
        return number

    async def close(self) -> None:
        """Nothing goes on after the dashboard."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    @staticmethod
    async def _run(reproducer: Reproducer, progress: Rerun, credentials: Credentials) -> None:
        try:
            await rerun(reproducer, progress, credentials)
        except asyncio.CancelledError:
            progress.ending, progress.said = Ending.NOT_TRIED, "the dashboard was closed"
            raise
        except OSError as error:
            progress.ending, progress.said = Ending.NOT_TRIED, f"cannot be started: {error.strerror}"
