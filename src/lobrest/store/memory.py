"""The store in dictionaries: the reference that the others must agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from lobrest.model.bug import Bug
from lobrest.model.event import (
    BugConfirmed,
    BugFound,
    CampaignEnded,
    Event,
    ExchangeDone,
    FlowReplayed,
    OperationCovered,
    Outage,
    SeedAdded,
)
from lobrest.model.operation import Json, OperationId
from lobrest.model.seed import SeedId
from lobrest.model.summary import Point
from lobrest.store.keeping import Keeping
from lobrest.store.records import Keep, StoredExchange, StoredSeed, Totals
from lobrest.store.timeline import timeline


class MemoryStore:
    """See ``CampaignStore``. Nothing outlives the object."""

    def __init__(self, keep: Keep = Keep.ALL) -> None:
        self._keeping = Keeping(keep)
        self._exchanges: list[StoredExchange] = []
        self._statuses: dict[OperationId, Counter[int]] = {}
        self._failures: Counter[str] = Counter()
        self._ticks: Counter[int] = Counter()
        self._covered: dict[OperationId, float] = {}
        self._seeds: dict[SeedId, StoredSeed] = {}
        self._flows: set[SeedId] = set()
        self._bugs: dict[int, Bug] = {}
        self._outages: list[Outage] = []
        self._endings: list[CampaignEnded] = []
        self._state: dict[str, bytes] = {}
        self._facts: dict[str, Json] = {}
        self._pieces: dict[str, bytes] = {}

    def record(self, events: Iterable[Event]) -> None:
        """See ``CampaignStore``."""
        for event in events:
            match event:
                case ExchangeDone():
                    self._exchanged(event)
                case OperationCovered(at, operation):
                    self._covered.setdefault(operation, at)
                case SeedAdded(at, seed, why):
                    self._seeds.setdefault(seed.id, StoredSeed(seed, at, why))
                case FlowReplayed(_, replayed):
                    self._flows.add(replayed)
                case BugFound(_, bug) | BugConfirmed(_, bug):
                    self._bugs[bug.number] = bug
                case Outage():
                    self._outages.append(event)
                case CampaignEnded():
                    self._endings.append(event)

    def _exchanged(self, event: ExchangeDone) -> None:
        exchange = event.exchange
        operation = exchange.request.operation
        self._statuses.setdefault(operation, Counter())[exchange.status] += 1
        self._ticks[int(event.at)] += 1
        if exchange.failure is not None:
            self._failures[exchange.failure.value] += 1
        if self._keeping.wants(operation, exchange.status):
            number = len(self._exchanges) + 1
            self._exchanges.append(StoredExchange(number, event.at, event.seed, event.execution, exchange))

    def put_state(self, name: str, content: bytes) -> None:
        """See ``CampaignStore``."""
        self._state[name] = content

    def put_pieces(self, pieces: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """See ``CampaignStore``."""
        for name in gone:
            self._pieces.pop(name, None)
        self._pieces.update(pieces)

    def put_fact(self, name: str, content: Json) -> None:
        """See ``CampaignStore``."""
        self._facts[name] = content

    def flush(self) -> None:
        """Nothing is safer than it was."""

    def close(self) -> None:
        """There is nothing to let go."""

    def totals(self) -> Totals:
        """See ``CampaignStore``."""
        moments = [*self._covered.values(), *(bug.first_seen_s for bug in self._bugs.values())]
        return Totals(
            requests=self._ticks.total(),
            exchanges_kept=len(self._exchanges),
            covered=len(self._covered),
            bugs=len(self._bugs),
            seeds=len(self._seeds),
            flows_replayed=len(self._flows),
            last_at=max([0.0, *moments, *map(float, self._ticks)]),
            failures=dict(self._failures),
        )

    def statuses(self) -> Mapping[OperationId, Mapping[int, int]]:
        """See ``CampaignStore``."""
        return {operation: dict(counts) for operation, counts in self._statuses.items()}

    def covered(self) -> Mapping[OperationId, float]:
        """See ``CampaignStore``."""
        return dict(self._covered)

    def timeline(self, *, points: int = 200) -> tuple[Point, ...]:
        """See ``CampaignStore``."""
        found = [bug.first_seen_s for bug in self._bugs.values()]
        return timeline(self._ticks, self._covered.values(), found, points=points)

    def bugs(self) -> tuple[Bug, ...]:
        """See ``CampaignStore``."""
        return tuple(self._bugs[number] for number in sorted(self._bugs))

    def exchanges(
        self,
        *,
        after: int = 0,
        limit: int = 100,
        operation: OperationId | None = None,
        status: int | None = None,
    ) -> tuple[StoredExchange, ...]:
        """See ``CampaignStore``."""
        page = (
            stored
            for stored in self._exchanges[max(after, 0) :]
            if operation in (None, stored.exchange.request.operation)
            and status in (None, stored.exchange.status)
        )
        return tuple(stored for stored, _ in zip(page, range(limit), strict=False))

    def seeds(self) -> tuple[StoredSeed, ...]:
        """See ``CampaignStore``."""
        return tuple(self._seeds.values())

    def lineage(self, seed: SeedId) -> tuple[StoredSeed, ...]:
        """See ``CampaignStore``."""
        line: dict[SeedId, StoredSeed] = {}
        waiting = [seed]
        for wanted in waiting:
            found = self._seeds.get(wanted)
            if found is not None and wanted not in line:
                line[wanted] = found
                waiting.extend(found.seed.parents)
        return tuple(line.values())

    def flows(self) -> frozenset[SeedId]:
        """See ``CampaignStore``."""
        return frozenset(self._flows)

    def outages(self) -> tuple[Outage, ...]:
        """See ``CampaignStore``."""
        return tuple(self._outages)

    def endings(self) -> tuple[CampaignEnded, ...]:
        """See ``CampaignStore``."""
        return tuple(self._endings)

    def state(self, name: str) -> bytes | None:
        """See ``CampaignStore``."""
        return self._state.get(name)

    def pieces(self, start: str = "") -> Mapping[str, bytes]:
        """See ``CampaignStore``."""
        return {name: content for name, content in self._pieces.items() if name.startswith(start)}

    def fact(self, name: str) -> Json:
        """See ``CampaignStore``."""
        return self._facts.get(name)

    def facts(self) -> Mapping[str, Json]:
        """See ``CampaignStore``."""
        return dict(self._facts)
