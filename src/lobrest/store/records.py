"""What a store gives back, and the whole of what a store can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from lobrest.model.bug import Bug
from lobrest.model.event import CampaignEnded, Event, Outage
from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json, OperationId
from lobrest.model.seed import Seed, SeedId
from lobrest.model.summary import Point


class Keep(StrEnum):
    """Which exchanges are kept whole. Counts, seeds and bugs with their exchanges are kept always."""

    ALL = "all"
    INTERESTING = "interesting"
    """The first few of each operation and status."""
    BUGS = "bugs"
    """Only those that belong to a bug, with the bug."""


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """An exchange with its place in the campaign."""

    id: int
    at: float
    seed: SeedId
    execution: int
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class StoredSeed:
    """A seed with when and why it was added."""

    seed: Seed
    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The campaign in numbers."""

    requests: int = 0
    exchanges_kept: int = 0
    covered: int = 0
    bugs: int = 0
    seeds: int = 0
    flows_replayed: int = 0
    last_at: float = 0.0
    """The latest second in which anything was answered, covered or found."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Requests without an answer, by kind."""


class CampaignStore(Protocol):
    """``ports.Store`` with its reading side. What was recorded before can be read, in this object at once.

    Text comes back as it went in, apart from NUL and lone surrogates, which no database keeps.
    """

    def record(self, events: Iterable[Event]) -> None:
        """Take events in order; durable at the latest when ``flush`` returns."""

    def put_state(self, name: str, content: bytes) -> None:
        """Remember a blob (what was learnt, the random generator), replacing the one of that name."""

    def put_pieces(self, pieces: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """Remember pieces, replacing those of the same names, and forget others: all of that or nothing.

        Whatever was recorded before is safe when they are.
        """

    def put_fact(self, name: str, content: Json) -> None:
        """Remember the result of a stage, replacing the one of that name."""

    def flush(self) -> None:
        """Everything recorded so far is safe. After an error it may be called again: nothing was lost."""

    def close(self) -> None:
        """Flush and let go."""

    def totals(self) -> Totals:
        """The campaign in numbers."""

    def statuses(self) -> Mapping[OperationId, Mapping[int, int]]:
        """How often each operation was answered with each status; 0 is no answer."""

    def covered(self) -> Mapping[OperationId, float]:
        """Operations answered 2XX, with the second of the first time."""

    def timeline(self, *, points: int = 200) -> tuple[Point, ...]:
        """Requests, covered operations and bugs over time, at most that many points."""

    def bugs(self) -> tuple[Bug, ...]:
        """All bugs by number, in their latest form, with their exchanges."""

    def exchanges(
        self,
        *,
        after: int = 0,
        limit: int = 100,
        operation: OperationId | None = None,
        status: int | None = None,
    ) -> tuple[StoredExchange, ...]:
        """Kept exchanges with an id above ``after``, in order; a page is full or the last."""

    def seeds(self) -> tuple[StoredSeed, ...]:
        """All seeds in the order added."""

    def lineage(self, seed: SeedId) -> tuple[StoredSeed, ...]:
        """The seed and those it comes from, itself first, each once; empty where it is not known."""

    def flows(self) -> frozenset[SeedId]:
        """Seeds of logged flows that were replayed."""

    def outages(self) -> tuple[Outage, ...]:
        """When the service went down and came back."""

    def endings(self) -> tuple[CampaignEnded, ...]:
        """Each time the campaign ended: more than one after a resume."""

    def state(self, name: str) -> bytes | None:
        """The blob of that name."""

    def pieces(self, start: str = "") -> Mapping[str, bytes]:
        """The pieces whose names start like that."""

    def fact(self, name: str) -> Json:
        """The stage result of that name; None where there is none."""

    def facts(self) -> Mapping[str, Json]:
        """All stage results."""
