"""The comparison of few runs, against values worked out by hand and from tables."""

from __future__ import annotations

import pytest
from benchmarks.bench.statistics import a12, approximate, mann_whitney_greater, ranks, spread


def test_three_runs_that_all_win_have_the_smallest_possible_p() -> None:
    assert mann_whitney_greater([310, 312, 305], [80, 82, 79]) == pytest.approx(1 / 20)


def test_p_of_the_losing_side_is_one() -> None:
    assert mann_whitney_greater([80, 82, 79], [310, 312, 305]) == 1.0


def test_one_inversion_counts_two_arrangements() -> None:
    assert mann_whitney_greater([3, 5, 6], [1, 2, 4]) == pytest.approx(2 / 20)


def test_ties_share_their_rank() -> None:
    assert ranks([7, 3, 7, 1]) == [3.5, 2.0, 3.5, 1.0]


def test_equal_samples_are_no_evidence() -> None:
    assert mann_whitney_greater([4, 4, 4], [4, 4, 4]) == 1.0
    assert a12([4, 4, 4], [4, 4, 4]) == 0.5


def test_the_approximation_is_near_the_exact_value() -> None:
    left, right = [11, 12, 15, 18, 19, 21, 22, 25], [10, 9, 13, 14, 8, 16, 17, 7]
    pooled = ranks([*left, *right])
    exact = mann_whitney_greater(left, right)
    assert approximate(pooled, len(left), sum(pooled[: len(left)])) == pytest.approx(exact, abs=0.005)


def test_a12_is_the_share_of_pairs_won() -> None:
    assert a12([1, 3], [2, 2]) == 0.5
    assert a12([3, 3], [2, 3]) == 0.75


def test_spread_of_one_run_has_no_deviation() -> None:
    assert str(spread([80.0])) == "80.0 ± 0.0"
    assert str(spread([300, 302, 307])) == "303 ± 4"
