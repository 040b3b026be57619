"""Detours: a change that nobody made, right before a step of a flow that works.

Faults of a business flow wait where something changed in between: the approver left the project, the branch was
protected, the request was closed and opened again. So every step that works is tried again after every change that
works on the same things; and where a change bars the step, a second change is sought that clears the way.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from lobrest.fuzz.variant import Variant
from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import ApiSpec, Method, OperationId
from lobrest.model.resource import ResourceModel, ResourceName
from lobrest.model.seed import Seed, SeedId
from lobrest.model.slice import Slice

Richness: TypeAlias = tuple[bool, int, int]
"""Several people, how many different changes, how few steps."""
READS = (Method.GET, Method.HEAD, Method.OPTIONS, Method.TRACE)
_LONGEST = 20
_DRAWN = 3
_NEAR = 0.6
"""Share of detours through what the flow is most closely about."""
_SECOND_CHANGES = 12
_STRANGER = 0.2
"""Share of detours by somebody else of the flow."""


@dataclass(slots=True)
class Barred:
    """A change that worked and after which a step did not, and how often a way out was sought."""

    goal: Variant
    change: Variant
    tries: int = 0


@dataclass(slots=True)
class Detours:
    """What was tried and what is open."""

    goals: dict[Variant, Seed] = field(default_factory=dict)
    """For each variant the richest short flow that ends with it in a 2XX."""
    richness: dict[Variant, Richness] = field(default_factory=dict)
    untired: list[Variant] = field(default_factory=list)
    """Goals that may have changes left to try."""
    tried: set[tuple[Variant, ...]] = field(default_factory=set)
    """Changes and the step behind them."""
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

    def told(self, way: tuple[Variant, ...], *, changed: bool, refused: bool) -> None:
        """A detour was played: did its changes work, and was the step behind them refused?"""
        if changed and refused and len(way) == 2:
            self.barred.append(Barred(goal=way[-1], change=way[0]))


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
        self, spec: ApiSpec, model: ResourceModel, users_of: Mapping[ResourceName, Sequence[OperationId]]
    ) -> None:
        self._spec = spec
        self._model = model
        self._users_of = users_of

    def next(
        self,
        detours: Detours,
        bases: Mapping[Variant, Seed],
        variants: Mapping[OperationId, Sequence[Variant]],
        chance: random.Random,
    ) -> Detour | None:
        """The next one; None when every change was tried before every step."""
        if detours.barred and chance.random() < 0.4:
            found = self._way_out(detours, bases, variants, chance)
            if found is not None:
                return found
        if not detours.untired:
            detours.untired.extend(detours.goals)
        for _ in range(min(8, len(detours.untired))):
            places = [chance.randrange(len(detours.untired)) for _ in range(_DRAWN)]
            place = max(places, key=lambda one: self._promise(detours.goals[detours.untired[one]]))
            goal = detours.untired[place]
            options = self._changes(goal, detours.goals[goal], (), detours, variants)
            if options:
                return self._built(goal, (self._pick(options, chance),), detours, bases, chance)
            detours.untired[place] = detours.untired[-1]
            detours.untired.pop()
        return None

    def _promise(self, seed: Seed) -> tuple[bool, int]:
        """Steps that change something first, at the end of long flows: what is deep is seldom reached by chance."""
        last = seed.source.entries[-1].operation
        return self._spec.operations[last].method not in READS, len(seed.source.entries)

    def _changes(
        self,
        goal: Variant,
        seed: Seed,
        before: tuple[Variant, ...],
        detours: Detours,
        variants: Mapping[OperationId, Sequence[Variant]],
    ) -> list[tuple[int, Variant]]:
        """Untried changes on what the flow is about, with the depth of what they share with it."""
        depths: dict[OperationId, int] = {}
        for instance in seed.source.instances:
            if instance.resource in self._model.acting_users:
                continue
            depth = len(instance.ancestors())
            for operation in self._users_of.get(instance.resource, ()):
                if depth >= depths.get(operation, 0) and operation in variants:
                    depths[operation] = depth
        return [
            (depth, variant)
            for operation, depth in sorted(depths.items())  # instances are a set: their order says nothing
            if self._spec.operations[operation].method not in READS
            for variant in variants[operation]
            if (*before, variant, goal) not in detours.tried
        ]

    def _pick(self, options: list[tuple[int, Variant]], chance: random.Random) -> Variant:
        if chance.random() < _NEAR:
            deepest = max(depth for depth, _ in options)
            options = [one for one in options if one[0] == deepest]
        return chance.choice(options)[1]

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
        options = self._changes(case.goal, detours.goals[case.goal], (case.change,), detours, variants)
        if case.tries > _SECOND_CHANGES or not options or case.change not in bases:
            detours.barred[place] = detours.barred[-1]
            detours.barred.pop()
            return None
        operation = bases[case.change].source.entries[-1].operation
        own = [one for one in options if one[1] in variants.get(operation, ()) and one[1] != case.change]
        template = self._spec.operations[operation].template
        near = [
            one
            for one in options
            if _related(self._spec.operations[bases[one[1]].source.entries[-1].operation].template, template)
        ]
        second = self._pick(own or near or options, chance)
        return self._built(case.goal, (case.change, second), detours, bases, chance)

    def _built(
        self,
        goal: Variant,
        changes: tuple[Variant, ...],
        detours: Detours,
        bases: Mapping[Variant, Seed],
        chance: random.Random,
    ) -> Detour:
        detours.tried.add((*changes, goal))
        seed = detours.goals[goal]
        entries = list(seed.source.entries)
        for change in changes:
            model = bases[change].source.entries[-1]
            entries.insert(len(entries) - 1, self._inserted(model, seed, entries[-1], chance))
        return Detour((*changes, goal), Slice(tuple(entries)), seed.id)

    def _inserted(self, model: LogEntry, seed: Seed, before: LogEntry, chance: random.Random) -> LogEntry:
        """The change as it worked elsewhere, on what this flow is about."""
        # Whoever made the first thing can usually do everything to what is in it.
        user: UserId = chance.choice((seed.source.user, seed.steps[0].entry.user))
        if chance.random() < _STRANGER:
            user = chance.choice(seed.users)
        return replace(model, at=before.at, user=user, status=0, uses={}, creates=None, source=None)


def _related(left: str, right: str) -> bool:
    return left.startswith(right) or right.startswith(left)
