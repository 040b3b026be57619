"""One campaign from what a person asked for to a finished work folder, against a service in this process."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.services.serving import Call, operation, serving

from lobrest.app.campaign import Budget
from lobrest.app.cleanup import Tidiness
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.app.work import WorkFolder
from lobrest.errors import CredentialsError, TargetError, UsageError
from lobrest.fuzz.state import Attempt, Depth
from lobrest.model.event import BugFound, CampaignEnded, Cleaning, Event, ExchangeDone
from lobrest.store import Keep, open_store
from lobrest.transport import read_credentials

THING = {"id": {"type": "integer"}, "name": {"type": "string"}}
PATHS = {
    "/me": {"get": operation(answer={"username": {"type": "string"}})},
    "/things": {"post": operation(answer=THING), "get": operation(answer=THING)},
    "/things/{id}": {"get": operation("id", answer=THING), "delete": operation("id")},
    "/logout": {"post": operation()},
}


class Things:
    """A thing that is deleted twice fails."""

    def __init__(self) -> None:
        self.things: dict[str, bool] = {}
        self.seen: list[Call] = []

    def __call__(self, call: Call) -> tuple[int, object]:
        self.seen.append(call)
        match call.method, call.path:
            case "GET", ("me",):
                return (200, {"username": call.user}) if call.user else (401, {"message": "who?"})
            case "POST", ("things",):
                self.things[str(10 + len(self.things))] = True
                return 201, {"id": 9 + len(self.things), "name": "t"}
            case "GET", ("things",):
                return 200, []
            case method, ("things", number) if number in self.things:
                if not self.things[number]:
                    return (500, {"message": "gone"}) if method == "DELETE" else (404, {})
                self.things[number] = method != "DELETE"
                return 200, {"id": int(number)}
        return 404, {"message": "no"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    file = tmp_path_factory.mktemp("spec") / "api.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    return prepare(str(file), [], Reading(), lambda _: None)


def order(url: str, **more: object) -> Order:
    settings = {
        "credentials": read_credentials(["ann:one"], environment={}),
        "budget": Budget(60.0, 300),
        "oracles": frozenset(),  # 5XX alone: what else is found has its own tests
        **more,
    }
    return Order(target=url, **settings)


def test_a_finished_campaign_leaves_a_folder_with_everything(prepared: Prepared, tmp_path: Path):
    folder = WorkFolder.create(tmp_path / "w", stem="x")
    events: list = []
    with serving(Things()) as url:
        outcome = run_session(prepared, order(url), folder, sinks=[events.extend])
    summary = json.loads((folder.path / "summary.json").read_text())
    assert summary["requests"] == outcome.result.requests <= 300
    assert [bug["op"] for bug in summary["bugs"]] == ["DELETE /things/{id}"]
    assert (folder.path / "bugs" / "1" / "repro.py").exists()
    store = open_store(folder.path, create=False, readonly=True)
    try:
        assert [bug.key.operation for bug in store.bugs()] == ["DELETE /things/{id}"]
    finally:
        store.close()
    assert any(isinstance(event, BugFound) for event in events)
    assert isinstance(events[-1], CampaignEnded)
    assert summary["extra"]["held_back"] == {
        "POST /logout": outcome.summary.extra["held_back"]["POST /logout"]
    }


def test_what_is_held_back_is_not_sent(prepared: Prepared):
    things = Things()
    with serving(things) as url:
        run_session(prepared, order(url, exclude=("DELETE",)), None)
    assert {call.method for call in things.seen} == {"GET", "POST"}
    assert ("logout",) not in {call.path for call in things.seen}


def planned(prepared: Prepared, number: int) -> list[tuple]:
    attempts: list[Attempt] = []
    with serving(Things()) as url:
        run_session(
            prepared, order(url, random_seed=number, concurrency=1), None, planned=attempts.append, sinks=[]
        )
    return [(one.kind, one.mutators, one.plan.seed.id, one.plan.actors, one.plan.token) for one in attempts]


def test_the_same_number_plans_the_same(prepared: Prepared):
    first, again, other = (planned(prepared, number) for number in (1, 1, 2))
    length = min(len(first), len(again), 40)
    assert length >= 20
    assert first[:length] == again[:length]
    assert first[:length] != other[:length]


def test_nobody_answers(prepared: Prepared):
    with serving(Things()) as url:
        pass
    with pytest.raises(TargetError):
        run_session(prepared, order(url), None)


def test_nobody_is_let_in(prepared: Prepared):
    def stranger(call: Call) -> tuple[int, object]:
        return 401, {"message": "who?"}

    with serving(stranger) as url, pytest.raises(CredentialsError):
        run_session(prepared, order(url), None)


def test_nothing_may_be_sent(prepared: Prepared):
    with serving(Things()) as url, pytest.raises(UsageError, match="no operation is left"):
        run_session(prepared, order(url, include=("nothing",)), None)


@pytest.mark.parametrize("keep", list(Keep))
def test_bugs_are_kept_however_little_is_kept(prepared: Prepared, tmp_path: Path, keep: Keep):
    folder = WorkFolder.create(tmp_path / "w", stem="x")
    with serving(Things()) as url:
        outcome = run_session(prepared, order(url, keep=keep), folder)
    store = open_store(folder.path, create=False, readonly=True)
    try:
        assert len(store.bugs()) == len(outcome.summary.bugs) == 1
    finally:
        store.close()


def test_the_stages_of_the_ablation_are_handed_on(prepared: Prepared):
    run: Callable = run_session
    with serving(Things()) as url:
        outcome = run(prepared, order(url, depth=Depth.ENHANCED), None)
    assert outcome.result.reason == "nothing left to play"
    assert outcome.summary.requests < 30


@pytest.mark.parametrize("times", [1, 2])
def test_the_first_ctrl_c_ends_it_and_the_second_the_cleaning_up_as_well(prepared: Prepared, times: int):
    things = Things()
    sent: list[type] = []

    def sink(events: Sequence[Event]) -> None:
        for event in events:
            first = isinstance(event, ExchangeDone) and len(things.things) > 10 and not sent
            if first or (isinstance(event, Cleaning) and len(sent) < times):
                sent.append(type(event))
                os.kill(os.getpid(), signal.SIGINT)

    with serving(things) as url:
        wanted = order(url, tidiness=Tidiness(60.0), concurrency=1, budget=Budget(60.0))
        outcome = run_session(prepared, wanted, None, sinks=[sink])
    assert outcome.result.stopped
    assert sent == [ExchangeDone, Cleaning][:times]
    assert outcome.cleaned is not None
    assert (outcome.cleaned.left == 0) is (times == 1)
    assert any(things.things.values()) is (times == 2)
