"""The garbage collector during a campaign."""

from __future__ import annotations

import gc

import pytest

from lobrest.app.collector import seldom_collecting


def test_what_was_there_is_left_alone_and_everything_is_as_before_afterwards():
    thresholds = gc.get_threshold()
    with seldom_collecting():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] > thresholds[0]
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, thresholds)


def test_also_after_an_error():
    thresholds = gc.get_threshold()
    with pytest.raises(ValueError, match="wrong"), seldom_collecting():
        raise ValueError("wrong")
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, thresholds)
