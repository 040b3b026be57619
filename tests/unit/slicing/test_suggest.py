"""Time limits from the pace of a log."""

from __future__ import annotations

import numpy as np
import pytest
from tests.property.strategies import columns_of
from tests.reference.paper import Request

from lobrest.model.slice import Profile
from lobrest.slicing.columns import QueueColumns
from lobrest.slicing.suggest import TimeLimits, gap_percentiles, suggest_limits


def log(*gaps_of_users: list[float]) -> QueueColumns:
    return columns_of(
        [[Request(float(at), frozenset()) for at in np.cumsum([0.0, *gaps])] for gaps in gaps_of_users]
    )


def test_a_steady_user_gets_the_pause_and_half_of_it():
    assert suggest_limits(log([30.0] * 20)) == TimeLimits(mlts_seconds=45.0, stws_seconds=270.0)


def test_the_papers_windows_overlap_and_are_shorter():
    assert suggest_limits(log([30.0] * 20), Profile.PAPER) == TimeLimits(
        mlts_seconds=45.0, stws_seconds=110.0
    )


def test_pauses_between_flows_do_not_stretch_the_limit():
    """A third of the pauses are lunch: the upper quartile is an hour, the median is not."""
    assert suggest_limits(log([10.0, 10.0, 3600.0] * 10)).mlts_seconds == 45.0


def test_a_bot_does_not_decide_for_everybody():
    people = [[40.0] * 600 for _ in range(5)]
    assert suggest_limits(log([0.01] * 100_000, *people)).mlts_seconds == 60.0


def test_users_with_few_requests_are_asked_only_if_there_are_no_others():
    assert suggest_limits(log([500.0] * 3, [20.0] * 20)).mlts_seconds == 30.0
    assert suggest_limits(log([50.0] * 3, [50.0])).mlts_seconds == 75.0


@pytest.mark.parametrize("queues", [log(), log([]), log([], [])])
def test_a_log_without_pauses_gets_the_usual(queues: QueueColumns):
    assert suggest_limits(queues) == TimeLimits(mlts_seconds=60.0, stws_seconds=360.0)
    assert gap_percentiles(queues).tolist() == []


@pytest.mark.parametrize(("gap", "limit"), [(0.0, 2.0), (1e7, 3600.0)])
def test_limits_stay_within_reason(gap: float, limit: float):
    assert suggest_limits(log([gap] * 20)).mlts_seconds == limit


@pytest.mark.parametrize("pace", [0.2, 5.0])
def test_a_log_at_another_pace_gets_limits_at_that_pace(pace: float):
    gaps = [20.0, 35.0, 15.0, 400.0, 25.0] * 5
    usual, other = suggest_limits(log(gaps)), suggest_limits(log([gap * pace for gap in gaps]))
    assert other.mlts_seconds == pytest.approx(usual.mlts_seconds * pace, rel=0.06)
    assert other.stws_seconds == pytest.approx(usual.stws_seconds * pace, rel=0.06)


def test_many_users_are_sampled_evenly():
    users = [[10.0] * 10] * 3000 + [[100.0] * 10] * 6001
    assert suggest_limits(log(*users)).mlts_seconds == 150.0


def test_percentiles_leave_the_step_from_one_user_to_the_next_out():
    assert gap_percentiles(log([1.0, 1.0], [3.0]), (0, 100)).tolist() == [1.0, 3.0]
