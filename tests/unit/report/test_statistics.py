from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobrest.report.statistics import a12, magnitude, mann_whitney

Values = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(Values, Values)
def test_p_is_the_share_of_arrangements_at_least_as_uneven(first: list[float], second: list[float]) -> None:
    both = [*first, *second]
    order = sorted(both)
    rank = {value: order.index(value) + (order.count(value) + 1) / 2 for value in both}
    sums = [
        sum(rank[both[place]] for place in chosen)
        for chosen in itertools.combinations(range(len(both)), len(first))
    ]
    seen = sum(rank[value] for value in first)
    low = sum(one <= seen for one in sums) / len(sums)
    high = sum(one >= seen for one in sums) / len(sums)
    assert mann_whitney(first, second) == pytest.approx(min(1.0, 2 * min(low, high)))
    assert mann_whitney(first, second) == pytest.approx(mann_whitney(second, first))
    assert a12(first, second) == pytest.approx(1 - a12(second, first))


def test_known_values() -> None:
    better, worse = [80.0, 81.0, 82.0, 83.0, 84.0], [70.0, 71.0, 72.0, 73.0, 74.0]
    assert a12(better, worse) == 1.0
    assert mann_whitney(better, worse) == pytest.approx(2 / 252)
    assert mann_whitney(better, better) == 1.0
    assert [magnitude(value) for value in (0.5, 0.6, 0.31, 0.9, 0.0)] == [
        "none", "small", "medium", "large", "large",
    ]  # fmt: skip


def test_many_runs_are_approximated_closely() -> None:
    chance = random.Random(1)
    first = [float(chance.randrange(40)) for _ in range(70)]
    second = [float(chance.randrange(40)) + 4 for _ in range(70)]
    exact = mann_whitney(first[:60], second[:60])
    assert mann_whitney(first, second) == pytest.approx(exact, abs=0.05)
    assert mann_whitney([1.0] * 100, [1.0] * 100) == 1.0


@pytest.mark.parametrize("measure", [a12, mann_whitney])
def test_nothing_cannot_be_compared(measure: object) -> None:
    with pytest.raises(ValueError, match="both sides"):
        measure([], [1.0])  # type: ignore[operator]
