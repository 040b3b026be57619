"""Flows that need more people than there are credentials for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lobrest.fuzz.cast import cast
from lobrest.model.entry import Place, UserId
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed

_ABOUT_PEOPLE = re.compile(
    r"^40[13]\b|\b(your|their|his|her|my) own\b|yourself|permission|forbidden|approv|review|member|author\b",
    re.IGNORECASE,
)
"""Refusals that another person may not get. What is malformed stays so whoever sends it."""


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A flow that failed where somebody had to play two people."""

    operations: tuple[OperationId, ...]
    people: int
    failed: OperationId
    said: str


@dataclass(frozen=True, slots=True)
class Shortage:
    """How many flows could not be played for want of further people."""

    credentials: int
    flows: int = 0
    needed: int = 0
    """People that the largest of these flows has."""
    examples: tuple[Unplayed, ...] = ()
    """The most frequent kinds first: one a failing operation."""


def shared(seed: Seed, everybody: Sequence[str]) -> frozenset[UserId]:
    """Users of a flow who have to share their credentials with another of them."""
    if not everybody:
        return frozenset(seed.users) if len(seed.users) > 1 else frozenset()
    parts = cast(seed, everybody)
    times = Counter(parts.values())
    return frozenset(user for user, name in parts.items() if times[name] > 1)


def shortage(
    unplayed: Iterable[Seed], everybody: Sequence[str], refused: Mapping[Place, str], *, most: int = 5
) -> Shortage:
    """What is wanting, of flows that were not replayed whole.

    ``refused``: what the service said to logged requests that did not work again. A flow counts where it said so
    to somebody who plays two, or who was named beside the one they are, and it is about people.
    """
    flows: dict[tuple[OperationId, ...], Unplayed] = {}
    for seed in unplayed:
        double = shared(seed, everybody)
        operations = tuple(entry.operation for entry in seed.source.entries)
        if not double or operations in flows:
            continue
        named = {one.step for one in seed.identities if one.user in double}
        for index, step in enumerate(seed.steps):
            place = step.entry.source
            if place is None or not _ABOUT_PEOPLE.search(refused.get(place, "").partition(" (")[0]):
                continue
            if step.entry.user in double or index in named:
                flows[operations] = Unplayed(
                    operations, len(seed.users), step.entry.operation, refused[place]
                )
                break
    often = Counter(one.failed for one in flows.values())
    first = {one.failed: one for one in reversed(flows.values())}
    return Shortage(
        len(everybody),
        len(flows),
        max((one.people for one in flows.values()), default=0),
        tuple(first[operation] for operation, _ in often.most_common(most)),
    )
