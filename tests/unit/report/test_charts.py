from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.report.campaign import campaign

from lobrest.report.charts import day_drawing, line_chart, nice_ticks, thinned, time_ticks, upset_drawing
from lobrest.report.data import DayEntry, DaySlice, UserDay


@settings(deadline=None)
@given(st.floats(min_value=0.001, max_value=1e9))
def test_ticks_are_few_even_and_reach_the_top(most: float) -> None:
    ticks = nice_ticks(most)
    assert ticks[0] == 0
    assert ticks[-1] >= most * (1 - 1e-6)
    assert 2 <= len(ticks) <= 8
    gaps = [later - earlier for earlier, later in itertools.pairwise(ticks)]
    assert max(gaps) - min(gaps) < 1e-6 * max(gaps) + 1e-9


def test_ticks_of_counts_are_whole() -> None:
    assert nice_ticks(3) == [0, 1, 2, 3]
    assert nice_ticks(64)[-1] == 80
    assert nice_ticks(0) == [0, 1]


@pytest.mark.parametrize(
    ("most", "labels"),
    [(60, ["0 s", "10 s", "20 s", "30 s", "40 s", "50 s", "60 s"]), (0.5, ["0 s"]),
     (3600, ["0 s", "10 min", "20 min", "30 min", "40 min", "50 min", "60 min"])],
)  # fmt: skip
def test_times_are_labelled_as_people_write_them(most: float, labels: list[str]) -> None:
    assert [tick.label for tick in time_ticks(most)] == labels


def test_time_ticks_of_days_end() -> None:
    assert 2 <= len(time_ticks(40 * 86_400)) <= 9


def test_a_chart_keeps_its_curves_inside_and_steps() -> None:
    chart = line_chart(
        "t", [("a", [(0, 0), (5, 3), (10, 3), (20, 4)]), ("b", [(0, 0), (10, 1)]), ("c", [])], limit=9
    )
    assert [curve.label for curve in chart.curves] == ["a", "b"]
    assert chart.curves[0].path == "M44.0 266.0H183.5V191.0H602.0V166.0"
    for curve in chart.curves:
        for x, y in re.findall(r"[MH]([\d.]+)[ V]([\d.]+)", curve.path):
            assert chart.left <= float(x) <= chart.right
            assert chart.top <= float(y) <= chart.bottom
    assert chart.samples[0] == (0.0, (0, 0))
    assert chart.samples[6] == (5.0, (3, 0))
    assert chart.samples[-1] == (20.0, (4, 1))
    assert chart.limit is not None
    assert chart.limit < chart.curves[0].end_y


def test_more_runs_than_colours_are_drawn_all_the_same() -> None:
    chart = line_chart("t", [(str(number), [(0, 0), (1, number)]) for number in range(7)])
    assert [curve.colour for curve in chart.curves] == [0, 1, 2, 3, 4, 0, 1]


def test_a_chart_of_nothing() -> None:
    chart = line_chart("t", [("a", [])])
    assert chart.curves == ()
    assert chart.samples[0][1] == ()


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=2000))
def test_thinning_keeps_the_ends_and_bounds_the_number(values: list[int]) -> None:
    points = [(float(at), float(value)) for at, value in enumerate(values)]
    kept = thinned(points)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert len(kept) <= 240
    assert kept == sorted(kept)


def test_flows_of_a_day_do_not_overlap() -> None:
    day = campaign().day
    assert day is not None
    drawing = day_drawing(day)
    assert len(drawing.bars) == len(day.slices)
    for first in drawing.bars:
        assert first.x >= 0
        assert first.x + first.width <= drawing.width + 1
        for second in drawing.bars:
            if first is not second and first.y == second.y:
                assert first.x + first.width <= second.x or second.x + second.width <= first.x


def test_parallel_flows_get_rows_of_their_own() -> None:
    piece = DaySlice(
        (DayEntry(1000.0, "GET /a"), DayEntry(2000.0, "GET /b"), DayEntry(0.0, "POST /c", added=True))
    )
    drawing = day_drawing(UserDay("u", "1970-01-01", (piece, piece, DaySlice(()))))
    assert [bar.y for bar in drawing.bars] == [0.0, 14.0]
    assert drawing.bars[0].label == "00:16–00:33, 2 requests"
    assert [tick.label for tick in drawing.hours] == ["00:00", "01:00"]


def test_runs_of_one_name_are_one_curve_in_a_band() -> None:
    chart = line_chart(
        "x",
        [
            ("a", [(0.0, 0.0), (5.0, 4.0)]),
            ("b", [(0.0, 0.0), (9.0, 1.0)]),
            ("a", [(0.0, 0.0), (7.0, 8.0)]),
            ("c", []),
        ],
    )
    assert [(curve.label, curve.last, bool(curve.band)) for curve in chart.curves] == [
        ("a", "6", True), ("b", "1", False),
    ]  # fmt: skip
    assert chart.samples[-1][1] == (6.0, 1.0)
    numbers = [float(text) for text in re.findall(r"[\d.]+", chart.curves[0].band)]
    assert all(0 <= number <= chart.width for number in numbers)
    assert chart.curves[0].band.endswith("Z")


def test_sets_of_runs_stand_in_columns_with_bars() -> None:
    drawing = upset_drawing(["a", "b", "c"], [((0, 1), 6), ((2,), 3), ((0, 1, 2), 1)])
    assert [column.count for column in drawing.columns] == [6, 3, 1]
    assert [[filled for _, filled in column.dots] for column in drawing.columns] == [
        [True, True, False], [False, False, True], [True, True, True],
    ]  # fmt: skip
    assert [column.line is not None for column in drawing.columns] == [True, False, True]
    assert drawing.columns[0].bar_height == 2 * drawing.columns[1].bar_height
    assert [row.count for row in drawing.rows] == [7, 7, 4]
    assert all(column.x + 9 <= drawing.width for column in drawing.columns)
    assert upset_drawing(["a"], [((0,), 1)] * 40).left_out == 16
