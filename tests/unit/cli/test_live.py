"""A running campaign in plain lines, where nobody watches a terminal."""

from __future__ import annotations

import io
import time
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import engine_of

from lobrest.app.campaign import Budget
from lobrest.app.session import Order
from lobrest.cli.live import LiveView
from lobrest.cli.talk import Talk
from lobrest.model.bug import Bug, BugKey, Severity
from lobrest.model.event import BugFound, Cleaning, ExchangeDone, Outage, Paused, Played
from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.transport import read_credentials

ORDER = Order("http://h", read_credentials([], environment={}), Budget(60.0))
DONE = Exchange(Request(OperationId("GET /x"), "GET", "/x"), Response(500))
BUG = Bug(1, BugKey(OperationId("GET /x"), 500, "boom"), "boom [red]", 1.0, (DONE,), SeedId("s"))


def test_bugs_and_outages_are_told_at_once(capsys: pytest.CaptureFixture[str]):
    with LiveView(Talk(), ORDER, 5, "testing") as view:
        view.begun(engine_of(forge()))
        view.told([ExchangeDone(1.0, SeedId("s"), 0, DONE), BugFound(1.0, BUG)])
        view.told([Outage(2.0, True, "after GET /x"), Outage(3.0, False, "answers again")])
    told = capsys.readouterr()
    assert told.out == ""
    assert "bug 1: 500 GET /x after 1 step: boom" in told.err
    assert "boom [red]" in told.err
    assert "does not answer" in told.err
    assert "answers again" in told.err


def test_now_and_then_a_plain_line_tells_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with LiveView(Talk(), ORDER, 5, "testing") as view:
        view.begun(engine_of(forge()))
        for _ in range(30):
            now[0] += 1.0
            view.told([ExchangeDone(1.0, SeedId("s"), 0, DONE)])
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 6
    assert "0 of 5 operations, no bugs, 10 requests (1/s), 50 s left" in lines[0]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]):
    with LiveView(Talk(quiet=True), ORDER, 5, "testing") as view:
        view.told([BugFound(1.0, BUG)])
    assert capsys.readouterr().err == ""


def test_lines_come_slower_in_a_long_campaign(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with LiveView(Talk(), replace(ORDER, budget=Budget(7200.0)), 5, "testing") as view:
        view.begun(engine_of(forge()))
        for _ in range(3600):
            now[0] += 1.0
            view.told([ExchangeDone(now[0], SeedId("s"), 0, DONE)])
    lines = capsys.readouterr().err.splitlines()
    assert 5 + 18 + 50 - 3 <= len(lines) <= 5 + 18 + 50 + 3


def test_a_pause_is_told_and_costs_no_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with LiveView(Talk(), ORDER, 5, "testing") as view:
        view.begun(engine_of(forge()))
        now[0] = 5.0
        view.told([Paused(5.0, True)])
        now[0] = 30.0
        view.told([Paused(5.0, False), ExchangeDone(5.0, SeedId("s"), 0, DONE)])
        now[0] = 40.0
        view.told([Cleaning(3, 4)])
    told = capsys.readouterr().err
    assert "  paused\n" in told
    assert "  goes on\n" in told
    assert told.splitlines()[-1].endswith("45 s left; cleaning up: 3 things deleted, 4 left")


def test_on_a_terminal_two_lines_change_and_bugs_stand_above(monkeypatch: pytest.MonkeyPatch):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=90, no_color=True)
    monkeypatch.setattr(Talk, "side", property(lambda self: console))
    note = replace(BUG, number=2, severity=Severity.INFO)
    with LiveView(Talk(), ORDER, 5, "testing") as view:
        view.begun(engine_of(forge()))
        view.told([Played(1.0, 0, SeedId("s"), "mutate"), ExchangeDone(1.0, SeedId("s"), 0, DONE)])
        view.told([BugFound(1.0, BUG), BugFound(1.0, note), Outage(2.0, True, "after GET /x")])
        view._live.refresh()
    shown = screen.getvalue()
    assert "  bug 1: 500 GET /x after 1 step" in shown
    assert "  note 2: 500 GET /x after 1 step" in shown
    assert "1 bug" in shown
    assert "the service does not answer (after GET /x)" in shown
    assert "0/5" in shown
