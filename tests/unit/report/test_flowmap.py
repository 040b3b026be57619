from __future__ import annotations

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.report.campaign import campaign

from lobrest.report.data import FlowEdge, FlowMap, FlowNode
from lobrest.report.flowmap import FlowDrawing, flow_drawing


def flow_map(*pairs: tuple[str, str]) -> FlowMap:
    names = sorted({name for pair in pairs for name in pair})
    nodes = tuple(FlowNode(name, "m", 9, 0.5, True) for name in names)
    return FlowMap(nodes, tuple(FlowEdge(before, after, 5, True) for before, after in pairs))


def check(drawing: FlowDrawing) -> None:
    """Boxes do not touch and lie inside; arrows join existing boxes."""
    for first in drawing.boxes:
        assert first.x >= 0
        assert first.x + drawing.box_width <= drawing.width
        assert first.y >= 0
        assert first.y + drawing.box_height <= drawing.height
        for second in drawing.boxes:
            if first.op != second.op and first.x == second.x:
                assert abs(first.y - second.y) >= drawing.box_height
    shown = {box.op for box in drawing.boxes}
    for arrow in drawing.arrows:
        assert {arrow.before, arrow.after} <= shown
        assert re.fullmatch(r"M[\d.-]+ [\d.-]+(C[\d. -]+|H[\d.-]+)+", arrow.path)


def test_a_chain_goes_from_left_to_right() -> None:
    drawing = flow_drawing(flow_map(("GET /a", "GET /b"), ("GET /b", "GET /c")))
    places = {box.op: box.x for box in drawing.boxes}
    assert places["GET /a"] < places["GET /b"] < places["GET /c"]
    assert len({box.y for box in drawing.boxes}) == 1
    check(drawing)


def test_circles_and_repetitions_do_no_harm() -> None:
    drawing = flow_drawing(flow_map(("A /", "B /"), ("B /", "A /"), ("A /", "A /")))
    assert len(drawing.boxes) == 2
    assert len(drawing.arrows) == 2
    check(drawing)


def test_a_long_flow_does_not_grow_without_end() -> None:
    chain = [f"GET /{number:02d}" for number in range(20)]
    drawing = flow_drawing(flow_map(*itertools.pairwise(chain)))
    assert len({box.x for box in drawing.boxes}) <= 6
    assert len(drawing.boxes) == 20
    check(drawing)


def test_the_frequent_part_is_drawn_and_the_rest_counted() -> None:
    flows = campaign().flows
    assert flows is not None
    drawing = flow_drawing(flows, most_boxes=10)
    assert len(drawing.boxes) <= 10
    assert drawing.left_out == len(flows.nodes) - len(drawing.boxes)
    check(drawing)
    check(flow_drawing(flows))


def test_a_map_without_steps() -> None:
    drawing = flow_drawing(FlowMap((FlowNode("GET /", "m", 1, 0.0, True),), ()))
    assert drawing.boxes == ()
    assert drawing.left_out == 1


OPS = st.integers(0, 12).map(lambda number: f"GET /{number}")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(OPS, OPS), max_size=30, unique=True))
def test_any_map_can_be_drawn(pairs: list[tuple[str, str]]) -> None:
    flows = flow_map(*pairs)
    drawing = flow_drawing(flows)
    check(drawing)
    assert drawing == flow_drawing(flows)
