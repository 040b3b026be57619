"""Line coverage beside a campaign: asked now and then, never in the way."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.services.serving import Call, operation, serving
from tests.unit.app.test_campaign import Ticking
from tests.unit.fuzz.test_line_coverage import engine

from lobrest.app.campaign import Budget
from lobrest.app.coverage import CoverageWatch
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.errors import ProbeError
from lobrest.transport import Credentials


class Probe:
    """Says what it is told to say, or fails."""

    def __init__(self, *answers: dict | None) -> None:
        self.answers = list(answers)
        self.closed = False

    async def lines(self) -> dict:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise ProbeError("is gone")
        return answer

    async def close(self) -> None:
        self.closed = True


def test_what_ran_before_the_first_request_earns_nothing():
    one = engine()
    probe = Probe({"a": 0b11}, {"a": 0b1111})
    watch = CoverageWatch(probe, one.state, Ticking(0.5), every_seconds=1000)

    async def run() -> None:
        await watch.begin()
        watch.observed(one.next())
        await watch.end()

    asyncio.run(run())
    assert probe.closed
    assert watch.summary["lines"] == 4
    assert watch.summary["before"] == 2
    assert sum(item.gain for item in one.state.pool.items) == 1.0
    assert "4 lines have run, 2 of them" in watch.words()


def test_a_probe_that_fails_is_asked_again_and_told_of_once():
    one = engine()
    said: list[str] = []
    watch = CoverageWatch(Probe({"a": 1}, None, None, {"a": 7}), one.state, Ticking(), say=said.append)

    async def run() -> None:
        await watch.begin()
        watch.observed(one.next())
        for _ in range(3):
            await watch.ask()
        await watch.end()

    asyncio.run(run())
    assert len(said) == 1
    assert watch.summary["failures"] == 2
    assert sum(item.gain for item in one.state.pool.items) == 1.0, (
        "what was played meanwhile is not forgotten"
    )


def test_a_probe_that_is_wrong_from_the_start_is_an_error():
    watch = CoverageWatch(Probe(None), engine().state, Ticking())
    with pytest.raises(ProbeError):
        asyncio.run(watch.begin())


def test_it_goes_on_by_itself_and_gives_up_in_the_end():
    said: list[str] = []
    watch = CoverageWatch(
        Probe({"a": 1}, None), engine().state, Ticking(), say=said.append, every_seconds=0.001
    )

    async def run() -> None:
        await watch.begin()
        await asyncio.sleep(0.3)
        await watch.end()

    asyncio.run(run())
    assert said[-1] == "line coverage: given up"
    assert watch.summary["failures"] == 13


def test_a_campaign_with_it(tmp_path: Path):
    """Lines of a service that is here: a file stands for what it has run."""
    ran = tmp_path / "ran.json"
    ran.write_text("{}")
    lines: set[int] = set()

    def service(call: Call) -> tuple[int, object]:
        lines.add(len(call.path) * 10 + len(call.query))
        ran.write_text(json.dumps({"service": sorted(lines)}))
        return 200, {"id": 1}

    spec = tmp_path / "api.json"
    paths = {"/things": {"get": operation(query=("q", "r"))}, "/things/{id}": {"get": operation("id")}}
    spec.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}))
    prepared = prepare(str(spec), [], Reading(), lambda _: None)
    program = f"print(open({str(ran)!r}).read())"
    with serving(service) as url:
        order = Order(
            target=url,
            credentials=Credentials(),
            budget=Budget(30.0, 100),
            coverage=f'command:{shlex.quote(sys.executable)} -c "{program}"',
        )
        outcome = run_session(prepared, order, None)
    told = outcome.summary.extra["coverage"]
    assert told["lines"] == len(lines) > 1
    assert told["timeline"]
