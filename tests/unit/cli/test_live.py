"""A running campaign in plain lines, where nobody watches a terminal."""

from __future__ import annotations

import time

import pytest
from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import engine_of

from lobrest.app.campaign import Budget
from lobrest.app.session import Order
from lobrest.cli.live import LiveView
from lobrest.cli.talk import Talk
from lobrest.model.bug import Bug, BugKey
from lobrest.model.event import BugFound, ExchangeDone, Outage
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
    assert "bug 1: 500 GET /x" in told.err
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
    assert "0/5 operations" in lines[0]
    assert "requests" in lines[0]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]):
    with LiveView(Talk(quiet=True), ORDER, 5, "testing") as view:
        view.told([BugFound(1.0, BUG)])
    assert capsys.readouterr().err == ""
