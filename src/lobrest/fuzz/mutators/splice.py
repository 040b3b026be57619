"""Similar-seed splicing: slices that share an instance, joined in logged time order and completed again."""

from __future__ import annotations

from lobrest.fuzz.context import MutationContext
from lobrest.model.entry import LogEntry
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice

_LONGEST = 40


def splice(seed: Seed, context: MutationContext) -> Seed | None:
    """Join the seed's slice with another, of any user, over a shared instance."""
    shared = [one for one in seed.source.instances if len(context.by_instance.get(one, ())) > 1]
    if not shared:
        return None
    # Sorting keeps the choice independent of hash order; deep instances are the specific ones.
    shared.sort(key=lambda one: (-len(one.ancestors()), one.resource, one.value))
    deepest = len(shared[0].ancestors())
    pivot = context.chance.choice([one for one in shared if len(one.ancestors()) >= deepest - 1])
    other = context.slices[context.chance.choice(context.by_instance[pivot])]
    entries = joined(seed.source.entries, other.entries)
    if len(entries) == len(seed.source.entries) or len(entries) > _LONGEST:
        return None
    return context.completer.complete(
        Slice(entries), origin=seed.origin, parents=(seed.id,), mutations=(*seed.mutations, "splice")
    )


def joined(left: tuple[LogEntry, ...], right: tuple[LogEntry, ...]) -> tuple[LogEntry, ...]:
    """Both in time order, an entry of the log once."""
    places = {entry.source for entry in left if entry.source is not None}
    more = [entry for entry in right if entry.source is None or entry.source not in places]
    return tuple(sorted([*left, *more], key=lambda entry: entry.at))
