"""A running campaign in two lines that change, or in plain lines at a slow pace where nobody watches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import RenderableType
from rich.live import Live

from lobrest.app.session import Order
from lobrest.cli.talk import Talk
from lobrest.fuzz.engine import Engine
from lobrest.model.bug import Bug, Severity
from lobrest.model.event import BugFound, Cleaning, Event, ExchangeDone, Outage, Paused, Played
from lobrest.report.terminal import Progress, kind_words, live_line, live_view
from lobrest.report.wording import count, one_line

_PACES = ((60.0, 10.0), (600.0, 30.0), (float("inf"), 60.0))
"""Until so many seconds have passed, a plain line every so many."""


class LiveView:
    """Shows coverage, rate, bugs and the current flow while a campaign runs."""

    def __init__(self, talk: Talk, order: Order, operations: int, label: str) -> None:
        self._talk = talk
        self._order = order
        self._operations = operations
        self._label = label
        self._engine: Engine | None = None
        self._requests = 0
        self._bugs = 0
        self._current = ""
        self._flow = ""
        self._note = ""
        self._start = time.monotonic()
        self._last_plain = self._start
        self._paused_at: float | None = None
        self._paused_for = 0.0
        self._live: Live | None = None

    def __enter__(self) -> LiveView:
        console = self._talk.side
        if console.is_terminal and not self._talk.quiet:
            self._live = Live(
                get_renderable=self._view, console=console, refresh_per_second=4, transient=True
            )
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
        self._bugs = sum(bug.severity is not Severity.INFO for bug in engine.state.triage.bugs)
        self._start = self._last_plain = time.monotonic()

    def told(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        for event in events:
            match event:
                case ExchangeDone(exchange=exchange):
                    self._requests += 1
                    self._current = exchange.request.operation
                case Played(kind=kind):
                    self._flow = kind_words(kind)
                case BugFound(bug=bug):
                    self._found(bug)
                case Outage(down=down, cause=cause):
                    self._note = "the service does not answer" if down else ""
                    told = "does not answer" if down else "answers again"
                    self._warn(f"  the service {told} ({one_line(cause, 160)})")
                case Paused(paused=paused):
                    self._pause(paused=paused)
                case Cleaning(deleted=deleted, left=left):
                    self._note = f"cleaning up: {count(deleted, 'thing')} deleted, {left} left"
                case _:
                    pass
        if self._live is None:
            self._plain()

    def _found(self, bug: Bug) -> None:
        noted = bug.severity is Severity.INFO
        self._bugs += not noted
        self._say(
            f"  {'note' if noted else 'bug'} {bug.number}: {bug.key.status or 'no answer'} "
            f"{one_line(bug.key.operation, 120)} after {count(len(bug.exchanges), 'step')}: "
            f"{one_line(bug.message, 90)}"
        )

    def _pause(self, *, paused: bool) -> None:
        now = time.monotonic()
        if paused:
            self._paused_at = now
        elif self._paused_at is not None:
            self._paused_for += now - self._paused_at
            self._paused_at = None
        self._note = "paused" if paused else ""
        self._say("  paused" if paused else "  goes on")

    def _plain(self) -> None:
        now = time.monotonic()
        passed = now - self._start
        pace = next(every for until, every in _PACES if passed < until)
        if now - self._last_plain >= pace:
            self._last_plain = now
            self._talk.say(f"  {live_line(self._progress())}")

    def _say(self, text: str) -> None:
        """Above the lines that change, where there are any."""
        if self._live is None:
            self._talk.say(text)
        else:
            self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _warn(self, text: str) -> None:
        if self._live is None:
            self._talk.warn(text)
        else:
            self._live.console.print(text, markup=False, highlight=False, soft_wrap=True, style="yellow")

    def _view(self) -> RenderableType:
        return live_view(self._progress())

    def _progress(self) -> Progress:
        until = self._paused_at if self._paused_at is not None else time.monotonic()
        return Progress(
            label=self._label,
            covered=len(self._engine.state.feedback.covered) if self._engine else 0,
            operations=self._operations,
            bugs=self._bugs,
            requests=self._requests,
            seconds=max(0.0, until - self._start - self._paused_for),
            budget_seconds=self._order.budget.seconds,
            current=self._current,
            flow=self._flow,
            note=self._note,
        )
