"""Splicing over a resource type: what people did with another instance is done with this one as well."""

from __future__ import annotations

from dataclasses import replace

from lobrest.enhance.recipes import moved, pairs
from lobrest.fuzz.context import MutationContext
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
    exchange = pairs(context.chance.choice(theirs), pivot)
    last = seed.source.entries[-1].at
    first = other.entries[0].at
    appended = tuple(
        replace(moved(entry, exchange), at=last + 1.0 + (entry.at - first)) for entry in other.entries
    )
    entries = (*seed.source.entries, *appended)
    if len(entries) > _LONGEST:
        return None
    return context.completer.complete(
        Slice(entries), origin=seed.origin, parents=(seed.id,), mutations=(*seed.mutations, "transplant")
    )
