"""Graft: an operation that is seldom or never reached is tried on what a flow has built."""

from __future__ import annotations

from dataclasses import replace

from lobrest.enhance.augment import invented_entry
from lobrest.fuzz.context import MutationContext
from lobrest.model.operation import Location, OperationId
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice

_LONGEST = 40


def graft(seed: Seed, context: MutationContext) -> Seed | None:
    """Append a wanted operation, preferring one whose resources the flow already has."""
    if not context.wanted or len(seed.source.entries) >= _LONGEST:
        return None
    present = {one.resource for one in seed.source.instances}
    candidates = context.wanted[:60]
    fitting = [one for one in candidates if _resources(one, context) & present]
    pick = context.chance.choice(fitting or list(candidates))
    return grafted(seed, pick, context)


def grafted(seed: Seed, operation: OperationId, context: MutationContext) -> Seed:
    """The flow with one more operation at its end, by its main user."""
    entry = invented_entry(operation, context.values, user=seed.source.user)
    last = seed.source.entries[-1].at
    piece = Slice((*seed.source.entries, replace(entry, at=last + 1.0)))
    return context.completer.complete(
        piece, origin=seed.origin, parents=(seed.id,), mutations=(*seed.mutations, "graft")
    )


def _resources(operation: OperationId, context: MutationContext) -> set[str]:
    declared = context.spec.operations[operation]
    found = set()
    for parameter in declared.parameters:
        if parameter.ref.location is Location.PATH:
            dependency = context.model.dependencies.get(parameter.ref)
            if dependency is not None and dependency.resource not in context.model.acting_users:
                found.add(dependency.resource)
    return {str(one) for one in found}
