"""Few repetitions compared: mean and spread, effect size, and an exact one-sided rank test."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

EXACT_ARRANGEMENTS = 200_000


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation, and the ends."""

    mean: float
    deviation: float
    lowest: float
    highest: float
    runs: int

    def __str__(self) -> str:
        digits = 0 if self.mean >= 100 else 1
        return f"{self.mean:.{digits}f} ± {self.deviation:.{digits}f}"


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value; one alone has no deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return Spread(statistics.fmean(values), deviation, min(values), max(values), len(values))


def a12(left: Sequence[float], right: Sequence[float]) -> float:
    """Vargha and Delaney's effect size: how often a run of the left beats one of the right (ties half)."""
    wins = sum((a > b) + 0.5 * (a == b) for a in left for b in right)
    return wins / (len(left) * len(right))


def mann_whitney_greater(left: Sequence[float], right: Sequence[float]) -> float:
    """p-value of the one-sided Mann–Whitney U test that the left tends to be greater.

    Exact over all arrangements (ties counted as they are) while there are few, else the normal
    approximation with the correction for ties.
    """
    pooled = ranks([*left, *right])
    observed = sum(pooled[: len(left)])
    if math.comb(len(pooled), len(left)) <= EXACT_ARRANGEMENTS:
        sums = [sum(chosen) for chosen in itertools.combinations(pooled, len(left))]
        # Ranks are halves, exactly representable, so the comparison is exact too.
        return sum(value >= observed for value in sums) / len(sums)
    return approximate(pooled, len(left), observed)


def approximate(pooled: Sequence[float], size: int, observed: float) -> float:
    """The normal approximation with continuity correction."""
    total = len(pooled)
    mean = size * (total + 1) / 2
    tied = sum(count**3 - count for count in (pooled.count(rank) for rank in set(pooled)))
    variance = size * (total - size) / 12 * (total + 1 - tied / (total * (total - 1)))
    if variance == 0:
        return 1.0
    return 0.5 * math.erfc((observed - mean - 0.5) / math.sqrt(2 * variance))


def ranks(values: Sequence[float]) -> list[float]:
    """1 for the smallest; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order, 1), key=lambda pair: values[pair[1]]):
        members = list(group)
        shared = statistics.fmean(rank for rank, _ in members)
        for _, index in members:
            result[index] = shared
    return result
