"""Columns: gathering queues from a table, choosing slices."""

from __future__ import annotations

import numpy as np
import pytest

from lobrest.model.slice import Strategy
from lobrest.slicing.columns import SliceColumns, gather_queues, take_rows


def test_gathering_sorts_by_user_then_time_and_keeps_ties_in_order():
    queues = gather_queues(
        np.array([5.0, 1.0, 1.0, 3.0]),
        np.array([7, 2, 7, 2]),
        np.array([0, 1, 1, 3, 4]),
        np.array([10, 11, 12, 13]),
    )
    assert queues.rows.tolist() == [1, 3, 2, 0]
    assert queues.times.tolist() == [1.0, 3.0, 1.0, 5.0]
    assert queues.queue_offsets.tolist() == [0, 2, 4]
    assert queues.instance_offsets.tolist() == [0, 0, 1, 3, 4]
    assert queues.instance_ids.tolist() == [13, 11, 12, 10]
    assert queues.instance_count == 14
    assert queues.queues_of(np.array([0, 1, 2, 3])).tolist() == [0, 0, 1, 1]


def test_an_empty_table_has_no_queue():
    queues = gather_queues(np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32))
    assert (len(queues), queues.queue_count, queues.instance_count, queues.size) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("times", "users", "offsets", "ids"),
    [
        ([1.0], [0, 1], [0, 0], []),
        ([1.0], [0], [0], []),
        ([1.0], [0], [0, 2], [5]),
        ([float("nan")], [0], [0, 0], []),
    ],
)
def test_columns_that_do_not_fit_are_refused(times, users, offsets, ids):
    with pytest.raises(ValueError, match=r"columns|offsets|time"):
        gather_queues(np.array(times), np.array(users), np.array(offsets), np.array(ids, np.int32))


def test_rows_of_a_compressed_table_may_repeat_and_be_empty():
    places, offsets = take_rows(np.array([0, 2, 2, 5]), np.array([2, 1, 0, 0]))
    assert places.tolist() == [2, 3, 4, 0, 1, 0, 1]
    assert offsets.tolist() == [0, 3, 3, 5, 7]


def test_slices_are_iterated_chosen_and_named_by_strategy():
    slices = SliceColumns(
        offsets=np.array([0, 2, 3, 6]),
        members=np.array([0, 1, 2, 3, 5, 6], np.int32),
        strategy_bits=np.array([1, 2, 3], np.uint8),
        cut=4,
    )
    assert [members.tolist() for members in slices] == [[0, 1], [2], [3, 5, 6]]
    assert slices.starts.tolist() == [0, 2, 3]
    assert slices.lasts.tolist() == [1, 2, 6]
    assert slices.lengths.tolist() == [2, 1, 3]
    assert [slices.strategies(index) for index in range(3)] == [
        (Strategy.MLTS,),
        (Strategy.STWS,),
        (Strategy.MLTS, Strategy.STWS),
    ]
    chosen = slices.chosen([2, 0])
    assert [members.tolist() for members in chosen] == [[3, 5, 6], [0, 1]]
    assert chosen.strategies(0) == (Strategy.MLTS, Strategy.STWS)
    assert chosen.cut == 4
