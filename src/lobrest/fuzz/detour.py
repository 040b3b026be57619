"""Detours: a change that nobody made, right before a step of a flow that works.

Faults of a business flow wait where something changed in between: the approver left the project, the branch was
protected, the request was closed and opened again. So every step that works is tried again after every change that
works on the same things; and where a change bars the step, a second change is sought that clears the way.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from lobrest.fuzz.variant import Variant
from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import READS, ApiSpec, Location, Operation, OperationId
from lobrest.model.resource import ResourceInstance, ResourceModel, ResourceName
from lobrest.model.seed import Seed, SeedId
from lobrest.model.slice import Slice

Richness: TypeAlias = tuple[int, int, int, int]
"""How many people, how many links to other things, how many different changes, how few steps."""
_LONGEST = 20
_DRAWN = 3
_TIERS = (0.35, 0.3, 0.25, 0.1)
"""Shares of changes: to what a step is about, to what that refers to, to what it is in, to anything else."""
_SECOND_CHANGES = 12
_PERSONS = 3
"""How often who may touch a thing is changed before one step: each time it may be somebody else."""
_STRANGER = 0.2
"""Share of detours by somebody else of the flow."""


@dataclass(slots=True)
class Barred:
    """A change after which a step was refused, or one that was refused itself, and how often a way was sought."""

    goal: Variant
    change: Variant
    tries: int = 0
    itself: bool = False
    """The change was refused: the way must be cleared in front of it."""


@dataclass(slots=True)
class Detours:
    """What was tried and what is open."""

    goals: dict[Variant, Seed] = field(default_factory=dict)
    """For each variant the richest short flow that ends with it in a 2XX."""
    richness: dict[Variant, Richness] = field(default_factory=dict)
    untired: list[Variant] = field(default_factory=list)
    """Goals that may have changes left to try."""
    tried: dict[tuple[Variant, ...], int] = field(default_factory=dict)
    """Changes and the step behind them, and how often."""
    barred: list[Barred] = field(default_factory=list)

    def wants(self, variant: Variant, richness: Richness, steps: int) -> bool:
        """Would a flow of so many steps be a better way to a variant than the one known?"""
        return steps <= _LONGEST and (variant not in self.richness or richness > self.richness[variant])

    def keep(self, variant: Variant, seed: Seed, richness: Richness) -> None:
        """Take a flow as the way to a variant."""
        if variant not in self.goals:
            self.untired.append(variant)
        self.goals[variant] = seed
        self.richness[variant] = richness

    def told(self, way: tuple[Variant, ...], *, barred: int | None) -> None:
        """A detour was played: which of its requests, if any, was the first that the state of things barred?"""
        if barred is not None and len(way) == 2:
            self.barred.append(Barred(goal=way[-1], change=way[0], itself=barred == 0))


@dataclass(frozen=True, slots=True)
class Detour:
    """A flow with changes in front of its last entry."""

    way: tuple[Variant, ...]
    """The changes and the step behind them."""
    piece: Slice
    parent: SeedId


class DetourPlanner:
    """Chooses detours for one service."""

    def __init__(
        self,
        spec: ApiSpec,
        model: ResourceModel,
        memberships: Iterable[ResourceName] = (),
        held_back: Container[OperationId] = (),
    ) -> None:
        """``memberships`` are the resources that say who may touch a thing."""
        self._spec = spec
        self._model = model
        self._memberships = tuple(memberships)
        self._changing: dict[ResourceName, list[OperationId]] = {}
        for operation in spec.operations.values():
            inner = self._innermost(operation)
            if inner is not None and operation.method not in READS and operation.id not in held_back:
                self._changing.setdefault(inner, []).append(operation.id)

    def _innermost(self, operation: Operation) -> ResourceName | None:
        """The innermost thing that a path names."""
        named = [
            found.resource
            for one in operation.parameters
            if one.ref.location is Location.PATH
            and (found := self._model.dependencies.get(one.ref)) is not None
            and found.resource not in self._model.acting_users
        ]
        return max(named, key=lambda one: (one.count("/"), one), default=None)

    def next(
        self,
        detours: Detours,
        bases: Mapping[Variant, Seed],
        variants: Mapping[OperationId, Sequence[Variant]],
        chance: random.Random,
    ) -> Detour | None:
        """The next one; None when every change was tried before every step."""
        if detours.barred and chance.random() < 0.3:
            found = self._way_out(detours, bases, variants, chance)
            if found is not None:
                return found
        if not detours.untired:
            detours.untired.extend(detours.goals)
        for _ in range(min(8, len(detours.untired))):
            places = [chance.randrange(len(detours.untired)) for _ in range(_DRAWN)]
            place = max(places, key=lambda one: self._promise(detours.goals[detours.untired[one]]))
            goal = detours.untired[place]
            change = self._pick(self._changes((), (goal,), detours, variants), chance)
            if change is not None:
                return self._built(goal, (change,), detours, bases, chance)
            detours.untired[place] = detours.untired[-1]
            detours.untired.pop()
        return None

    def _promise(self, seed: Seed) -> tuple[bool, int]:
        """Steps that change something first, at the end of long flows: what is deep is seldom reached by chance."""
        last = seed.source.entries[-1].operation
        return self._spec.operations[last].method not in READS, len(seed.source.entries)

    def _changes(
        self,
        before: tuple[Variant, ...],
        behind: tuple[Variant, ...],
        detours: Detours,
        variants: Mapping[OperationId, Sequence[Variant]],
    ) -> list[list[Variant]]:
        """Changes not tried between others, by how close they come to what the step is about: nearest first."""
        tiers: list[list[Variant]] = [[] for _ in _TIERS]
        for resource, tier in self._nearness(detours.goals[behind[-1]]).items():
            for operation in self._changing.get(resource, ()):
                # Another thing beside it, or something new in what it is in, seldom disturbs.
                makes = operation in self._model.creations and tier > 0
                most = _PERSONS if resource in self._memberships else 1
                tiers[len(_TIERS) - 1 if makes else tier].extend(
                    variant
                    for variant in variants.get(operation, ())
                    if detours.tried.get((*before, variant, *behind), 0) < most
                )
        return tiers

    def _nearness(self, seed: Seed) -> dict[ResourceName, int]:
        """Resources of a flow: what its last step is about; what that refers to, and who may touch it;
        what it is in; the rest.
        """
        last = seed.source.entries[-1]
        inner = innermost(last, self._model)
        near: dict[ResourceName, int] = {}
        if inner is not None:
            near[inner.resource] = 0
            above = {one.resource for one in inner.ancestors()}
            involved = {
                one.resource
                for entry in seed.source.entries
                if inner in entry.instances
                for one in entry.instances
            }
            for resource in sorted(involved - above):
                near.setdefault(resource, 1)
            for resource in self._memberships:
                if self._model.resources[resource].parent in {inner.resource, *above, *involved}:
                    near[resource] = 1
            for resource in sorted(above):
                near.setdefault(resource, 2)
        for resource in sorted({one.resource for one in seed.source.instances}):
            near.setdefault(resource, len(_TIERS) - 1)
        return near

    def _pick(self, tiers: list[list[Variant]], chance: random.Random) -> Variant | None:
        """From a tier by its share; from the next where it has nothing left."""
        start = chance.choices(range(len(_TIERS)), _TIERS)[0]
        for tier in (*range(start, len(_TIERS)), *range(start)):
            if tiers[tier]:
                chosen: Variant = chance.choice(tiers[tier])
                return chosen
        return None

    def _way_out(
        self,
        detours: Detours,
        bases: Mapping[Variant, Seed],
        variants: Mapping[OperationId, Sequence[Variant]],
        chance: random.Random,
    ) -> Detour | None:
        """Behind a change that bars a step a second one: first of the same operation, then of the same thing."""
        place = chance.randrange(len(detours.barred))
        case = detours.barred[place]
        case.tries += 1
        before = () if case.itself else (case.change,)
        behind = (case.change, case.goal) if case.itself else (case.goal,)
        tiers = self._changes(before, behind, detours, variants)
        own = set(variants.get(bases[case.change].source.entries[-1].operation, ())) - {case.change}
        again = [one for tier in tiers for one in tier if one in own]
        second = chance.choice(again) if again else self._pick(tiers, chance)
        if case.tries > _SECOND_CHANGES or second is None:
            detours.barred[place] = detours.barred[-1]
            detours.barred.pop()
            return None
        changes = (second, case.change) if case.itself else (case.change, second)
        return self._built(case.goal, changes, detours, bases, chance)

    def _built(
        self,
        goal: Variant,
        changes: tuple[Variant, ...],
        detours: Detours,
        bases: Mapping[Variant, Seed],
        chance: random.Random,
    ) -> Detour:
        way = (*changes, goal)
        detours.tried[way] = detours.tried.get(way, 0) + 1
        seed = detours.goals[goal]
        entries = list(seed.source.entries)
        for change in changes:
            model = bases[change].source.entries[-1]
            entries.insert(len(entries) - 1, self._inserted(model, seed, entries[-1], chance))
        return Detour(way, Slice(tuple(entries)), seed.id)

    def _inserted(self, model: LogEntry, seed: Seed, before: LogEntry, chance: random.Random) -> LogEntry:
        """The change as it worked elsewhere, on what this flow is about."""
        # Whoever made the first thing can usually do everything to what is in it.
        user: UserId = chance.choice((seed.source.user, seed.steps[0].entry.user))
        if chance.random() < _STRANGER:
            user = chance.choice(list(dict.fromkeys(step.entry.user for step in seed.steps)))
        return replace(model, at=before.at, user=user, status=0, uses={}, creates=None, source=None)


def innermost(entry: LogEntry, model: ResourceModel) -> ResourceInstance | None:
    """What an entry is about: of the things it names, people apart, the one that lies deepest."""
    about = [one for one in entry.uses.values() if one.resource not in model.acting_users]
    return max(about, key=lambda one: (len(one.ancestors()), one.resource, one.value), default=None)
