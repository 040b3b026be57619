"""Splicing over a resource type: what people did with another instance is done with this one as well."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.context import MutationContext
from lobrest.model.entry import LogEntry
from lobrest.model.resource import ResourceInstance
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice

_LONGEST = 40


def transplant(seed: Seed, context: MutationContext) -> Seed | None:
    """Append another slice with one of its instances replaced by one of the same resource in this seed."""
    ours = sorted(seed.source.instances, key=lambda one: (-len(one.ancestors()), one.resource, one.value))
    ours = [one for one in ours if one.resource not in context.model.acting_users]
    if not ours:
        return None
    pivot = context.chance.choice(ours[:4])
    known = context.by_resource.get(pivot.resource, ())
    if not known:
        return None
    other = context.slices[context.chance.choice(known)]
    theirs = sorted(
        (one for one in other.instances if one.resource == pivot.resource and one != pivot),
        key=lambda one: one.value,
    )
    if not theirs:
        return None
    exchange = _pairs(context.chance.choice(theirs), pivot)
    last = seed.source.entries[-1].at
    first = other.entries[0].at
    moved = tuple(
        replace(_moved(entry, exchange), at=last + 1.0 + (entry.at - first)) for entry in other.entries
    )
    entries = (*seed.source.entries, *moved)
    if len(entries) > _LONGEST:
        return None
    return context.completer.complete(
        Slice(entries), origin=seed.origin, parents=(seed.id,), mutations=(*seed.mutations, "transplant")
    )


def _pairs(theirs: ResourceInstance, ours: ResourceInstance) -> dict[ResourceInstance, ResourceInstance]:
    """The two instances and, above them, their parents of equal resource."""
    pairs = {theirs: ours}
    left, right = theirs.parent, ours.parent
    while left is not None and right is not None and left.resource == right.resource:
        pairs[left] = right
        left, right = left.parent, right.parent
    return pairs


def _moved(entry: LogEntry, exchange: dict[ResourceInstance, ResourceInstance]) -> LogEntry:
    def moved(one: ResourceInstance) -> ResourceInstance:
        if one in exchange:
            return exchange[one]
        return one if one.parent is None else replace(one, parent=moved(one.parent))

    return replace(
        entry,
        uses={ref: moved(one) for ref, one in entry.uses.items()},
        creates=moved(entry.creates) if entry.creates is not None else None,
    )
