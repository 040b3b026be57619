"""Are two sets of runs different? Effect size and test, for as few runs as people really have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

_MOST_EXACT = 120


def a12(first: Sequence[float], second: Sequence[float]) -> float:
    """Vargha and Delaney: how likely a run of the first is better than one of the second; 0.5 is no difference."""
    if not first or not second:
        raise ValueError("both sides need a run")
    wins = sum((one > other) + 0.5 * (one == other) for one in first for other in second)
    return wins / (len(first) * len(second))


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of the Mann–Whitney test; exact, ties included, unless there are very many runs."""
    if not first or not second:
        raise ValueError("both sides need a run")
    ranks = _doubled_ranks([*first, *second])
    observed = sum(ranks[: len(first)])
    if len(ranks) > _MOST_EXACT:
        return _approximate(ranks, len(first), observed)
    # How many choices of as many runs give each sum of ranks.
    ways: list[Counter[int]] = [Counter({0: 1}), *(Counter[int]() for _ in first)]
    for rank in ranks:
        for size in range(len(first), 0, -1):
            for total, count in ways[size - 1].items():
                ways[size][total + rank] += count
    everything = sum(ways[-1].values())
    low = sum(count for total, count in ways[-1].items() if total <= observed)
    high = sum(count for total, count in ways[-1].items() if total >= observed)
    return min(1.0, 2 * min(low, high) / everything)


def magnitude(effect: float) -> str:
    """The usual words for an A12."""
    distance = abs(effect - 0.5)
    if distance < 0.06:
        return "none"
    if distance < 0.14:
        return "small"
    return "medium" if distance < 0.21 else "large"


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Ranks times two, so that shared ones are whole."""
    order = sorted(values)
    first: dict[float, int] = {}
    for place, value in enumerate(order):
        first.setdefault(value, place)
    sizes = Counter(order)
    return [2 * first[value] + sizes[value] + 1 for value in values]


def _approximate(ranks: Sequence[int], size: int, observed: int) -> float:
    total, other = len(ranks), len(ranks) - size
    mean = size * (total + 1)
    spread = sum((rank - (total + 1)) ** 2 for rank in ranks) * size * other / (total * (total - 1))
    if not spread:
        return 1.0
    return min(1.0, math.erfc(max(0.0, abs(observed - mean) - 1) / math.sqrt(2 * spread)))
