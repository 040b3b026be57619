"""What the core needs from the world, and nothing of how it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from lobrest.model.event import Event
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import Json, Schema


class Transport(Protocol):
    """Sends requests to the one service that was named."""

    async def send(self, request: Request) -> Response | Failure:
        """The bounded answer, or why there is none; never raises for what a service does."""

    async def close(self) -> None:
        """Let connections go."""


class Store(Protocol):
    """Keeps what happened."""

    def record(self, events: Iterable[Event]) -> None:
        """Take events in order; durable at the latest when ``flush`` returns."""

    def flush(self) -> None:
        """Everything recorded so far is safe."""

    def close(self) -> None:
        """Flush and let go."""


class LanguageModel(Protocol):
    """Answers questions in JSON that fits a schema."""

    def ask(self, prompts: Sequence[str], *, schema: Schema) -> Sequence[Json]:
        """One answer a prompt, in order; raises ``ModelError`` when none can be had."""


class CoverageProbe(Protocol):
    """Tells which lines of the service have run."""

    async def lines(self) -> Mapping[str, int]:
        """By file a number whose bits are the lines that have run so far; raises ``ProbeError``."""

    async def close(self) -> None:
        """Let go of what is held."""


class Clock(Protocol):
    """Time, as an argument."""

    def now(self) -> float:
        """Seconds that never go back."""
