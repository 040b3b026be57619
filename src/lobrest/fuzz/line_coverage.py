"""Lines of the service as feedback: what was played while new ones ran has earned something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lobrest.fuzz.pool import PoolItem
from lobrest.fuzz.state import Attempt, EngineState, Kind

_MOST_WORTH = 20.0
_LINE_WORTH = 0.5
_FEW_PLAYS = 30
"""Among so few the one that did it is worth looking for again."""
_MOST_KEPT = 3


@dataclass(slots=True)
class LineCoverage:
    """Lines known to have run."""

    seen: dict[str, int] = field(default_factory=dict)
    """By file a number whose bits are lines."""
    total: int = 0

    def told(self, lines: Mapping[str, int]) -> int:
        """Take in what has run by now; how much of it is new."""
        new = 0
        for file, mask in lines.items():
            known = self.seen.get(file, 0)
            more = mask & ~known
            if more:
                new += more.bit_count()
                self.seen[file] = known | mask
        self.total += new
        return new


def credit(state: EngineState, played: Sequence[Attempt], new: int) -> None:
    """Share what new lines are worth among the seeds played meanwhile."""
    if not new or not played:
        return
    each = min(_MOST_WORTH, _LINE_WORTH * new) / len(played)
    items = state.pool.items
    children = {item.seed.id: item for item in items if item.seed is not None}
    unknown: list[Attempt] = []
    for attempt in played:
        child = children.get(attempt.plan.seed.id)
        if child is not None:
            child.gain += each
        elif 0 <= attempt.item < len(items):
            items[attempt.item].gain += each
        if child is None and attempt.kind in (Kind.MUTATE, Kind.REACH, Kind.WALK):
            unknown.append(attempt)
        if len(played) <= _FEW_PLAYS:
            for name in attempt.mutators:
                state.bandit.told(name, success=True)
    if len(played) > _FEW_PLAYS:
        return
    for attempt in sorted(unknown, key=lambda one: -len(one.plan.seed.steps))[:_MOST_KEPT]:
        seed = attempt.plan.seed
        state.pool.add(PoolItem(seed.source, seed.origin, seed, gain=each, good_share=0.5))
