"""The map of flows as a drawing: operations in columns from left to right, as they follow each other.

Layered drawing in the usual four moves: choose columns, give long arrows a place in the columns they cross,
order the columns so that few arrows cross, then pull what belongs together to the same height.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lobrest.report.data import FlowEdge, FlowMap, FlowNode
from lobrest.report.wording import path_tail, split_operation

_BOX_WIDTH, _BOX_HEIGHT = 166, 42
_GAP_X, _GAP_Y, _MARGIN = 46, 16, 12
_BEND_HEIGHT = 10
_MOST_COLUMNS = 6

Spot = tuple[str, str, int]
"""An arrow's place in a column that it crosses; a box is ``(operation, "", 0)``."""


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


def flow_drawing(flows: FlowMap, *, most_boxes: int = 26, most_arrows: int = 40) -> FlowDrawing:
    """The drawing of the most frequent operations and steps; the same map gives the same drawing."""
    edges = [edge for edge in flows.edges if edge.before != edge.after][:most_arrows]
    linked = {op for edge in edges for op in (edge.before, edge.after)}
    nodes = [node for node in flows.nodes if node.op in linked][:most_boxes]
    shown = {node.op for node in nodes}
    edges = [edge for edge in edges if edge.before in shown and edge.after in shown]
    linked = {op for edge in edges for op in (edge.before, edge.after)}
    nodes = [node for node in nodes if node.op in linked]
    column_of = _columns(nodes, edges)
    routes = {(edge.before, edge.after): _route(edge, column_of) for edge in edges}
    columns = _ordered(column_of, routes)
    heights = _heights(columns, routes)
    top = min((heights[spot] for column in columns for spot in column), default=0.0)
    middle_of = {spot: heights[spot] - top + _MARGIN + _BOX_HEIGHT / 2 for spot in heights}
    most = max((edge.count for edge in edges), default=1)
    return FlowDrawing(
        width=2 * _MARGIN + len(columns) * (_BOX_WIDTH + _GAP_X),
        height=math.ceil(max(middle_of.values(), default=0.0) + _BOX_HEIGHT / 2 + _MARGIN),
        box_width=_BOX_WIDTH,
        box_height=_BOX_HEIGHT,
        boxes=tuple(_box(node, column_of[node.op], middle_of[(node.op, "", 0)]) for node in nodes),
        arrows=tuple(
            FlowArrow(
                edge.before,
                edge.after,
                edge.count,
                edge.covered,
                _path(routes[(edge.before, edge.after)], column_of, middle_of),
                round(1.2 + 3.3 * math.sqrt(edge.count / most), 2),
            )
            for edge in edges
        ),
        left_out=len(flows.nodes) - len(nodes),
    )


def _columns(nodes: Sequence[FlowNode], edges: Sequence[FlowEdge]) -> dict[str, int]:
    """Frequent steps go to the right; what would close a circle or need too many columns does not count."""
    after: defaultdict[str, list[str]] = defaultdict(list)
    column = {node.op: 0 for node in nodes}
    for edge in edges:
        trial = dict(column)
        if _pushed(edge.before, edge.after, after, trial):
            column = trial
            after[edge.before].append(edge.after)
    placed = set(after).union(*after.values())
    first = {op for op, following in after.items() if following} - {
        op for following in after.values() for op in following
    }
    for op in first:  # a first step stands right before what follows it
        column[op] = min(column[following] for following in after[op]) - 1
    for edge in edges:  # what found no place stands below the step before it
        if edge.after not in placed:
            column[edge.after] = column[edge.before]
            placed.add(edge.after)
    used = sorted(set(column.values()))
    return {op: used.index(place) for op, place in column.items()}


def _pushed(before: str, after: str, links: Mapping[str, Sequence[str]], column: dict[str, int]) -> bool:
    """Move ``after`` and all that follows it to the right of ``before``; False where that cannot be."""
    waiting = [(after, column[before] + 1)]
    while waiting:
        op, wanted = waiting.pop()
        if column[op] >= wanted:
            continue
        if op == before or wanted >= _MOST_COLUMNS:
            return False
        column[op] = wanted
        waiting.extend((following, wanted + 1) for following in links.get(op, ()))
    return True


def _route(edge: FlowEdge, column_of: Mapping[str, int]) -> tuple[Spot, ...]:
    """The spots an arrow passes, both boxes included."""
    start, end = column_of[edge.before], column_of[edge.after]
    step = 1 if end >= start else -1
    between = tuple((edge.before, edge.after, place) for place in range(start + step, end, step))
    return ((edge.before, "", 0), *between, (edge.after, "", 0))


def _ordered(
    column_of: Mapping[str, int], routes: Mapping[tuple[str, str], Sequence[Spot]]
) -> list[list[Spot]]:
    """Columns whose spots stand near what they are linked with."""
    columns: list[list[Spot]] = [[] for _ in range(max(column_of.values(), default=-1) + 1)]
    for op, place in column_of.items():
        columns[place].append((op, "", 0))
    for route in routes.values():
        for spot in route[1:-1]:
            columns[spot[2]].append(spot)
    linked = _links(routes)
    best, fewest = columns, _crossings(columns, routes)
    for sweep in range(24):
        order = range(len(columns)) if sweep % 2 == 0 else range(len(columns) - 1, -1, -1)
        columns = [list(column) for column in columns]
        for place in order:
            rows = {spot: row / max(len(column), 1) for column in columns for row, spot in enumerate(column)}
            columns[place].sort(
                key=lambda spot, rows=rows: (_mean([rows[other] for other in linked[spot]], rows[spot]), spot)  # type: ignore[misc]
            )
        crossings = _crossings(columns, routes)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _crossings(columns: Sequence[Sequence[Spot]], routes: Mapping[tuple[str, str], Sequence[Spot]]) -> int:
    place = {spot: (index, row) for index, column in enumerate(columns) for row, spot in enumerate(column)}
    steps: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for route in routes.values():
        for first, second in pairwise(route):
            (left, from_row), (right, to_row) = sorted((place[first], place[second]))
            if left != right:
                steps[left].append((from_row, to_row))
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for each in steps.values()
        for index, one in enumerate(each)
        for other in each[:index]
    )


def _heights(
    columns: Sequence[Sequence[Spot]], routes: Mapping[tuple[str, str], Sequence[Spot]]
) -> dict[Spot, float]:
    """The middle of each spot: near the middles of its neighbours, in order and without touching."""
    linked = _links(routes)
    middle: dict[Spot, float] = {}
    for column in columns:
        for row, spot in enumerate(column):
            middle[spot] = (row - len(column) / 2) * (_BOX_HEIGHT + _GAP_Y)
    for _ in range(30):
        for column in columns:
            wanted = [_mean([middle[other] for other in linked[spot]], middle[spot]) for spot in column]
            down = list(wanted)
            for index in range(1, len(column)):
                down[index] = max(down[index], down[index - 1] + _distance(column[index - 1], column[index]))
            up = list(wanted)
            for index in range(len(column) - 2, -1, -1):
                up[index] = min(up[index], up[index + 1] - _distance(column[index], column[index + 1]))
            for index, spot in enumerate(column):
                middle[spot] = (down[index] + up[index]) / 2
    for column in columns:
        for first, second in pairwise(column):
            middle[second] = max(middle[second], middle[first] + _distance(first, second))
    return _without_empty_bands(middle)


def _without_empty_bands(middle: Mapping[Spot, float]) -> dict[Spot, float]:
    """Parts of the map that are not linked move together."""
    moved: dict[Spot, float] = {}
    shift, lowest = 0.0, -math.inf
    for spot, height in sorted(middle.items(), key=lambda item: item[1] - _tall(item[0]) / 2):
        begin = height - _tall(spot) / 2
        if lowest > -math.inf and begin - lowest > 2 * _GAP_Y:
            shift += begin - lowest - 2 * _GAP_Y
        lowest = max(lowest, height + _tall(spot) / 2)
        moved[spot] = round(height - shift, 1)
    return moved


def _distance(first: Spot, second: Spot) -> float:
    return (_tall(first) + _tall(second)) / 2 + _GAP_Y * (0.6 if first[1] and second[1] else 1)


def _tall(spot: Spot) -> int:
    return _BEND_HEIGHT if spot[1] else _BOX_HEIGHT


def _links(routes: Mapping[tuple[str, str], Sequence[Spot]]) -> defaultdict[Spot, list[Spot]]:
    linked: defaultdict[Spot, list[Spot]] = defaultdict(list)
    for route in routes.values():
        for first, second in pairwise(route):
            linked[first].append(second)
            linked[second].append(first)
    return linked


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _box(node: FlowNode, column: int, middle: float) -> FlowBox:
    method, path = split_operation(node.op)
    return FlowBox(
        node.op, method, path_tail(path, 22), node.module, node.count, node.covered,
        x=_left(column), y=round(middle - _BOX_HEIGHT / 2, 1),
    )  # fmt: skip


def _left(column: int) -> int:
    return _MARGIN + column * (_BOX_WIDTH + _GAP_X)


def _path(route: Sequence[Spot], column_of: Mapping[str, int], middle_of: Mapping[Spot, float]) -> str:
    """A smooth line through the spots, from edge to edge of the boxes."""
    places = [column_of[spot[0]] if not spot[1] else spot[2] for spot in route]
    forward = places[-1] > places[0]
    start_y, end_y = middle_of[route[0]], middle_of[route[-1]]
    if places[-1] == places[0]:
        side = _left(places[0]) + _BOX_WIDTH
        return f"M{side} {start_y:g}C{side + 36} {start_y:g} {side + 40} {end_y:g} {side + 5} {end_y:g}"
    enter, leave = (0, _BOX_WIDTH) if forward else (_BOX_WIDTH, 0)
    drawn = f"M{_left(places[0]) + leave} {start_y:g}"
    x, y = float(_left(places[0]) + leave), start_y
    for spot, place in list(zip(route, places, strict=True))[1:]:
        next_x, next_y = float(_left(place) + enter), middle_of[spot]
        is_last = spot == route[-1]
        if is_last:
            next_x += -5 if forward else 5
        bend = (next_x - x) / 2
        drawn += f"C{x + bend:g} {y:g} {next_x - bend:g} {next_y:g} {next_x:g} {next_y:g}"
        x, y = next_x, next_y
        if not is_last:
            x = float(_left(place) + leave)
            drawn += f"H{x:g}"
    return drawn
