from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobrest.model.summary import Point
from lobrest.store.timeline import timeline


def test_nothing_happened() -> None:
    assert timeline({}, [], [], points=10) == ()


def test_totals_at_the_ends_of_equal_spans() -> None:
    ticks = {0: 5, 1: 1, 5: 4}
    assert timeline(ticks, [0.5, 5.5], [1.2], points=3) == (
        Point(2.0, 6, 1, 1),
        Point(4.0, 6, 1, 1),
        Point(6.0, 10, 2, 1),
    )


def test_a_bug_after_the_last_answer_still_shows() -> None:
    assert timeline({0: 1}, [], [9.5], points=1) == (Point(10.0, 1, 0, 1),)


@pytest.mark.parametrize("points", [0, -1])
def test_no_points_are_no_points(points: int) -> None:
    assert timeline({0: 1}, [], [], points=points) == ()


@given(
    st.dictionaries(st.integers(0, 5000), st.integers(1, 50)),
    st.lists(st.floats(0, 5000)),
    st.lists(st.floats(0, 5000)),
    st.integers(1, 50),
)
def test_points_rise_to_the_totals_and_are_few(
    ticks: dict[int, int], covered: list[float], bugs: list[float], points: int
) -> None:
    line = timeline(ticks, covered, bugs, points=points)
    assert len(line) <= points
    for earlier, later in pairwise(line):
        assert earlier.t_s < later.t_s
        assert earlier.requests <= later.requests
        assert earlier.covered <= later.covered
    if line:
        assert (line[-1].requests, line[-1].covered, line[-1].bugs) == (
            sum(ticks.values()),
            len(covered),
            len(bugs),
        )
