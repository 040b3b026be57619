"""Slower than in the log."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.fuzz.oracles.little import NOTE, answered, judged, told, world

from lobrest.fuzz.oracles.slowness import Durations, SlownessOracle, Usual
from lobrest.model.bug import BugKind
from lobrest.model.operation import OperationId

GET = OperationId(f"GET {NOTE}")
USUAL = Usual(100, 0.05, 0.2)


def plays(times, *, usual=None, durations=None):
    made = world()
    oracle = SlownessOracle({GET: USUAL} if usual is None else usual, durations or Durations())
    found = []
    for seconds in times:
        response = replace(told(200, {"id": 1}), seconds=seconds)
        found += judged(oracle, answered(made, GET, response, path={"id": "1", "note_id": "2"}))
    return found


def test_far_slower_again_and_again():
    assert plays([2.0] * 7) == []
    found = plays([2.0] * 8)
    assert [one.key.kind for one in found] == [BugKind.SLOW]
    assert found[0].settled
    assert found[0].check.slower_than is not None and found[0].check.slower_than < 2.0


def test_a_few_slow_ones_and_short_times_are_nothing():
    assert plays([0.05] * 20 + [5.0] * 5) == []
    assert plays([0.4] * 20) == []


def test_a_log_that_shows_little_says_nothing():
    assert plays([9.0] * 20, usual={GET: Usual(5, 0.05, 0.2)}) == []
    assert plays([9.0] * 20, usual={}) == []


def test_a_place_where_everything_is_slower_is_no_finding():
    names = [OperationId(f"GET /a{number}") for number in range(3)]
    slow = Durations({name: [2.0] * 10 for name in names})
    usual = {GET: USUAL, **dict.fromkeys(names, USUAL)}
    assert plays([2.0] * 10, usual=usual, durations=slow) == []
