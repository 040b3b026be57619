"""The page and the tables out of kept results."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from benchmarks.bench.comparison import comparisons, read_folder
from benchmarks.bench.count import Counted, Fault, Point
from benchmarks.bench.measurement import Plan, Result, read_result, write_result
from benchmarks.bench.page import page
from benchmarks.bench.plot import ticks, upset
from benchmarks.bench.problem import BenchError
from benchmarks.bench.service import Covered
from benchmarks.bench.specification import Operation
from benchmarks.bench.tables import report, with_results

VOID = {"meta", "br"}


def result(tool: str, number: int, covered: int, faults: int) -> Result:
    listed = tuple(
        Operation(f"GET /a{n}", "GET", f"/a{n}", "even" if n % 2 == 0 else "<odd>") for n in range(10)
    )
    found = tuple(
        Fault(f"GET /a{n}", 500, f"<b>{n}</b>", 1, 3.0, f"GET /a{n}?x=<script>", "", "")
        for n in range(faults)
    )
    counted = Counted(
        requests=100,
        unmatched=0,
        unanswered=0,
        duration_s=59.0,
        statuses={f"GET /a{n}": {"200": 1} for n in range(covered)},
        faults=found,
        timeline=(Point(0.0, 0, 0, 0), Point(30.0, 50, covered, faults)),
    )
    plan = Plan("shop", tool, number, 60)
    return Result(
        plan, listed, counted, (Covered("all", covered, 10),), f"{tool} run", 0, "", 1.0, "2026-11-16"
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for number in (1, 2, 3):
        for tool, covered, faults in (("lobrest", 8, 3), ("schemathesis", 2, 1), ("slices-init", 3, 0)):
            one = result(tool, number, covered, faults)
            write_result(tmp_path / one.plan.file, one)
    return tmp_path


class Balance(HTMLParser):
    """Every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    one = result("lobrest", 1, 4, 2)
    write_result(tmp_path / one.plan.file, one)
    assert read_result(tmp_path / one.plan.file) == one


def test_the_page_is_whole_and_executes_nothing(results: Path) -> None:
    text = page(comparisons(read_folder(results)))
    balance = Balance()
    balance.feed(text)
    assert balance.open == []
    assert "script" not in balance.seen
    assert "link" not in balance.seen
    assert "&lt;script&gt;" in text


def test_the_tables_compare_with_every_other_tool(results: Path) -> None:
    (only,) = comparisons(read_folder(results))
    text = report(only)
    assert "| lobrest | 3 | 8.0 ± 0.0 |" in text
    assert "| schemathesis | 4.0, 1.00, 0.050 | 3.0, 1.00, 0.050 |" in text


def test_no_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no results"):
        read_folder(tmp_path)


def test_an_upset_plot_counts_exact_combinations() -> None:
    text = upset({"a": frozenset({1, 2, 3}), "b": frozenset({3}), "c": frozenset()})
    drawn = ElementTree.fromstring(text)
    bars = [node for node in drawn if node.get("class") == "bar"]
    assert len(bars) == 2


@pytest.mark.parametrize("top", [0, 1, 7, 63, 471, 12_345])
def test_ticks_reach_the_top_without_crowding(top: float) -> None:
    marks = ticks(top)
    assert marks[0] == 0
    assert marks[-1] >= top
    assert len(marks) <= 6


def test_results_replace_what_stood_between_the_marks() -> None:
    document = "a\n<!-- results -->\nold\n<!-- /results -->\nb\n"
    assert with_results(document, "new") == "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb\n"
    with pytest.raises(BenchError, match="no <!-- results -->"):
        with_results("nothing here", "new")
