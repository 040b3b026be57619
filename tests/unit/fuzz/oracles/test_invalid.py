"""Forbidden requests that are taken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import World
from tests.unit.fuzz.oracles.little import judged
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.edit import with_step
from lobrest.fuzz.oracles.invalid import InvalidOracle, Leniency
from lobrest.fuzz.oracles.validators import Validators
from lobrest.model.bug import BugKind

POST = "POST /things"


def world():
    made = World()
    made.operation(
        POST,
        body={"name": {"type": "string", "minLength": 1}, "size": {"type": "integer"}},
        query={"mode": {"type": "string"}},
        required=("name", "mode"),
    )
    return made


def told(made, *, body, query=None, raw=None, broken=True, status=201, leniency=None):
    seed = made.complete(made.entry(POST, 1, body=body, query={"mode": "a"} if query is None else query))
    step = replace(seed.steps[0], broken=broken, raw_body=raw)
    plan = plan_of(made, with_step(seed, 0, step, "test"))
    performance, _ = play(player_of(made), plan, lambda request: answer(status, {"id": 1}))
    oracle = InvalidOracle(made.spec, Validators(made.spec), leniency or Leniency())
    found = judged(oracle, performance, first_play=not broken)
    return [(one.key.kind, one.key.fingerprint) for one in found]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ({"body": {"size": 1}}, "'name' is missing"),
        ({"body": {"name": "n", "size": "x"}}, "'size' is wrong by 'type'"),
        ({"body": {"name": ""}}, "'name' is wrong by 'minLength'"),
        ({"body": {"name": "n"}, "query": {}}, "query 'mode' is missing"),
        ({"body": {"name": "n"}, "raw": b"{"}, "the body is no JSON"),
        ({"body": {"name": "n"}, "raw": b"[]"}, "'the body' is wrong by 'type'"),
    ],
)
def test_what_is_wrong_is_told(request_, wanted):
    assert told(world(), **request_) == [(BugKind.INVALID_ACCEPTED, wanted)]


@pytest.mark.parametrize(
    "request_",
    [
        {"body": {"name": "n"}},
        {"body": {"name": "n", "size": None}},
        {"body": {"name": "n", "more": 1}},
        {"body": {"size": 1}, "status": 400},
        {"body": {"size": 1}, "status": 500},
    ],
)
def test_right_requests_and_refusals_are_nothing(request_):
    assert told(world(), **request_) == []


def test_what_is_taken_every_day_is_no_news():
    made, leniency = world(), Leniency()
    assert told(made, body={"size": 1}, broken=False, leniency=leniency) == []
    assert told(made, body={"size": 1}, leniency=leniency) == []
    assert told(made, body={"name": "n", "size": "x"}, leniency=leniency) != []
