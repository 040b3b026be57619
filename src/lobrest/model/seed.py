"""Completed slices: what the fuzzer plays and mutates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import ParameterRef
from lobrest.model.resource import ResourceInstance
from lobrest.model.slice import Slice

SeedId = NewType("SeedId", str)
"""A digest of the content, equal across processes."""


class Origin(StrEnum):
    """Why a step is in a seed."""

    LOG = "log"
    AUGMENTED = "augmented"
    """No log shows the operation: built from its schema."""
    CREATION = "creation"
    """Put in front by completion: makes an instance that later steps need."""
    LISTING = "listing"
    """Put in front by completion: finds an instance that nothing can create."""
    MUTATION = "mutation"


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a seed."""

    entry: LogEntry
    origin: Origin
    reason: str = ""
    """Why completion or a mutator added it."""
    raw_body: bytes | None = None
    """Sent as it is instead of the arguments' body: broken on purpose."""
    anonymous: bool = False
    """Sent without credentials."""
    concurrent: bool = False
    """Sent at the same time as the step before."""
    broken: bool = False
    """Made wrong on purpose: never repaired."""
    pause: float = 0.0
    """Seconds to wait before it is sent …"""
    settled: int = 0
    """… unless the step before was answered like this: 2 is 2XX, 4 is 4XX. 0 waits always."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A parameter of a step that gets its value at run time from an earlier step's exchange."""

    step: int
    parameter: ParameterRef
    producer: int
    instance: ResourceInstance


@dataclass(frozen=True, slots=True)
class Identity:
    """A parameter that names a person: it gets the identity of whoever plays that user.

    Where the parameter is wired as well, the wire holds unless an answer says who the owner is.
    """

    step: int
    parameter: ParameterRef
    user: UserId
    owner_of: int | None = None
    """The step that makes what stands behind the person in the path (``{owner}/{repo}``): its owner."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A completed slice with its wiring."""

    id: SeedId
    steps: tuple[Step, ...]
    wires: tuple[Wire, ...]
    source: Slice
    """What it was completed from: splicing works on originals and completes again."""
    origin: Origin
    """``LOG`` or ``AUGMENTED``."""
    identities: tuple[Identity, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be completed, and what stands in for it."""
    parents: tuple[SeedId, ...] = ()
    mutations: tuple[str, ...] = ()

    @property
    def users(self) -> tuple[UserId, ...]:
        """Everybody who sends a step or is named by one, the busiest of the log first."""
        counts: dict[UserId, int] = {}
        for step in self.steps:
            counts[step.entry.user] = counts.get(step.entry.user, 0) + 1
        senders = sorted(counts, key=lambda user: -counts[user])
        named = [identity.user for identity in self.identities if identity.user not in counts]
        return tuple(dict.fromkeys([*senders, *named]))
