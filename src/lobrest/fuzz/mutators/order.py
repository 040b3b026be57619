"""Operations left out, repeated, swapped, inserted or run at the same time."""

from __future__ import annotations

from dataclasses import replace

from lobrest.enhance.augment import invented_entry
from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import rebuilt, reordered, without_steps
from lobrest.fuzz.mutators.perturb import late_step
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice


def delete_step(seed: Seed, context: MutationContext) -> Seed | None:
    """One step is skipped."""
    if len(seed.steps) < 2:
        return None
    return without_steps(seed, [context.chance.randrange(len(seed.steps) - 1)], "delete")


def repeat_step(seed: Seed, context: MutationContext) -> Seed | None:
    """One step is sent twice, at once or later."""
    index = late_step(seed, context)
    order = list(range(len(seed.steps)))
    at = context.chance.randint(index + 1, len(order))
    order.insert(at, index)
    return reordered(seed, order, "repeat")


def swap_steps(seed: Seed, context: MutationContext) -> Seed | None:
    """Two of the flow's own steps change places."""
    own = [index for index, step in enumerate(seed.steps) if step.origin is not Origin.CREATION]
    if len(own) < 2:
        return None
    left, right = context.chance.sample(own, 2)
    order = list(range(len(seed.steps)))
    order[left], order[right] = order[right], order[left]
    return reordered(seed, order, "swap")


def insert_operation(seed: Seed, context: MutationContext) -> Seed | None:
    """An operation that has to do with what the flow is about is put between two of its entries."""
    about = sorted(
        (one for one in seed.source.instances if one.resource not in context.model.acting_users),
        key=lambda one: (-len(one.ancestors()), one.resource, one.value),
    )
    related = context.users_of.get(context.chance.choice(about[:3]).resource, ()) if about else ()
    operation = context.chance.choice(related or list(context.spec.operations))
    entries = list(seed.source.entries)
    at = context.chance.randint(1, len(entries))
    entry = invented_entry(operation, context.values, user=context.chance.choice(entries).user)
    entries.insert(at, replace(entry, at=entries[at - 1].at))
    return context.completer.complete(
        Slice(tuple(entries)),
        origin=seed.origin,
        parents=(seed.id,),
        mutations=(*seed.mutations, "insert"),
    )


def race(seed: Seed, context: MutationContext) -> Seed | None:
    """The same step twice at once, or two neighbours at once."""
    index = late_step(seed, context)
    if context.chance.random() < 0.5 or index == 0:
        order = list(range(len(seed.steps)))
        order.insert(index + 1, index)
        doubled = reordered(seed, order, "race")
        steps = list(doubled.steps)
        steps[index + 1] = replace(steps[index + 1], concurrent=True)
        return rebuilt(seed, tuple(steps), doubled.wires, doubled.identities, "race")
    if any(wire.step == index and wire.producer == index - 1 for wire in seed.wires):
        return None
    steps = list(seed.steps)
    steps[index] = replace(steps[index], concurrent=True)
    return rebuilt(seed, tuple(steps), seed.wires, seed.identities, "race")
