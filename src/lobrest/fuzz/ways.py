"""Ways: the shortest flow known to reach each kind of request, and the richest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lobrest.fuzz.detour import innermost
from lobrest.fuzz.edit import without_steps
from lobrest.fuzz.lessons import assigned_in, unassigned
from lobrest.fuzz.play import Performance
from lobrest.fuzz.state import EngineState
from lobrest.fuzz.variant import Variant, Variants
from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import READS, ApiSpec, Location, OperationId
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Origin
from lobrest.model.slice import Slice

_MOST_VARIANTS: Final = 12
_MOST_PEOPLE: Final = 4
_NO_STATE: Final = (401, 404, 410)
"""Refusals that no further change lifts: somebody is not known, or the thing is gone."""


class WayKeeper:
    """Finds ways in performances."""

    def __init__(self, spec: ApiSpec, model: ResourceModel, variants: Variants) -> None:
        self._spec = spec
        self._model = model
        self._variants = variants

    def keep(self, performance: Performance, state: EngineState, *, whole: bool) -> None:
        """Remember the shortest way to each operation that worked, and of ``whole`` flows the richest."""
        bases, detours = state.bases, state.detours
        seed = performance.plan.seed
        assigned = assigned_in(seed)
        own: list[LogEntry] = []
        every: list[LogEntry] = []
        """Its own entries and what completion put between them: all that is there can be changed."""
        people: set[UserId] = set()
        changes: set[OperationId] = set()
        good = True
        for index, (step, result) in enumerate(zip(seed.steps, performance.results, strict=True)):
            operation = step.entry.operation
            if step.broken:
                return
            entry = step.entry
            if result.exchange.ok:
                sent = unassigned(result.arguments, step, assigned.get(index, ()))
                if sent != entry.arguments:
                    entry = replace(entry, arguments=sent)
                people.add(entry.user)
                if self._spec.operations[operation].method not in READS:
                    changes.add(operation)
                if step.origin is not Origin.LISTING:
                    every.append(entry)
            if step.origin in (Origin.CREATION, Origin.LISTING):
                continue
            own.append(entry)
            good = good and result.exchange.ok
            if step.concurrent or not result.exchange.ok:
                continue
            variant = self._variants.of(operation, result.arguments)
            known = bases.get(variant)
            if known is None:
                siblings = state.variants.setdefault(operation, [])
                if len(siblings) >= _MOST_VARIANTS:
                    continue
                siblings.append(variant)
            shorter = known is None or index + 1 < len(known.steps)
            richness = (min(len(people), _MOST_PEOPLE), _linked(every, self._model), len(changes), -index)
            richer = (
                good
                and (whole or variant not in detours.goals)
                and detours.wants(variant, richness, index + 1)
            )
            if shorter or richer:
                way = without_steps(seed, range(index + 1, len(seed.steps)), "shorten")
                if shorter:
                    bases[variant] = replace(way, source=Slice(tuple(own)), mutations=())
                if richer:
                    detours.keep(variant, replace(way, source=Slice(tuple(every)), mutations=()), richness)


def barred_at(way: tuple[Variant, ...], performance: Performance) -> int | None:
    """Which of a detour's changes, or the step behind them, was the first that the state of things barred?"""
    own = [
        result.exchange
        for step, result in zip(performance.plan.seed.steps, performance.results, strict=True)
        if step.origin not in (Origin.CREATION, Origin.LISTING)
    ]
    return next(
        (
            place
            for place, one in enumerate(own[-len(way) :])
            if 400 <= one.status < 500 and one.status not in _NO_STATE
        ),
        None,
    )


def _linked(entries: Sequence[LogEntry], model: ResourceModel) -> int:
    """In how many ways a flow connects what its last entry is about with other things and people."""
    inner = innermost(entries[-1], model)
    if inner is None:
        return 0
    return len(
        {
            ref
            for entry in entries
            if inner == entry.creates or inner in entry.uses.values()
            for ref in entry.uses
            if ref.location is not Location.PATH
        }
    )
