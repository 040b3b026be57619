"""The real clock."""

from __future__ import annotations

import time


class SystemClock:
    """Seconds since it was made; see ``ports.Clock``."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic() - self._start
