"""Is the service away, or does one operation fail by itself? Asked, not guessed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.unit.app.test_campaign import Line, Ticking, quick
from tests.unit.fuzz.script import answer

from lobrest.app.outage import OutageRecord, ServiceDownError, Suspect, Watch, met_it, sign_of
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId

ROOT = Request(OperationId("GET /"), "GET", "/")
GOOD = Request(OperationId("GET /things"), "GET", "/things")
BAD = Request(OperationId("POST /things"), "POST", "/things")


def watch_of(service: Callable[[Request], Response | Failure]) -> tuple[Watch, Line]:
    line = Line(service)
    return Watch(line, Ticking(0.001), ROOT), line


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [
        (Failure.CONNECT, "connect"),
        (Failure.CLOSED, "closed"),
        (Failure.TIMEOUT, "timeout"),
        (Failure.PROTOCOL, None),
        (answer(502), "502"),
        (answer(503), "503"),
        (answer(504), "504"),
        (answer(500), None),
        (answer(404), None),
    ],
)
def test_what_speaks_for_a_service_that_is_away(outcome: Response | Failure, sign: str | None):
    assert sign_of(outcome) == sign
    response, failure = (None, outcome) if isinstance(outcome, Failure) else (outcome, None)
    assert met_it(Exchange(GOOD, response, failure)) == (sign is not None)


@pytest.mark.parametrize("outcome", [Failure.CLOSED, Failure.TIMEOUT, answer(503)])
def test_one_operation_that_fails_is_no_outage_and_is_asked_about_once(outcome: Response | Failure):
    watch, line = watch_of(lambda request: outcome if request is BAD else answer(200))

    async def run() -> None:
        await watch.send(GOOD, play=0)
        for _ in range(5):
            assert await watch.send(BAD, play=1) == outcome

    asyncio.run(run())
    assert not watch.down
    assert watch.outages == []
    assert watch.asked == 1
    assert line.sent.count(GOOD) == 2


def test_a_proxy_that_answers_for_its_root_hides_nothing():
    """What worked a moment ago is asked for, not the page that the proxy has itself."""
    away = False

    def service(request: Request) -> Response | Failure:
        if request is ROOT:
            return answer(200)
        return answer(502) if away else answer(200)

    watch, _ = watch_of(service)

    async def run() -> None:
        nonlocal away
        await watch.send(GOOD, play=0)
        away = True
        with pytest.raises(ServiceDownError) as error:
            await watch.send(BAD, play=1)
        assert error.value.outcome == answer(502)
        with pytest.raises(ServiceDownError):
            await watch.send(GOOD, play=2)

    asyncio.run(run())
    assert watch.down
    (record,) = watch.outages
    assert (record.sign, [one.play for one in record.suspects]) == ("502", [1])


def test_suspects_are_what_was_under_way_and_not_what_came_later():
    gone = asyncio.Event()

    class Slow(Line):
        async def send(self, request: Request) -> Response | Failure:
            self.sent.append(request)
            if request.target == "/slow":
                await gone.wait()
                return Failure.CLOSED
            return self.service(request)

    line = Slow(lambda request: Failure.CONNECT if gone.is_set() else answer(200))
    watch = Watch(line, Ticking(0.001), ROOT)

    async def play(number: int, target: str) -> object:
        return await watch.send(Request(OperationId(f"GET {target}"), "GET", target), play=number)

    async def run() -> list:
        tasks = [asyncio.create_task(play(number, "/slow")) for number in (1, 2)]
        await asyncio.sleep(0)
        gone.set()
        tasks.append(asyncio.create_task(play(3, "/late")))
        return await asyncio.gather(*tasks, return_exceptions=True)

    ends = asyncio.run(run())
    assert all(isinstance(end, ServiceDownError) for end in ends)
    assert len(watch.outages) == 1
    assert {one.play for one in watch.outages[0].suspects} <= {1, 2}
    assert watch.outages[0].suspects


def test_waiting_grows_and_ends(monkeypatch):
    clock = Ticking(0.0)
    quick(monkeypatch, clock)
    line = Line(lambda request: Failure.CONNECT if clock.time < 100 else answer(404))
    watch = Watch(line, clock, ROOT)

    async def run() -> tuple[bool, bool]:
        assert not await watch.well()
        early = await watch.back(lambda: False, most_seconds=30)
        return early, await watch.back(lambda: False, most_seconds=600)

    assert asyncio.run(run()) == (False, True)
    assert not watch.down
    assert watch.outages[0].ended_s == pytest.approx(100, abs=11)
    assert len(line.sent) < 25


def test_many_operations_that_fail_at_once_are_asked_about_again():
    away = False

    def service(request: Request) -> Response | Failure:
        bad = away or request.method == "POST"
        return Failure.CLOSED if bad else answer(200)

    watch, _ = watch_of(service)
    posts = [Request(OperationId(f"POST /{name}"), "POST", f"/{name}") for name in "abcde"]

    async def run() -> None:
        nonlocal away
        await watch.send(GOOD, play=0)
        for request in posts:
            assert await watch.send(request, play=1) is Failure.CLOSED
        away = True
        with pytest.raises(ServiceDownError):
            for request in posts * 100:
                await watch.send(request, play=2)

    asyncio.run(run())
    assert watch.down


def test_an_outage_in_words():
    record = OutageRecord(
        1.234, "502", tuple(Suspect(1, OperationId(f"GET /{name}"), 0.0) for name in "abcda")
    )
    assert record.words() == "502, during GET /a, GET /b, GET /c and 1 more"
    assert OutageRecord(1.0, "connect").words() == "connect"
    assert record.summary == {
        "began_s": 1.23,
        "ended_s": None,
        "sign": "502",
        "suspects": ["GET /a", "GET /b", "GET /c", "GET /d"],
        "cause": "",
    }
