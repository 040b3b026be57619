"""What the fuzzer works with, and all of it that moves: one value, kept apart from what acts on it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lobrest.fuzz.choices import Variation
from lobrest.fuzz.detour import Detours
from lobrest.fuzz.feedback import Feedback
from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.oracles.desk import Choice, Memory
from lobrest.fuzz.play import Plan
from lobrest.fuzz.pool import SeedPool
from lobrest.fuzz.probes import Probe
from lobrest.fuzz.schedule import Bandit
from lobrest.fuzz.triage import Triage
from lobrest.fuzz.variant import Variant
from lobrest.model.bug import BugKey
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Place
from lobrest.model.operation import ApiSpec, Json, OperationId
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice

NUMBERS_A_RUN: Final = 10_000
"""Plays begin at a multiple of this after each stop."""


class Kind(StrEnum):
    """Why an attempt is made."""

    FIRST = "first"
    AGAIN = "again"
    REACH = "reach"
    MUTATE = "mutate"
    PROBE = "probe"
    WALK = "walk"
    DETOUR = "detour"
    VARY = "vary"
    BUG = "bug"
    ORACLE = "oracle"


class Depth(StrEnum):
    """How far a campaign goes: the steps of the ablation."""

    SLICES = "slices"
    """Slices as the log has them, not completed, played once."""
    ENHANCED = "enhanced"
    """Augmented and completed seeds, played once."""
    FUZZ = "fuzz"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A plan, and where its result belongs."""

    plan: Plan
    kind: Kind
    item: int = -1
    mutators: tuple[str, ...] = ()
    bug: BugKey | None = None
    operation: OperationId | None = None
    way: tuple[Variant, ...] = ()
    """Of a detour: its changes and the step behind them."""


@dataclass(frozen=True, slots=True)
class Errand:
    """An attempt without what only its moment knew: enough to make it once more."""

    seed: Seed
    tries: tuple[int, ...]
    kind: Kind
    item: int = -1
    mutators: tuple[str, ...] = ()
    bug: BugKey | None = None
    operation: OperationId | None = None
    way: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What the stages before have made."""

    spec: ApiSpec
    model: ResourceModel
    corpus: Corpus
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """How a campaign is to be run."""

    random_seed: int
    everybody: tuple[str, ...]
    people: Mapping[str, Json]
    now: float
    depth: Depth = Depth.FUZZ
    held_back: frozenset[OperationId] = frozenset()
    reuse: bool = True
    oracles: Choice = field(default_factory=Choice)
    """What is looked for besides 5XX."""


@dataclass(slots=True)
class EngineState:
    """All that moves."""

    chance: random.Random
    pool: SeedPool = field(default_factory=SeedPool)
    queue: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    again: list[int] = field(default_factory=list)
    knowledge: Knowledge = field(default_factory=Knowledge)
    feedback: Feedback = field(default_factory=Feedback)
    bandit: Bandit = field(default_factory=Bandit)
    triage: Triage = field(default_factory=Triage)
    planned: int = 0
    observed: int = 0
    reached_for: dict[OperationId, int] = field(default_factory=dict)
    bases: dict[Variant, Seed] = field(default_factory=dict)
    """For each variant of an operation the shortest flow known to end with it in a 2XX."""
    variants: dict[OperationId, list[Variant]] = field(default_factory=dict)
    played: set[Place] = field(default_factory=set)
    """Logged requests answered 2XX then that were sent again …"""
    repeated: set[Place] = field(default_factory=set)
    """… and those of them answered 2XX again."""
    refused: dict[Place, str] = field(default_factory=dict)
    """What the service said to the others."""
    paired: set[tuple[Variant, OperationId]] = field(default_factory=set)
    """Operations tried right after a flow that ends with a variant of another."""
    detours: Detours = field(default_factory=Detours)
    variations: dict[OperationId, tuple[Variation, ...]] = field(default_factory=dict)
    """What is still to be varied about an operation."""
    probes: dict[OperationId, tuple[Probe, ...]] = field(default_factory=dict)
    """What is still to be broken about an operation."""
    oracles: Memory = field(default_factory=Memory)
    under_way: dict[int, Errand] = field(default_factory=dict)
    """Attempts planned and not yet told of, by number."""
    repeats: list[Errand] = field(default_factory=list)
    """Attempts that a stop cut short: the first to be made after it."""

    def go_on(self) -> None:
        """After a stop: what was under way is made again, under numbers that nobody has used since.

        Plays that began after this state was written are not known any more, but what they made is there.
        """
        self.repeats.extend(self.under_way.values())
        self.under_way.clear()
        self.planned = (self.planned // NUMBERS_A_RUN + 1) * NUMBERS_A_RUN
