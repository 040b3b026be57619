"""Where the values of a seed come from when it is played: earlier answers, and names made new."""

from __future__ import annotations

from collections.abc import Collection

from lobrest.model.operation import ParameterRef
from lobrest.model.resource import Binding, ResourceModel, Source
from lobrest.model.seed import Origin, Seed, Wire


def sources_of(wire: Wire, seed: Seed, model: ResourceModel) -> tuple[Binding, ...]:
    """Candidates for the value of a wired parameter, best first: of a list its items, else what made the thing."""
    dependency = model.dependencies.get(wire.parameter)
    if dependency is None:
        return ()
    listing = seed.steps[wire.producer].origin is Origin.LISTING
    usable = tuple(one for one in dependency.bindings if (one.source is Source.LIST) == listing)
    if listing and not usable:
        return tuple(
            Binding(Source.LIST, one.pointer) for one in dependency.bindings if one.source is Source.RESPONSE
        )
    return usable or _namesakes(wire, seed, model)


def _namesakes(wire: Wire, seed: Seed, model: ResourceModel) -> tuple[Binding, ...]:
    """Where a parameter stands for what another resource is: as others of its name take that one's identity."""
    creation = model.creations.get(seed.steps[wire.producer].entry.operation)
    if creation is None:
        return ()
    for ref, dependency in model.dependencies.items():
        same = ref.pointer == wire.parameter.pointer and ref.location is wire.parameter.location
        if same and dependency.resource == creation.resource:
            found = tuple(one for one in dependency.bindings if one.source is not Source.LIST)
            if found:
                return found
    return ()


def names_to_make(
    seed: Seed, model: ResourceModel, unique: Collection[ParameterRef] = ()
) -> frozenset[tuple[int, ParameterRef]]:
    """Names to make new, by step: identities the client chooses, unless what they live in is new itself.

    ``unique``: further parameters that the service is known to want different every time.
    """
    creations = model.creations
    under_new = {wire.step for wire in seed.wires if seed.steps[wire.producer].entry.operation in creations}
    fresh: set[tuple[int, ParameterRef]] = set()
    for index, step in enumerate(seed.steps):
        if step.broken:
            continue
        operation, uses = step.entry.operation, step.entry.uses
        creation = creations.get(operation)
        if creation is not None and index not in under_new:
            fresh.update((index, ref) for ref in creation.identified_by if ref not in uses)
        fresh.update((index, ref) for ref in unique if ref.operation == operation and ref not in uses)
    return frozenset(fresh)
