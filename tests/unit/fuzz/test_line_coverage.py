"""New lines are shared among what was played while they ran."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import PROJECT, forge
from tests.unit.fuzz.script import engine_of

from lobrest.fuzz.engine import Engine
from lobrest.fuzz.line_coverage import LineCoverage, credit
from lobrest.fuzz.state import Attempt, Kind
from lobrest.model.slice import Slice


def engine() -> Engine:
    world = forge()
    return engine_of(world, [Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))])


def test_only_what_is_new_counts():
    coverage = LineCoverage()
    assert coverage.told({"a": 0b1110, "b": 1}) == 4
    assert coverage.told({"a": 0b1110}) == 0
    assert coverage.told({"a": 0b11000, "c": 0}) == 1
    assert coverage.total == 5
    assert coverage.seen == {"a": 0b11110, "b": 1}


def test_seeds_of_the_pool_gain():
    one = engine()
    first, second = one.next(), one.next()
    before = [item.gain for item in one.state.pool.items]
    credit(one.state, [first, second], 8)
    gained = [item.gain - old for item, old in zip(one.state.pool.items, before, strict=True)]
    assert sum(gained) == pytest.approx(4.0)
    assert gained[first.item] == gained[second.item] == pytest.approx(2.0)


def test_nothing_new_earns_nothing():
    one = engine()
    attempt = one.next()
    credit(one.state, [attempt], 0)
    credit(one.state, [], 10)
    assert all(item.gain == 0 for item in one.state.pool.items)


def test_a_child_that_nobody_kept_is_kept_where_few_were_played():
    one = engine()
    attempt = one.next()
    child = Attempt(attempt.plan, Kind.WALK, mutators=("walk",))
    size = len(one.state.pool.items)
    credit(one.state, [child] * 31, 1000)
    assert len(one.state.pool.items) == size, "among many nobody knows which"
    credit(one.state, [child], 1000)
    assert len(one.state.pool.items) == size + 1
    assert one.state.pool.items[-1].gain == 20.0
    assert one.state.bandit.tallies["walk"].good == 1
    credit(one.state, [child], 10)
    assert len(one.state.pool.items) == size + 1
    assert one.state.pool.items[-1].gain == 25.0
