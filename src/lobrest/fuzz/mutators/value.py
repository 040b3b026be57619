"""Value swap: one value becomes another that the corpus has for the same parameter or the same field name."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.choices import finite
from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import with_step
from lobrest.model.operation import Json, Method, Parameter
from lobrest.model.seed import Seed, Step


def swap_value(seed: Seed, context: MutationContext) -> Seed | None:
    """Never touches a bound parameter: its value is made at run time."""
    changing = [
        at
        for at, one in enumerate(seed.steps)
        if context.spec.operations[one.entry.operation].method is not Method.GET
    ]
    every = range(len(seed.steps))
    index = context.chance.choice(changing if changing and context.chance.random() < 0.8 else every)
    step = seed.steps[index]
    operation = context.spec.operations[step.entry.operation]
    declared = [
        one
        for one in (*operation.parameters, *context.fields.of(operation))
        if one.ref not in step.entry.uses and (choices(one, context) or finite(one.schema, context.spec))
    ]
    if not declared:
        return None
    parameter = context.chance.choice(declared)
    options = choices(parameter, context)
    options = [*options, *finite(parameter.schema, context.spec)]
    current = step.entry.arguments.get(parameter.ref)
    options = [one for one in options if one != current]
    if not options:
        return None
    return with_step(seed, index, changed(step, parameter, context.chance.choice(options)), "value")


def choices(parameter: Parameter, context: MutationContext) -> list[Json]:
    """Values seen for the parameter."""
    return list(context.corpus.values.get(parameter.ref, ()))


def changed(step: Step, parameter: Parameter, value: Json) -> Step:
    """The step with one argument set."""
    arguments = step.entry.arguments.with_value(parameter.ref, value)
    return replace(step, entry=replace(step.entry, arguments=arguments))
