"""Geometry of the pictures in the report. Templates draw it, so that every text passes through escaping."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lobrest.report.data import FlowEdge, FlowMap, FlowNode, UserDay
from lobrest.report.wording import clock, path_tail, split_operation

Series = Sequence[tuple[float, float]]

_MOST_POINTS = 240


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
    step = next((candidate for candidate in steps if candidate >= raw), math.ceil(raw / 86_400) * 86_400)
    return [Tick(at, _time_label(at)) for at in range(0, int(most) + 1, step)]


def line_chart(
    title: str,
    runs: Sequence[tuple[str, Series]],
    *,
    limit: float | None = None,
    width: int = 620,
    height: int = 300,
) -> LineChart:
    """The chart of several runs over the same time; ``limit`` is the most that can be reached."""
    left, right, top, bottom = 44, width - 18, 16, height - 34
    longest = max((points[-1][0] for _, points in runs if points), default=0.0) or 1.0
    highest = max((value for _, points in runs for _, value in points), default=0.0)
    ticks = nice_ticks(max(highest, limit or 0.0))
    ceiling = ticks[-1]

    def x_of(at: float) -> float:
        return round(left + (right - left) * at / longest, 1)

    def y_of(value: float) -> float:
        return round(bottom - (bottom - top) * value / ceiling, 1)

    curves = []
    for colour, (label, points) in enumerate(runs):
        kept = thinned(points)
        if not kept:
            continue
        path = f"M{x_of(kept[0][0])} {y_of(kept[0][1])}" + "".join(
            f"H{x_of(at)}V{y_of(value)}" for at, value in kept[1:]
        )
        end_at, end_value = kept[-1]
        curves.append(Curve(label, colour, path, x_of(end_at), y_of(end_value), f"{end_value:g}"))
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
        samples=_samples(runs, longest),
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


def _time_label(seconds: float) -> str:
    if seconds < 120 or seconds % 60:
        return f"{seconds:g} s"
    if seconds < 7200 or seconds % 3600:
        return f"{seconds / 60:g} min"
    return f"{seconds / 3600:g} h"


@dataclass(frozen=True, slots=True)
class FlowBox:
    """An operation on the drawn map."""

    op: str
    method: str
    tail: str
    module: str
    count: int
    covered: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class FlowArrow:
    """A step from one operation to the next."""

    before: str
    after: str
    count: int
    covered: bool
    path: str
    thickness: float


@dataclass(frozen=True, slots=True)
class FlowDrawing:
    """The most frequent part of the map of flows."""

    width: int
    height: int
    box_width: int
    box_height: int
    boxes: tuple[FlowBox, ...]
    arrows: tuple[FlowArrow, ...]
    left_out: int
    """Operations that are too rare to be drawn."""


def flow_drawing(flows: FlowMap, *, most_boxes: int = 26, most_arrows: int = 44) -> FlowDrawing:
    """Operations from left to right as they come in flows, with the most frequent steps between them."""
    box_width, box_height, gap_x, gap_y, margin = 206, 44, 74, 18, 14
    arrows = [edge for edge in flows.edges if edge.before != edge.after][:most_arrows]
    linked = {op for edge in arrows for op in (edge.before, edge.after)}
    nodes = [node for node in flows.nodes if node.op in linked][:most_boxes]
    shown = {node.op for node in nodes}
    arrows = [edge for edge in arrows if edge.before in shown and edge.after in shown]
    columns = _columns(nodes, arrows)
    rows = max((len(column) for column in columns), default=0)
    height = margin * 2 + rows * box_height + max(rows - 1, 0) * gap_y
    boxes: dict[str, FlowBox] = {}
    for index, column in enumerate(columns):
        used = len(column) * box_height + (len(column) - 1) * gap_y
        for row, node in enumerate(column):
            method, path = split_operation(node.op)
            boxes[node.op] = FlowBox(
                node.op, method, path_tail(path, 28), node.module, node.count, node.covered,
                x=margin + index * (box_width + gap_x),
                y=round((height - used) / 2 + row * (box_height + gap_y), 1),
            )  # fmt: skip
    most = max((edge.count for edge in arrows), default=1)
    return FlowDrawing(
        width=margin * 2 + len(columns) * box_width + max(len(columns) - 1, 0) * gap_x,
        height=height,
        box_width=box_width,
        box_height=box_height,
        boxes=tuple(boxes.values()),
        arrows=tuple(
            FlowArrow(
                edge.before, edge.after, edge.count, edge.covered,
                _arrow_path(boxes[edge.before], boxes[edge.after], box_width, box_height),
                round(1 + 3.5 * math.sqrt(edge.count / most), 2),
            )
            for edge in arrows
        ),
        left_out=len(flows.nodes) - len(boxes),
    )  # fmt: skip


def _columns(nodes: Sequence[FlowNode], edges: Sequence[FlowEdge]) -> list[list[FlowNode]]:
    """Nodes by their place in flows, in columns of equal size; rows near what they are linked with."""
    if not nodes:
        return []
    ordered = sorted(nodes, key=lambda node: (node.position, node.op))
    wanted = max(1, min(5, math.ceil(len(ordered) / 5)))
    size = math.ceil(len(ordered) / wanted)
    columns = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    linked: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for edge in edges:
        linked[edge.before].append((edge.after, edge.count))
        linked[edge.after].append((edge.before, edge.count))
    for _ in range(6):
        rows = {node.op: row - len(column) / 2 for column in columns for row, node in enumerate(column)}
        columns = [
            sorted(column, key=lambda node: (_middle(node.op, linked, rows), node.op)) for column in columns
        ]
    return columns


def _middle(op: str, linked: Mapping[str, Sequence[tuple[str, int]]], rows: Mapping[str, float]) -> float:
    weight = sum(count for _, count in linked.get(op, ()))
    if not weight:
        return rows[op]
    return sum(rows[other] * count for other, count in linked[op]) / weight


def _arrow_path(before: FlowBox, after: FlowBox, width: int, height: int) -> str:
    start_y, end_y = before.y + height / 2, after.y + height / 2
    if after.x > before.x:
        start_x, end_x = before.x + width, after.x - 5
        bend = max(30.0, (end_x - start_x) / 2)
        bends = (start_x + bend, end_x - bend)
    elif after.x == before.x:
        start_x, end_x = before.x + width, before.x + width + 5
        bends = (start_x + 44, end_x + 44)
    else:
        start_x, end_x = before.x, after.x + width + 5
        bends = (start_x - 40, end_x + 40)
    return f"M{start_x:g} {start_y:g}C{bends[0]:g} {start_y:g} {bends[1]:g} {end_y:g} {end_x:g} {end_y:g}"


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
