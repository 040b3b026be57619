"""The whole stage on one log."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.property.strategies import columns_of
from tests.reference.paper import Request

from lobrest.model.slice import Profile
from lobrest.slicing.columns import SliceColumns
from lobrest.slicing.mine import mine_slices

OWNER = 0
LOG = columns_of([[Request(30.0 * at, frozenset({OWNER, 1 + at % 4})) for at in range(12)]])


def entries(slices: SliceColumns) -> list[list[int]]:
    return [members.tolist() for members in slices]


def test_the_default_takes_repositories_apart_that_have_one_owner():
    mined = mine_slices(LOG, mlts_seconds=500, stws_seconds=500)
    assert entries(mined.slices) == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert mined.hub_places == 12


def test_the_paper_counts_the_owner():
    mined = mine_slices(LOG, profile=Profile.PAPER, mlts_seconds=500, stws_seconds=500)
    assert entries(mined.slices) == [list(range(12))]
    assert mined.hub_places == 0


def test_limits_that_are_not_given_come_from_the_log():
    mined = mine_slices(LOG, stws_seconds=1)
    assert (mined.limits.mlts_seconds, mined.limits.stws_seconds) == (45.0, 1)


def test_an_acting_user_does_not_join_what_is_about_something_else():
    log = columns_of([[Request(float(at), frozenset({OWNER, 1 + at % 2})) for at in range(10)]])
    mined = mine_slices(log, acting=np.array([True]), mlts_seconds=5, stws_seconds=5)
    assert entries(mined.slices) == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]
    assert entries(mine_slices(log, mlts_seconds=5, stws_seconds=5).slices)[0] == list(range(10))


@pytest.mark.parametrize("profile", list(Profile))
def test_both_strategies_may_run_in_threads(profile: Profile):
    with ThreadPoolExecutor(2) as pool:
        threaded = mine_slices(LOG, profile=profile, run_both=pool.map)
    alone = mine_slices(LOG, profile=profile)
    assert entries(threaded.slices) == entries(alone.slices)
    assert threaded.slices.strategy_bits.tolist() == alone.slices.strategy_bits.tolist()
