"""The fuzzer's queue: seeds with what they have earned."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice

_TOURNAMENT = 6
_LARGEST = 3000
"""Children kept; slices of the log stay, however many there are."""


@dataclass(slots=True)
class PoolItem:
    """A slice of the log, an augmented one, or a mutated seed worth keeping."""

    piece: Slice
    origin: Origin
    seed: Seed | None = None
    """Set for a kept child; a slice is completed anew with what is known by then."""
    plays: int = 0
    gain: float = 0.0
    good_share: float = 0.0
    replayed: bool = False
    joined: bool = False
    """Several users' slices in one: not a flow of the log's own."""

    @property
    def energy(self) -> float:
        """New things found per play and step, with a liking for flows that work."""
        size = 4.0 + len(self.seed.steps if self.seed is not None else self.piece.entries)
        return (1.0 + self.gain) * (0.2 + self.good_share) / (math.pow(1.0 + self.plays, 0.7) * size)


@dataclass(slots=True)
class SeedPool:
    """Seeds and their energy."""

    items: list[PoolItem] = field(default_factory=list)

    def add(self, item: PoolItem) -> int:
        """Keep an item; its position. With too many children the weakest of them gives its place away."""
        if item.seed is not None and len(self.items) >= _LARGEST:
            children = [index for index, one in enumerate(self.items) if one.seed is not None]
            if len(children) >= _LARGEST:
                weakest = min(children, key=lambda index: self.items[index].energy)
                self.items[weakest] = item
                return weakest
        self.items.append(item)
        return len(self.items) - 1

    def choose(self, chance: random.Random) -> int:
        """One of the better ones: a few are drawn, the one with most energy wins."""
        drawn = [chance.randrange(len(self.items)) for _ in range(_TOURNAMENT)]
        return max(drawn, key=lambda index: self.items[index].energy)
