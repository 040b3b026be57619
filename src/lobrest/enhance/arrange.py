"""From a finished draft to a seed: the order of its steps, and what is wired to what."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping

import msgspec

from lobrest.enhance.draft import Draft, Made, Person
from lobrest.model.operation import Location
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Identity, Origin, Seed, SeedId, Step, Wire
from lobrest.model.slice import Slice


def arranged(draft: Draft, origin: Origin) -> tuple[tuple[Step, ...], dict[int, int]]:
    """Creations in front, but inside what the slice itself makes only after that; listings right before use.

    Also where each of them, added ones first, has come to stand.
    """
    own = [
        Step(entry, Origin.CREATION, draft.inserted[index])
        if index in draft.inserted
        else Step(entry, origin)
        for index, entry in enumerate(draft.entries)
    ]
    everything = [*draft.added, *own]
    shift = len(draft.added)
    needed_at = _needed(draft)
    after = _earliest(draft, needed_at)
    for_added = {
        producer.index
        for step in draft.added
        for instance in step.entry.uses.values()
        if isinstance(producer := draft.producers.get(instance), Made)
    }
    before: dict[int, list[int]] = {}
    behind: dict[int, list[int]] = {}
    for index, step in enumerate(draft.added):
        if step.origin is Origin.LISTING and index not in for_added and needed_at[index] > after[index]:
            before.setdefault(needed_at[index], []).append(index)
        else:
            behind.setdefault(after[index], []).append(index)
    order = behind.get(-1, [])
    for index in range(len(own)):
        order = [*order, *before.get(index, ()), shift + index, *behind.get(index, ())]
    return tuple(everything[index] for index in order), {index: at for at, index in enumerate(order)}


def _needed(draft: Draft) -> list[int]:
    """For each added step the first entry of the slice that needs it, perhaps through other added steps."""
    needed = [len(draft.entries)] * len(draft.added)
    for index in range(len(draft.entries) - 1, -1, -1):
        for instance in draft.entries[index].uses.values():
            match draft.producers.get(instance):
                case Made(index=producer):
                    needed[producer] = index
    for index in range(len(draft.added) - 1, -1, -1):
        for instance in draft.added[index].entry.uses.values():
            match draft.producers.get(instance):
                case Made(index=producer) if producer < index:
                    needed[producer] = min(needed[producer], needed[index])
    return needed


def _earliest(draft: Draft, needed_at: list[int]) -> list[int]:
    """For each added step the entry of the slice after which it must stand; -1 is in front of all.

    What the slice has made by the time a step is needed is what the step is to use.
    """
    earliest: list[int] = []
    for index, step in enumerate(draft.added):
        latest = -1
        for instance in step.entry.uses.values():
            made_here = draft.created_at.get(instance, -1)
            if made_here < needed_at[index]:
                latest = max(latest, made_here)
            match draft.producers.get(instance):
                case Made(index=producer) if producer < index:
                    latest = max(latest, earliest[producer])
        earliest.append(latest)
    return earliest


def _producer_at(
    draft: Draft, instance: ResourceInstance, place_of: Mapping[int, int], index: int
) -> int | Person | None:
    """The step before ``index`` that makes an instance, or the person it is."""
    made_here = draft.created_at.get(instance)
    if made_here is not None and place_of[len(draft.added) + made_here] < index:
        return place_of[len(draft.added) + made_here]
    match draft.producers.get(instance):
        case Made(index=producer) if place_of[producer] < index:
            return place_of[producer]
        case Person() as person:
            return person
        case _:
            return None


def assembled(
    draft: Draft,
    piece: Slice,
    origin: Origin,
    parents: tuple[SeedId, ...],
    mutations: tuple[str, ...],
    *,
    acting: Container[ResourceName] = (),
) -> Seed:
    """The seed of a draft. Instances of ``acting`` resources are people, or stand in for them."""
    steps, place_of = arranged(draft, origin)
    wires: list[Wire] = []
    identities: list[Identity] = []
    for index, step in enumerate(steps):
        behind: int | None = None
        # From the end of the path to its beginning: a person is seen after what stands behind it.
        for ref, instance in reversed(list(step.entry.uses.items())):
            producer = _producer_at(draft, instance, place_of, index)
            owner_of = behind if ref.location is Location.PATH else None
            if isinstance(producer, int):
                wires.append(Wire(index, ref, producer, instance))
                if owner_of is not None and instance.resource in acting:
                    identities.append(Identity(index, ref, step.entry.user, owner_of))
            elif isinstance(producer, Person):
                identities.append(Identity(index, ref, producer.user, owner_of))
            behind = producer if isinstance(producer, int) and ref.location is Location.PATH else None
    wires.sort(key=lambda wire: (wire.step, wire.parameter))
    return make_seed(
        steps,
        tuple(wires),
        piece,
        origin,
        identities=tuple(identities),
        notes=tuple(dict.fromkeys(draft.notes)),
        parents=parents,
        mutations=mutations,
    )


def make_seed(
    steps: tuple[Step, ...],
    wires: tuple[Wire, ...],
    source: Slice,
    origin: Origin,
    *,
    identities: tuple[Identity, ...] = (),
    notes: tuple[str, ...] = (),
    parents: tuple[SeedId, ...] = (),
    mutations: tuple[str, ...] = (),
) -> Seed:
    """A seed whose id is a digest of what it sends."""
    content = [
        [
            [
                step.entry.operation,
                step.entry.arguments,
                step.entry.user,
                step.raw_body,
                step.anonymous,
                step.concurrent,
            ]
            for step in steps
        ],
        [[wire.step, wire.parameter, wire.producer] for wire in wires],
        [[identity.step, identity.parameter, identity.user] for identity in identities],
    ]
    digest = hashlib.blake2b(_canonical(content), digest_size=10).hexdigest()
    return Seed(SeedId(digest), steps, wires, source, origin, identities, notes, parents, mutations)


def _canonical(content: object) -> bytes:
    try:
        return msgspec.json.encode(content, order="deterministic")
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return repr(content).encode("utf-8", "backslashreplace")  # odd values on purpose: no JSON for them
