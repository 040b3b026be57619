"""Changing the steps of a completed seed without losing its wiring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lobrest.enhance.arrange import make_seed
from lobrest.model.seed import Identity, Seed, Step, Wire


def with_step(seed: Seed, index: int, step: Step, mutation: str) -> Seed:
    """Another step in place of one."""
    steps = (*seed.steps[:index], step, *seed.steps[index + 1 :])
    return rebuilt(seed, steps, seed.wires, seed.identities, mutation)


def without_steps(seed: Seed, gone: Iterable[int], mutation: str) -> Seed:
    """Some steps left out. What they would have made keeps its logged value."""
    lost = frozenset(gone)
    kept = [index for index in range(len(seed.steps)) if index not in lost]
    return reordered(seed, kept, mutation)


def reordered(seed: Seed, order: list[int], mutation: str) -> Seed:
    """The steps in another order, perhaps some twice or not at all. A wire needs its producer before it."""
    steps = tuple(seed.steps[index] for index in order)
    first: dict[int, int] = {}
    for position, index in enumerate(order):
        first.setdefault(index, position)
    wires = [
        Wire(position, wire.parameter, first[wire.producer], wire.instance)
        for position, index in enumerate(order)
        for wire in seed.wires
        if wire.step == index and wire.producer in first and first[wire.producer] < position
    ]
    identities = [
        replace(
            identity,
            step=position,
            owner_of=first.get(identity.owner_of) if identity.owner_of is not None else None,
        )
        for position, index in enumerate(order)
        for identity in seed.identities
        if identity.step == index
    ]
    return rebuilt(seed, steps, tuple(wires), tuple(identities), mutation)


def rebuilt(
    seed: Seed,
    steps: tuple[Step, ...],
    wires: tuple[Wire, ...],
    identities: tuple[Identity, ...],
    mutation: str,
) -> Seed:
    """A child of a seed."""
    return make_seed(
        steps,
        wires,
        seed.source,
        seed.origin,
        identities=identities,
        notes=seed.notes,
        parents=(seed.id,),
        mutations=(*seed.mutations, mutation)[-12:],
    )
