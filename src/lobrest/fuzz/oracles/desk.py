"""All oracles that are on, as the engine sees them: told of every performance, asked for probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, TypeAlias

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.oracles.alarm import Alarm, Oracle, Prober, Seen
from lobrest.fuzz.oracles.creation import CreationOracle, Reads
from lobrest.fuzz.oracles.credentials import CredentialOracle, Openness
from lobrest.fuzz.oracles.deletion import DeletionOracle
from lobrest.fuzz.oracles.extend import grounded
from lobrest.fuzz.oracles.invalid import InvalidOracle, Leniency
from lobrest.fuzz.oracles.leaks import LeakOracle
from lobrest.fuzz.oracles.ownership import Denials, OwnershipOracle, mine_owners
from lobrest.fuzz.oracles.parent import ParentOracle
from lobrest.fuzz.oracles.reading import Readers
from lobrest.fuzz.oracles.regression import Refusals, RegressionOracle
from lobrest.fuzz.oracles.schema import Places, SchemaOracle
from lobrest.fuzz.oracles.slowness import Durations, SlownessOracle, Usual
from lobrest.fuzz.oracles.undeclared import MediaTypeOracle, StatusOracle
from lobrest.fuzz.oracles.validators import Validators
from lobrest.fuzz.play import Performance
from lobrest.fuzz.variant import Variant
from lobrest.model.operation import ApiSpec, Json, OperationId
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Seed, SeedId
from lobrest.model.slice import Slice

_READ_ALL: Final = 40
"""Answers of one operation and status that are all read; after them one in so many …"""
_READ_EVERY: Final = 16
_REMEMBERED: Final = 5000
_MOST_TIMES: Final = 2
"""Probes of one oracle for one operation."""

Counts: TypeAlias = Mapping[OperationId, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which oracles are on, and what they are told about the world."""

    names: frozenset[str] = frozenset()
    broken_headers: tuple[tuple[str, str], ...] = ()
    """Headers that look like credentials and are none."""
    usual: Mapping[OperationId, Usual] = field(default_factory=dict)
    """How long answers took in the log."""


@dataclass(slots=True)
class Memory:
    """What the oracles have learnt. Part of what a campaign keeps."""

    probed: dict[str, int] = field(default_factory=dict)
    """How often each oracle has probed each operation."""
    turn: int = 0
    reads: Reads = field(default_factory=Reads)
    openness: Openness = field(default_factory=Openness)
    denials: Denials = field(default_factory=Denials)
    leniency: Leniency = field(default_factory=Leniency)
    refusals: Refusals = field(default_factory=Refusals)
    durations: Durations = field(default_factory=Durations)
    places: Places = field(default_factory=Places)


@dataclass(frozen=True, slots=True)
class Setting:
    """What does not change in a campaign."""

    spec: ApiSpec
    model: ResourceModel
    slices: Sequence[Slice]
    everybody: tuple[str, ...]
    people: Mapping[str, Json]
    held_back: frozenset[OperationId]


class Desk:
    """Hands performances to the oracles, and probes to the engine."""

    def __init__(self, setting: Setting, choice: Choice, memory: Memory) -> None:
        self._memory = memory
        self._model = setting.model
        self._grounded: dict[SeedId, bool] = {}
        self._passive: list[Oracle] = []
        self._probers: list[tuple[str, Prober]] = []
        spec, model, names = setting.spec, setting.model, choice.names
        validators = Validators(spec)
        readers = Readers(spec, setting.held_back)
        if "response-schema" in names:
            self._passive.append(SchemaOracle(spec, validators, memory.places))
        if "undeclared-status" in names:
            self._passive.append(StatusOracle(spec))
        if "undeclared-media-type" in names:
            self._passive.append(MediaTypeOracle(spec))
        if "leaks" in names:
            self._passive.append(LeakOracle(spec))
        if "invalid-accepted" in names:
            self._passive.append(InvalidOracle(spec, validators, memory.leniency))
        if "regression" in names:
            self._passive.append(RegressionOracle(memory.refusals))
        if "slow" in names and choice.usual:
            self._passive.append(SlownessOracle(choice.usual, memory.durations))
        if "deleted-answers" in names:
            self._probers.append(("deleted-answers", DeletionOracle(spec, readers)))
        if "created-missing" in names:
            creation = CreationOracle(spec, model, setting.held_back, memory.reads)
            self._probers.append(("created-missing", creation))
        if "wrong-parent" in names:
            self._probers.append(("wrong-parent", ParentOracle(spec, model)))
        if "ownership" in names and len(setting.everybody) > 1:
            ownership = OwnershipOracle(
                spec,
                model,
                readers,
                mine_owners(setting.slices, model),
                memory.denials,
                everybody=setting.everybody,
                people=setting.people,
            )
            self._probers.append(("ownership", ownership))
        self._credentials: CredentialOracle | None = None
        if "credentials" in names and setting.everybody:
            self._credentials = CredentialOracle(spec, readers, memory.openness, broken=choice.broken_headers)
            self._probers.append(("credentials", self._credentials))

    def told(
        self, performance: Performance, counts: Counts, *, closely: bool, first_play: bool
    ) -> list[Alarm]:
        """What is wrong with a performance. ``closely``: a run made for a finding, in which every answer is read."""
        if not self._passive and not self._probers:
            return []
        astray = _astray(performance)
        looked_at = tuple(
            position not in astray
            and (closely or _is_read(counts, one.exchange.request.operation, one.exchange.status))
            for position, one in enumerate(performance.results)
        )
        seen = Seen(performance, looked_at, astray, first_play)
        judges: chain[Oracle] = chain(self._passive, (one for _, one in self._probers))
        return [found for oracle in judges for found in oracle.told(seen)]

    def next(self, bases: Mapping[Variant, Seed], context: MutationContext) -> Seed | None:
        """A probe that was not made yet: the oracles take turns, each goes through the operations that work."""
        memory = self._memory
        for _ in range(len(self._probers)):
            name, prober = self._probers[memory.turn % len(self._probers)]
            memory.turn += 1
            for base in bases.values():
                operation = base.steps[-1].entry.operation
                key = f"{name} {operation}"
                times = memory.probed.get(key, 0)
                if times and not (times < _MOST_TIMES and self._wants_again(name, operation)):
                    continue
                if not self._stands(base):
                    continue
                memory.probed[key] = times + 1
                seed = prober.probe(base, context)
                if seed is not None:
                    return seed
        return None

    def _stands(self, base: Seed) -> bool:
        """Does a flow make or find all that it needs? What merely happens to exist is nobody's in particular."""
        known = self._grounded.get(base.id)
        if known is None:
            known = self._grounded[base.id] = grounded(base, self._model)
            if len(self._grounded) > _REMEMBERED:
                self._grounded.clear()
        return known

    def _wants_again(self, name: str, operation: OperationId) -> bool:
        return (
            name == "credentials"
            and self._credentials is not None
            and self._credentials.wants_again(operation)
        )


def _astray(performance: Performance) -> frozenset[int]:
    """Requests that may have gone elsewhere: a part of the path is empty, or has parts of its own."""
    return frozenset(
        position
        for position, (step, result) in enumerate(
            zip(performance.plan.seed.steps, performance.results, strict=True)
        )
        if step.broken and any(not _stays(value) for value in result.arguments.path.values())
    )


def _stays(value: str) -> bool:
    text = str(value)
    return text.strip() not in ("", ".", "..") and not any(mark in text for mark in "/\\?#%;\0")


def _is_read(counts: Counts, operation: OperationId, status: int) -> bool:
    times = counts.get(operation, {}).get(status, 0)
    return times <= _READ_ALL or times % _READ_EVERY == 0
