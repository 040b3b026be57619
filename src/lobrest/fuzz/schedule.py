"""Which mutator next: a bandit that is told what paid."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from lobrest.fuzz.catalogue import Mutator
from lobrest.fuzz.knowledge import Tally

_FORGET_AFTER = 400


@dataclass(slots=True)
class Bandit:
    """Thompson sampling over named choices; old lessons fade, so that a plateau shifts the effort."""

    tallies: dict[str, Tally] = field(default_factory=dict)

    def choose(self, mutators: Sequence[Mutator], chance: random.Random) -> Mutator:
        """The mutator with the luckiest draw from what is known of it."""

        def draw(mutator: Mutator) -> float:
            tally = self.tallies.get(mutator.__name__, Tally())
            return chance.betavariate(1.0 + tally.good, 1.0 + tally.bad * 0.2)

        return max(mutators, key=draw)

    def told(self, name: str, *, success: bool) -> None:
        """A child of this mutator found something new, or did not."""
        tally = self.tallies.setdefault(name, Tally())
        tally.told(success=success)
        if tally.good + tally.bad > _FORGET_AFTER:
            tally.good //= 2
            tally.bad //= 2
