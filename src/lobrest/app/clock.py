"""The real clock."""

from __future__ import annotations

import time

_DAY = 86_400.0


def today() -> float:
    """Seconds since the epoch, to the day: dates in requests are the same in two runs of a day."""
    return time.time() // _DAY * _DAY


class SystemClock:
    """Seconds since it was made; see ``ports.Clock``."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic() - self._start
