"""Geometry of the pictures in the report. Templates draw it, so that every text passes through escaping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from lobrest.report.data import UserDay
from lobrest.report.wording import clock

Series = Sequence[tuple[float, float]]

_MOST_POINTS = 240
_COLOURS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One run's line."""

    label: str
    colour: int
    """Index into the palette of the style sheet."""
    path: str
    end_x: float
    end_y: float
    last: str
    band: str = ""
    """The room between the lowest and the highest run, where several are one line."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """Values over time, one curve a run."""

    title: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    """Edges of the plot, in the picture's units."""
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    limit: float | None
    """Height of the line that shows the most that can be reached."""
    samples: tuple[tuple[float, tuple[float, ...]], ...]
    """Times with each curve's value, for the reading aid and the table."""
    longest: float


def nice_ticks(most: float, wanted: int = 5) -> list[float]:
    """Round values from 0 that reach ``most``."""
    if most <= 0:
        return [0.0, 1.0]
    raw = most / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    if most >= 1:
        step = max(1.0, step if float(step).is_integer() else math.ceil(step))
    return [index * step for index in range(math.ceil(most / step - 1e-9) + 1)]


def time_ticks(most: float, wanted: int = 6) -> list[Tick]:
    """Round times from 0, labelled as people write them."""
    raw = max(most, 1.0) / wanted
    steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
    least = 60 if most > 120 else 1  # past two minutes people count in minutes
    step = next(
        (candidate for candidate in steps if candidate >= max(raw, least)), math.ceil(raw / 86_400) * 86_400
    )
    return [Tick(at, _time_label(at, step)) for at in range(0, int(most) + 1, step)]


def line_chart(
    title: str,
    runs: Sequence[tuple[str, Series]],
    *,
    limit: float | None = None,
    width: int = 620,
    height: int = 300,
) -> LineChart:
    """The chart of several runs over the same time; ``limit`` is the most that can be reached.

    Runs of one name are one line, their median, with the room between their lowest and highest around it.
    """
    left, right, top, bottom = 44, width - 18, 16, height - 34
    longest = max((points[-1][0] for _, points in runs if points), default=0.0) or 1.0
    highest = max((value for _, points in runs for _, value in points), default=0.0)
    ticks = nice_ticks(max(highest, limit or 0.0))
    ceiling = ticks[-1]

    def x_of(at: float) -> float:
        return round(left + (right - left) * at / longest, 1)

    def y_of(value: float) -> float:
        return round(bottom - (bottom - top) * value / ceiling, 1)

    def stairs(points: Series) -> str:
        return "".join(f"H{x_of(at)}V{y_of(value)}" for at, value in points)

    named: dict[str, list[Series]] = {}
    for label, points in runs:
        if points:
            named.setdefault(label, []).append(points)
    curves = []
    lines: list[tuple[str, Series]] = []
    for colour, (label, several) in enumerate(named.items()):
        low, middle, high = _spread(several)
        lines.append((label, middle))
        kept = thinned(middle)
        band = ""
        if len(several) > 1:
            back = [f"V{y_of(value)}H{x_of(at)}" for at, value in reversed(thinned(low))]
            upper = thinned(high)
            band = f"M{x_of(upper[0][0])} {y_of(upper[0][1])}{stairs(upper[1:])}{''.join(back)}Z"
        end_at, end_value = kept[-1]
        curves.append(
            Curve(
                label, colour % _COLOURS, f"M{x_of(kept[0][0])} {y_of(kept[0][1])}{stairs(kept[1:])}",
                x_of(end_at), y_of(end_value), f"{end_value:g}", band,
            )
        )  # fmt: skip
    return LineChart(
        title=title,
        width=width,
        height=height,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(Tick(x_of(tick.at), tick.label) for tick in time_ticks(longest)),
        y_ticks=tuple(Tick(y_of(value), f"{value:g}") for value in ticks),
        curves=tuple(curves),
        limit=None if limit is None else y_of(limit),
        samples=_samples(lines, longest),
        longest=longest,
    )


def thinned(points: Series) -> list[tuple[float, float]]:
    """Points where the value changes, and the ends; evenly thinned where there are very many."""
    kept = [
        point
        for index, point in enumerate(points)
        if index in (0, len(points) - 1) or point[1] != points[index - 1][1]
    ]
    if len(kept) <= _MOST_POINTS:
        return kept
    stride = len(kept) / (_MOST_POINTS - 1)
    return [kept[int(index * stride)] for index in range(_MOST_POINTS - 1)] + [kept[-1]]


def _spread(several: Sequence[Series]) -> tuple[Series, Series, Series]:
    """The lowest, the middle and the highest at every moment at which one of them changes."""
    if len(several) == 1:
        return several[0], several[0], several[0]
    moments = sorted({at for points in several for at, _ in points})
    if len(moments) > _MOST_POINTS:
        stride = len(moments) / (_MOST_POINTS - 1)
        moments = [moments[int(index * stride)] for index in range(_MOST_POINTS - 1)] + [moments[-1]]
    values = [[_value_at(points, at) for points in several] for at in moments]
    return tuple(
        [(at, float(pick(row))) for at, row in zip(moments, values, strict=True)]
        for pick in (min, median, max)
    )  # type: ignore[return-value]


def _samples(
    runs: Sequence[tuple[str, Series]], longest: float, wanted: int = 24
) -> tuple[tuple[float, tuple[float, ...]], ...]:
    return tuple(
        (at, tuple(_value_at(points, at) for _, points in runs if points))
        for at in (round(longest * index / wanted, 3) for index in range(wanted + 1))
    )


def _value_at(points: Series, at: float) -> float:
    value = points[0][1]
    for moment, now in points:
        if moment > at + 1e-9:
            break
        value = now
    return value


def _time_label(seconds: float, step: float) -> str:
    if not seconds or step < 60:
        return f"{seconds:g} s"
    if seconds < 7200 or seconds % 3600:
        return f"{seconds / 60:g} min"
    return f"{seconds / 3600:g} h"


@dataclass(frozen=True, slots=True)
class DayBar:
    """When a flow of the day took place."""

    x: float
    y: float
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class DayDrawing:
    """A day's flows on one strip of time."""

    width: int
    height: int
    bars: tuple[DayBar, ...]
    hours: tuple[Tick, ...]


def day_drawing(day: UserDay, *, width: int = 1040) -> DayDrawing:
    """One bar a flow, on as few rows as keep them apart."""
    spans = [
        (min(times), max(times), len(times))
        for times in ([entry.at for entry in piece.entries if not entry.added] for piece in day.slices)
        if times
    ]
    begin = min((start for start, _, _ in spans), default=0.0) // 3600 * 3600
    end = math.ceil((max((stop for _, stop, _ in spans), default=3600.0) + 60) / 3600) * 3600
    scale = width / max(end - begin, 3600)
    free: list[float] = []
    bars = []
    for start, stop, size in spans:
        x = (start - begin) * scale
        bar_width = max((stop - start) * scale, 6.0)
        row = next((index for index, taken in enumerate(free) if taken <= x), len(free))
        if row == len(free):
            free.append(0.0)
        free[row] = x + bar_width + 3
        bars.append(
            DayBar(
                round(x, 1), row * 14.0, round(bar_width, 1), f"{clock(start)}–{clock(stop)}, {size} requests"
            )
        )
    hours = int((end - begin) // 3600)
    stride = max(1, math.ceil(hours / 12))
    return DayDrawing(
        width=width,
        height=len(free) * 14 + 22,
        bars=tuple(bars),
        hours=tuple(
            Tick(round(index * 3600 * scale, 1), clock(begin + index * 3600))
            for index in range(0, hours + 1, stride)
        ),
    )


@dataclass(frozen=True, slots=True)
class UpsetColumn:
    """Bugs that exactly these runs found."""

    x: float
    bar_y: float
    bar_height: float
    count: int
    dots: tuple[tuple[float, bool], ...]
    """Height of each run's dot, and whether it is filled."""
    line: tuple[float, float] | None
    """From the first to the last filled dot."""
    told: str


@dataclass(frozen=True, slots=True)
class UpsetRow:
    """A run, with how many bugs it found in all."""

    label: str
    y: float
    count: int
    bar_width: float


@dataclass(frozen=True, slots=True)
class UpsetDrawing:
    """Which runs found the same: columns of dots for sets of runs, bars for how much they share."""

    width: int
    height: int
    left: int
    """Where the dots begin; before them are the runs with their bars."""
    bars_bottom: int
    columns: tuple[UpsetColumn, ...]
    rows: tuple[UpsetRow, ...]
    left_out: int


def upset_drawing(
    labels: Sequence[str], shared: Sequence[tuple[tuple[int, ...], int]], *, most_columns: int = 24
) -> UpsetDrawing:
    """The drawing of what ``comparison.found_by`` gives."""
    step, row_step, left, bars_bottom = 34, 26, 230, 118
    shown = shared[:most_columns]
    highest = max((count for _, count in shown), default=1)
    totals = [sum(count for places, count in shared if place in places) for place in range(len(labels))]
    widest = max([*totals, 1])
    heights = [bars_bottom + 24 + place * row_step for place in range(len(labels))]
    columns = []
    for index, (places, count) in enumerate(shown):
        tall = round(max(2.0, 90 * count / highest), 1)
        line = (float(heights[min(places)]), float(heights[max(places)])) if len(places) > 1 else None
        names = ", ".join(labels[place] for place in places)
        columns.append(
            UpsetColumn(
                left + step * index + step / 2, round(bars_bottom - tall, 1), tall, count,
                tuple((float(height), place in places) for place, height in enumerate(heights)), line,
                f"{count} found by {'only ' if len(places) == 1 else ''}{names}",
            )
        )  # fmt: skip
    return UpsetDrawing(
        width=max(left + step * len(columns) + 8, 420),
        height=bars_bottom + 24 + row_step * len(labels),
        left=left,
        bars_bottom=bars_bottom,
        columns=tuple(columns),
        rows=tuple(
            UpsetRow(label, float(height), total, round(64 * total / widest, 1))
            for label, height, total in zip(labels, heights, totals, strict=True)
        ),
        left_out=len(shared) - len(shown),
    )
