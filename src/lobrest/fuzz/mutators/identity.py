"""Wrong but existing identities: another instance, another person, no assignment at all."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import rebuilt
from lobrest.model.entry import UserId
from lobrest.model.seed import Seed, Step


def unbind(seed: Seed, context: MutationContext) -> Seed | None:
    """One parameter is not assigned at run time: it keeps the value of the log."""
    able = _able(seed, context)
    if not able:
        return None
    gone = context.chance.choice(able)
    wires = (*seed.wires[:gone], *seed.wires[gone + 1 :])
    return rebuilt(seed, _broken(seed, seed.wires[gone].step), wires, seed.identities, "unbind")


def rebind(seed: Seed, context: MutationContext) -> Seed | None:
    """One parameter gets another instance of its resource that this flow made, perhaps of another parent."""
    able = _able(seed, context)
    if not able:
        return None
    index = context.chance.choice(able)
    wire = seed.wires[index]
    others = sorted(
        {
            one.producer
            for one in seed.wires
            if one.instance.resource == wire.instance.resource
            and one.instance != wire.instance
            and one.producer < wire.step
        }
    )
    if not others:
        return None
    changed = replace(wire, producer=context.chance.choice(others))
    wires = (*seed.wires[:index], changed, *seed.wires[index + 1 :])
    return rebuilt(seed, _broken(seed, wire.step), wires, seed.identities, "rebind")


def other_person(seed: Seed, context: MutationContext) -> Seed | None:
    """One step is sent by somebody else of the flow, or by a stranger, or by nobody."""
    index = context.focus if context.focus is not None else context.chance.randrange(len(seed.steps))
    step = seed.steps[index]
    if context.chance.random() < 0.1:
        changed = replace(step, anonymous=True, broken=True)
    else:
        others = sorted({*seed.users, UserId("stranger"), UserId("passer-by")} - {step.entry.user})
        changed = replace(step, entry=replace(step.entry, user=context.chance.choice(others)), broken=True)
    steps = (*seed.steps[:index], changed, *seed.steps[index + 1 :])
    return rebuilt(seed, steps, seed.wires, seed.identities, "person")


def _able(seed: Seed, context: MutationContext) -> list[int]:
    """Positions of the wires that may be touched."""
    return [at for at, wire in enumerate(seed.wires) if context.focus is None or wire.step == context.focus]


def _broken(seed: Seed, index: int) -> tuple[Step, ...]:
    steps = list(seed.steps)
    steps[index] = replace(steps[index], broken=True)
    return tuple(steps)
