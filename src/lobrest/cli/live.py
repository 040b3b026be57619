"""A running campaign in one line that changes, or in plain lines where nobody watches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.live import Live
from rich.text import Text

from lobrest.app.duration import show_duration
from lobrest.app.session import Order
from lobrest.cli.talk import Talk
from lobrest.fuzz.engine import Engine
from lobrest.model.event import BugFound, Event, ExchangeDone, Outage

_PLAIN_EVERY = 10.0


class LiveView:
    """Shows coverage, rate and bugs while a campaign runs."""

    def __init__(self, talk: Talk, order: Order, operations: int, label: str) -> None:
        self._talk = talk
        self._order = order
        self._operations = operations
        self._label = label
        self._engine: Engine | None = None
        self._requests = 0
        self._bugs = 0
        self._current = ""
        self._start = time.monotonic()
        self._last_plain = self._start
        self._live: Live | None = None

    def __enter__(self) -> LiveView:
        console = self._talk.side
        if console.is_terminal and not self._talk.quiet:
            self._live = Live(self._line(), console=console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def begun(self, engine: Engine) -> None:
        """The engine whose figures are shown."""
        self._engine = engine
        self._bugs = len(engine.state.triage.bugs)
        self._start = self._last_plain = time.monotonic()

    def told(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        for event in events:
            if isinstance(event, ExchangeDone):
                self._requests += 1
                self._current = event.exchange.request.operation
            elif isinstance(event, BugFound):
                self._bugs += 1
                key = event.bug.key
                self._talk.say(
                    f"  bug {event.bug.number}: {key.status} {key.operation} "
                    f"after {len(event.bug.exchanges)} steps: {event.bug.message[:80]}"
                )
            elif isinstance(event, Outage):
                self._talk.warn(
                    f"  the service {'does not answer' if event.down else 'answers again'} ({event.cause})"
                )
        if self._live is not None:
            self._live.update(self._line())
        elif time.monotonic() - self._last_plain >= _PLAIN_EVERY:
            self._last_plain = time.monotonic()
            self._talk.say(self._line().plain)

    def _line(self) -> Text:
        passed = time.monotonic() - self._start
        left = max(0.0, self._order.budget.seconds - passed)
        covered = len(self._engine.state.feedback.covered) if self._engine else 0
        rate = self._requests / passed if passed > 1 else 0.0
        return Text(
            f"  {self._label}: {covered}/{self._operations} operations, {self._bugs} bugs, "
            f"{self._requests} requests ({rate:.0f}/s), {show_duration(left)} left  {self._current[:50]}",
            no_wrap=True,
            overflow="ellipsis",
        )
