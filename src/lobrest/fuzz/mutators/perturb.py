"""Change, add or remove a parameter or body field."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import rebuilt, with_step
from lobrest.fuzz.mutators.odd import odd_value
from lobrest.model.operation import Json, Location, Parameter, ParameterRef
from lobrest.model.seed import Seed, Step


def perturb_value(seed: Seed, context: MutationContext) -> Seed | None:
    """One declared parameter or field gets an odd value; bound ones seldom."""
    index = late_step(seed, context)
    step = seed.steps[index]
    declared = _declared(step, context)
    free = [one for one in declared if one.ref not in step.entry.uses]
    pool = free if free and context.chance.random() < 0.85 else declared
    if not pool:
        return None
    parameter = context.chance.choice(pool)
    current = step.entry.arguments.get(parameter.ref)
    odd = odd_value(context.spec.resolve(parameter.schema), current, context.chance)
    return _unassigned(seed, index, _broken(step, parameter, odd), parameter.ref, "perturb")


def drop_field(seed: Seed, context: MutationContext) -> Seed | None:
    """One query parameter or body field is left out."""
    index = late_step(seed, context)
    step = seed.steps[index]
    present = [
        one
        for one in _declared(step, context)
        if one.ref.location is not Location.PATH and step.entry.arguments.get(one.ref) is not None
    ]
    if not present:
        return None
    parameter = context.chance.choice(present)
    arguments = step.entry.arguments.without(parameter.ref)
    changed = replace(step, entry=replace(step.entry, arguments=arguments), broken=True)
    return _unassigned(seed, index, changed, parameter.ref, "drop")


def add_field(seed: Seed, context: MutationContext) -> Seed | None:
    """One declared parameter or field that the request does not have is added, valid or odd."""
    index = late_step(seed, context)
    step = seed.steps[index]
    absent = [
        one
        for one in _declared(step, context)
        if one.ref.location in (Location.QUERY, Location.BODY) and step.entry.arguments.get(one.ref) is None
    ]
    if not absent:
        return None
    parameter = context.chance.choice(absent)
    valid = context.chance.random() < 0.6
    value = (
        context.values.parameter_value(parameter)
        if valid
        else odd_value(context.spec.resolve(parameter.schema), None, context.chance)
    )
    return with_step(seed, index, _broken(step, parameter, value), "add")


def late_step(seed: Seed, context: MutationContext) -> int:
    """Mostly one of the flow's own steps, the later the likelier: what comes before has built the state."""
    if context.focus is not None and context.focus < len(seed.steps):
        return context.focus
    length = len(seed.steps)
    return max(context.chance.randrange(length), context.chance.randrange(length))


def _unassigned(seed: Seed, index: int, step: Step, ref: ParameterRef, mutation: str) -> Seed:
    """The seed with another step whose parameter nothing assigns at run time."""
    steps = (*seed.steps[:index], step, *seed.steps[index + 1 :])
    wires = tuple(one for one in seed.wires if (one.step, one.parameter) != (index, ref))
    identities = tuple(one for one in seed.identities if (one.step, one.parameter) != (index, ref))
    return rebuilt(seed, steps, wires, identities, mutation)


def _declared(step: Step, context: MutationContext) -> list[Parameter]:
    operation = context.spec.operations[step.entry.operation]
    return [*operation.parameters, *context.fields.of(operation)]


def _broken(step: Step, parameter: Parameter, value: Json) -> Step:
    arguments = step.entry.arguments.with_value(parameter.ref, value)
    return replace(step, entry=replace(step.entry, arguments=arguments), broken=True)
