"""Virtual time: many tasks, one queue of events, no clock."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Send:
    """A request that somebody makes; `path` is relative to the service's base path and percent-encoded."""

    user: str
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class Spawn:
    """Somebody begins something else beside what they are doing."""

    task: Task


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any
    size: int

    @property
    def ok(self) -> bool:
        return self.status < 300


Task = Generator[Send | Wait | Spawn, Answer | None, None]


class Schedule:
    """Runs tasks against `send`, which answers a request and says how long it took."""

    def __init__(self, start: float, send: Callable[[Send, float], tuple[Answer, float]]) -> None:
        self.now = start
        self._send = send
        self._events: list[tuple[float, int, Task, Answer | None]] = []
        self._order = itertools.count()

    def add(self, task: Task, at: float, answer: Answer | None = None) -> None:
        heapq.heappush(self._events, (at, next(self._order), task, answer))

    def run(self, until: float) -> None:
        """Until nobody has anything to do, or the end; what is under way then is left as it is."""
        while self._events and self._events[0][0] <= until:
            self.now, _, task, answer = heapq.heappop(self._events)
            try:
                step = task.send(answer)
            except StopIteration:
                continue
            match step:
                case Send():
                    answer, duration = self._send(step, self.now)
                    self.add(task, self.now + duration, answer)
                case Wait(seconds):
                    self.add(task, self.now + seconds)
                case Spawn(other):
                    self.add(other, self.now)
                    self.add(task, self.now)
