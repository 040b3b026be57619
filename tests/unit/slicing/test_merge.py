"""Merging the slices of both strategies."""

from __future__ import annotations

import numpy as np
import pytest

from lobrest.model.slice import Profile, Strategy
from lobrest.slicing.columns import STRATEGY_BITS, SliceColumns
from lobrest.slicing.merge import merge


def columns(strategy: Strategy, *slices: list[int]) -> SliceColumns:
    return SliceColumns(
        offsets=np.cumsum([0, *map(len, slices)]),
        members=np.array([member for members in slices for member in members], np.int32),
        strategy_bits=np.full(len(slices), STRATEGY_BITS[strategy], np.uint8),
        cut=1,
    )


MLTS = columns(Strategy.MLTS, [0, 2, 4], [1], [3, 5])
STWS = columns(Strategy.STWS, [0, 2], [1], [3, 5, 6], [4])


def named(slices: SliceColumns) -> list[tuple[list[int], str]]:
    return [(m.tolist(), "+".join(slices.strategies(index))) for index, m in enumerate(slices)]


def test_the_paper_keeps_all_but_equal_slices():
    assert named(merge(MLTS, STWS, entries=7, profile=Profile.PAPER)) == [
        ([0, 2, 4], "mlts"),
        ([0, 2], "stws"),
        ([1], "mlts+stws"),
        ([3, 5, 6], "stws"),
        ([3, 5], "mlts"),
        ([4], "stws"),
    ]


def test_the_default_keeps_what_is_part_of_nothing_else():
    assert named(merge(MLTS, STWS, entries=7, profile=Profile.DEFAULT)) == [
        ([0, 2, 4], "mlts"),
        ([1], "mlts+stws"),
        ([3, 5, 6], "stws"),
    ]


@pytest.mark.parametrize("profile", list(Profile))
def test_nothing_merged_with_nothing(profile: Profile):
    empty = columns(Strategy.MLTS), columns(Strategy.STWS)
    assert named(merge(*empty, entries=0, profile=profile)) == []


def test_slices_that_were_cut_are_counted_together():
    assert merge(MLTS, STWS, entries=7, profile=Profile.DEFAULT).cut == 2
