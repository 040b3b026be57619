"""What happened in a campaign. The engine never prints: store, report and terminal read these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed, SeedId


@dataclass(frozen=True, slots=True)
class SeedAdded:
    """A seed was put into the pool."""

    at: float
    seed: Seed
    why: str


@dataclass(frozen=True, slots=True)
class ExchangeDone:
    """A request was answered, or failed."""

    at: float
    seed: SeedId
    execution: int
    """Counts plays of seeds."""
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Played:
    """A seed was played to its end. Told before the exchanges of the play."""

    at: float
    execution: int
    seed: SeedId
    kind: str
    """Why it was played: the first time, again, to reach an operation, mutated …"""
    mutators: tuple[str, ...] = ()
    requests: int = 0
    good: int = 0
    """Requests answered 2XX."""


@dataclass(frozen=True, slots=True)
class OperationCovered:
    """An operation was answered 2XX for the first time."""

    at: float
    operation: OperationId


@dataclass(frozen=True, slots=True)
class BugFound:
    """A failure that was not known before."""

    at: float
    bug: Bug


@dataclass(frozen=True, slots=True)
class BugConfirmed:
    """A known failure was seen again on purpose, perhaps with fewer steps."""

    at: float
    bug: Bug


@dataclass(frozen=True, slots=True)
class FlowReplayed:
    """A logged flow was played with every step of the log answered 2XX."""

    at: float
    seed: SeedId


@dataclass(frozen=True, slots=True)
class Outage:
    """The service stopped answering, or answers again."""

    at: float
    down: bool
    cause: str


@dataclass(frozen=True, slots=True)
class Paused:
    """Somebody paused the campaign, or let it go on. For whoever watches; nothing keeps it."""

    at: float
    paused: bool


@dataclass(frozen=True, slots=True)
class Cleaning:
    """After the end: what the campaign made is being taken away. For whoever watches; nothing keeps it."""

    deleted: int
    left: int


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """The last event."""

    at: float
    reason: str


Event: TypeAlias = (
    SeedAdded
    | ExchangeDone
    | Played
    | OperationCovered
    | BugFound
    | BugConfirmed
    | FlowReplayed
    | Outage
    | Paused
    | Cleaning
    | CampaignEnded
)
