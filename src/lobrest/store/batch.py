"""Events and other changes, turned into rows for one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from lobrest.model.event import (
    BugConfirmed,
    BugFound,
    CampaignEnded,
    Event,
    ExchangeDone,
    FlowReplayed,
    OperationCovered,
    Outage,
    Played,
    SeedAdded,
)
from lobrest.model.seed import SeedId
from lobrest.store.keeping import Keeping
from lobrest.store.rows import Row, bug_row, clean, exchange_row, seed_row

_REMEMBERED_SEEDS: Final = 20_000


@dataclass(slots=True)
class Numbers:
    """The last numbers given to rows."""

    exchange: int = 0
    seed: int = 0
    outage: int = 0
    ending: int = 0
    seeds: set[SeedId] = field(default_factory=set)
    """Some of those that were written: turning one into a row again would be in vain."""

    def is_new(self, seed: SeedId) -> bool:
        """Was this seed not written lately? Afterwards it was."""
        if seed in self.seeds:
            return False
        if len(self.seeds) >= _REMEMBERED_SEEDS:
            self.seeds.clear()
        self.seeds.add(seed)
        return True


@dataclass(slots=True)
class Batch:
    """The rows of some changes. Later ones of a key replace earlier ones.

    They are made at once, where the values are still at hand: a thread that came for them later would
    cost the event loop several times as much as the making.
    """

    keeping: Keeping
    numbers: Numbers
    size: int = 0
    exchanges: list[Row] = field(default_factory=list)
    bodies: dict[bytes, bytes] = field(default_factory=dict)
    totals: Counter[tuple[str, int]] = field(default_factory=Counter)
    kept: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: dict[tuple[str, int], float] = field(default_factory=dict)
    """What the service took to answer, added up."""
    failures: Counter[str] = field(default_factory=Counter)
    ticks: Counter[int] = field(default_factory=Counter)
    plays: list[Row] = field(default_factory=list)
    covered: list[Row] = field(default_factory=list)
    seeds: list[Row] = field(default_factory=list)
    flows: list[Row] = field(default_factory=list)
    bugs: dict[int, Row] = field(default_factory=dict)
    outages: list[Row] = field(default_factory=list)
    endings: list[Row] = field(default_factory=list)
    state: dict[str, Row] = field(default_factory=dict)
    facts: dict[str, Row] = field(default_factory=dict)
    pieces: dict[str, bytes | None] = field(default_factory=dict)
    """None for those to be forgotten."""

    def __len__(self) -> int:
        return self.size

    def record(self, events: Iterable[Event]) -> None:
        """Turn events into rows."""
        for event in events:
            self.size += 1
            if isinstance(event, ExchangeDone):
                self._exchanged(event)
            else:
                self._happened(event)

    def put_state(self, name: str, content: bytes) -> None:
        """A blob to remember."""
        self.size += 1
        self.state[clean(name)] = (clean(name), bytes(content))

    def put_pieces(self, pieces: Mapping[str, bytes], gone: Iterable[str]) -> None:
        """Pieces to remember, and names to forget."""
        self.size += 1
        self.pieces.update(dict.fromkeys(gone))
        self.pieces.update(pieces)

    def put_fact(self, name: str, content: str) -> None:
        """A stage result to remember, as JSON text."""
        self.size += 1
        self.facts[clean(name)] = (clean(name), content)

    def _happened(self, event: Event) -> None:
        match event:
            case OperationCovered(at, operation):
                self.covered.append((clean(operation), at))
            case SeedAdded(at, seed, why):
                if self.numbers.is_new(seed.id):
                    self.numbers.seed += 1
                    self.seeds.append(seed_row(self.numbers.seed, at, seed, why))
            case Played(at, execution, seed_id, kind, mutators, requests, good):
                first = self.numbers.exchange + 1  # its exchanges come next, one after the other
                names = clean(",".join(mutators))
                self.plays.append((execution, clean(seed_id), clean(kind), names, at, first, requests, good))
            case FlowReplayed(at, replayed):
                self.flows.append((clean(replayed), at))
            case BugFound(_, bug) | BugConfirmed(_, bug):
                self.bugs[bug.number] = bug_row(bug)
            case Outage(at, down, cause):
                self.numbers.outage += 1
                self.outages.append((self.numbers.outage, at, int(down), clean(cause)))
            case CampaignEnded(at, reason):
                self.numbers.ending += 1
                self.endings.append((self.numbers.ending, at, clean(reason)))

    def _exchanged(self, event: ExchangeDone) -> None:
        exchange = event.exchange
        key = (clean(exchange.request.operation), exchange.status)
        self.totals[key] += 1
        if exchange.response is not None:
            self.seconds[key] = self.seconds.get(key, 0.0) + exchange.response.seconds
        self.ticks[int(event.at)] += 1
        if exchange.failure is not None:
            self.failures[exchange.failure.value] += 1
        if self.keeping.wants(*key):
            self.kept[key] += 1
            self.numbers.exchange += 1
            self.exchanges.append(exchange_row(self.numbers.exchange, event, self.bodies))
