from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from tests.unit.report.campaign import campaign
from tests.unit.report.test_html import HOSTILE, hostile_campaign

from lobrest.model.summary import BugResult, ModuleResult
from lobrest.report.data import ReportData
from lobrest.report.terminal import Progress, final_picture, kind_words, live_line, live_view

PROGRESS = Progress("with logs", 41, 64, 3, 5210, 17.0, 60.0, "POST /projects", "a flow of ann")


def shown(what: RenderableType, width: int, *, colour: bool = False, encoding: str = "utf-8") -> str:
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    console = Console(
        file=buffer, width=width, force_terminal=colour, no_color=not colour, legacy_windows=False
    )
    console.print(what)
    buffer.seek(0)
    return buffer.read()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_picture_fits(width: int) -> None:
    lines = shown(final_picture(campaign()), width).splitlines()
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "9 bugs found in Forge" in text
    assert "6,824 lines, 2,688 kept" in text
    assert "14 resources, 13 with a creator" in text
    assert "lobrest bug lobrest-demo 1" in text


def test_both_runs_stand_side_by_side() -> None:
    lines = shown(final_picture(campaign()), 80).splitlines()
    (with_logs,) = [line for line in lines if line.startswith("with logs ")]
    (without,) = [line for line in lines if line.startswith("without logs ")]
    assert with_logs.split()[2] == "58/64"
    assert with_logs.count("■") > without.count("■")
    assert with_logs.rstrip().endswith(" 9")
    assert "In the same 1 min, with logs and without logs" in lines
    tokens = next(line for line in lines if line.startswith("tokens"))
    assert " 67 %" in tokens


def test_bugs_come_deepest_first() -> None:
    text = shown(final_picture(campaign()), 100)
    places = [text.index(f"#{n} ") for n in range(1, 10)]
    assert places == sorted(places)
    assert "upstream prematurely closed connection (not confirmed)" in text


def test_what_the_status_says_is_not_said_twice() -> None:
    summary = campaign().summary
    bug = replace(summary.bugs[0], message="500 Internal Server Error · KeyError: 'closed'")
    text = shown(final_picture(ReportData(replace(summary, bugs=(bug,)))), 80)
    assert "KeyError: 'closed'" in text
    assert "Internal Server Error" not in text


def test_a_bar_is_full_only_when_all_is_done() -> None:
    data = campaign()
    totals = replace(data.summary.operations, covered=999, total=1000)
    lines = shown(
        final_picture(replace(data, summary=replace(data.summary, operations=totals))), 80
    ).splitlines()
    (line,) = [line for line in lines if line.startswith("with logs ")]
    assert "■·" in line


def test_only_what_is_known_is_told() -> None:
    summary = replace(campaign().summary, bugs=(), modules=())
    text = shown(final_picture(ReportData(summary)), 80)
    assert "No bug was found in Forge" in text
    assert "read " not in text
    assert "a longer run" in text


def test_many_bugs_and_modules_are_cut_and_said_to_be() -> None:
    data = campaign()
    bugs = tuple(BugResult(n, "GET /x", 500, "m", 1.0, True, n % 7 + 1) for n in range(1, 41))
    modules = tuple(ModuleResult(f"module {n}", 10, n % 11) for n in range(60))
    text = shown(final_picture(replace(data, summary=replace(data.summary, bugs=bugs, modules=modules))), 80)
    assert "and 28 more in the report" in text
    assert "and 36 more modules in the report" in text


def test_a_terminal_that_knows_ascii_only_gets_ascii() -> None:
    text = shown(live_view(PROGRESS), 80, encoding="ascii")
    assert text.isascii()
    assert "###" in text


def test_the_live_view_says_how_far_and_what() -> None:
    first, second = shown(live_view(PROGRESS), 80).splitlines()
    assert first.startswith("with logs ■■■")
    assert first.rstrip().endswith("43 s left  41/64 operations  3 bugs  5,210 requests (306/s)")
    assert second.strip() == "a flow of ann: POST /projects"
    assert len(shown(live_view(replace(PROGRESS, current="x" * 500)), 40).splitlines()) == 2


def test_the_plain_line_for_logs_of_ci() -> None:
    assert live_line(PROGRESS) == (
        "with logs: 41 of 64 operations, 3 bugs, 5,210 requests (306/s), 43 s left"
    )
    begun = Progress("run", 0, 0, 0, 0, 0.0, 0.0)
    assert live_line(begun) == "run: 0 of 0 operations, no bugs, no requests (0/s), 0 s left"


@pytest.mark.parametrize("text", [*HOSTILE, "\x1b]0;owned\x07\x1b[2J", "[red]markup[/red] [link=x]"])
def test_hostile_text_moves_nothing(text: str) -> None:
    picture = shown(final_picture(hostile_campaign(text)), 80)
    progress = replace(PROGRESS, label=text, current=text, flow=text)
    for output in (picture, shown(live_view(progress), 80), live_line(progress)):
        assert "\x1b" not in output
        assert "\x07" not in output
    if text.startswith("[red]"):
        assert "[red]markup[/red]" in picture


def test_what_holds_it_up_is_said_instead_of_the_flow() -> None:
    held = replace(PROGRESS, note="the service does not answer")
    assert shown(live_view(held), 80).splitlines()[1].strip() == "the service does not answer"
    assert live_line(held).endswith("43 s left; the service does not answer")


def test_why_something_is_played_in_words() -> None:
    assert kind_words("mutate") == "mutated flow"
    assert kind_words("something new") == "something new"
