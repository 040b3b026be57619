"""Combination swap: one request gets another combination of parameters that once gave 2XX."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import with_step
from lobrest.model.operation import Location, Method
from lobrest.model.seed import Seed


def swap_combination(seed: Seed, context: MutationContext) -> Seed | None:
    """Bound parameters keep their values; everything else comes from another known request."""
    able = [
        index
        for index, step in enumerate(seed.steps)
        if len(context.corpus.examples.get(step.entry.operation, ())) > 1
    ]
    if not able:
        return None
    changing = [
        at for at in able if context.spec.operations[seed.steps[at].entry.operation].method is not Method.GET
    ]
    index = context.chance.choice(changing if changing and context.chance.random() < 0.8 else able)
    step = seed.steps[index]
    other = context.chance.choice(context.corpus.examples[step.entry.operation])
    arguments = replace(other, path={**other.path, **step.entry.arguments.path})
    for ref in step.entry.uses:
        current = step.entry.arguments.get(ref)
        if current is not None and ref.location is not Location.PATH:
            arguments = arguments.with_value(ref, current)
    if arguments == step.entry.arguments:
        return None
    changed = replace(step, entry=replace(step.entry, arguments=arguments))
    return with_step(seed, index, changed, "combination")
