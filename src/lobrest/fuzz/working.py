"""Flows of the pool that worked, by what they are about: to be found without going through the pool."""

from __future__ import annotations

import random
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

from lobrest.fuzz.pool import PoolItem
from lobrest.model.resource import ResourceName
from lobrest.model.slice import Slice

_GOOD = 0.6
"""Share of steps answered 2XX above which a flow counts as working."""


class WorkingFlows:
    """Positions in the pool by resource, in order: the same for equal pools, however they came about."""

    def __init__(self, items: Sequence[PoolItem] = ()) -> None:
        self._about: dict[ResourceName, list[int]] = {}
        self._known: dict[int, Slice] = {}
        for index, item in enumerate(items):
            self.told(index, item)

    def told(self, index: int, item: PoolItem) -> None:
        """The item at this position is new, or has been played."""
        known = self._known.get(index)
        good = item.good_share > _GOOD
        if known is item.piece if good else known is None:
            return
        if known is not None:
            del self._known[index]
            for resource in _resources(known):
                places = self._about[resource]
                del places[bisect_left(places, index)]
        if good:
            self._known[index] = item.piece
            for resource in _resources(item.piece):
                insort(self._about.setdefault(resource, []), index)

    def drawn(self, needs: Iterable[ResourceName], chance: random.Random) -> int | None:
        """One that has an instance of a resource that is needed; more of them, more often."""
        places = [self._about[one] for one in needs if self._about.get(one)]
        if not places:
            return None
        at = chance.randrange(sum(map(len, places)))
        for some in places:
            if at < len(some):
                return some[at]
            at -= len(some)
        return None


def _resources(piece: Slice) -> set[ResourceName]:
    return {instance.resource for instance in piece.instances}
