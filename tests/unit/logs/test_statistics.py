"""Gaps."""

from __future__ import annotations

import numpy as np

from lobrest.logs.statistics import gaps_of, quantiles


def test_gaps_are_between_neighbours_of_one_user():
    times = np.asarray([0.0, 10.0, 100.0, 130.0, 7.0])
    order = np.asarray([0, 4, 1, 2, 3])
    starts = np.asarray([0, 3, 5])
    assert gaps_of(times, order, starts).tolist() == [7.0, 3.0, 30.0]
    assert gaps_of(times[:1], order[:1], np.asarray([0, 1])).tolist() == []


def test_a_distribution_in_a_few_numbers():
    assert quantiles(np.asarray([1.0, 2.0, 3.0]))[0.5] == 2.0
    assert quantiles(np.zeros(0)) == {}
