"""MLTS and STWS on small queues that a person can follow; the property tests do the rest."""

from __future__ import annotations

import numpy as np
import pytest
from tests.property.strategies import columns_of
from tests.reference.paper import Request

from lobrest.errors import UsageError
from lobrest.model.slice import Profile, Strategy
from lobrest.slicing.columns import QueueColumns
from lobrest.slicing.locality import slice_queues


def queue(*steps: tuple[float, set[int]]) -> QueueColumns:
    return columns_of([[Request(time, frozenset(instances)) for time, instances in steps]])


def slices(queues: QueueColumns, strategy: Strategy, delta: float, profile: Profile = Profile.DEFAULT):
    return [m.tolist() for m in slice_queues(queues, strategy, delta_seconds=delta, profile=profile)]


def test_interleaved_flows_come_apart():
    """Two flows on different projects, one of which picks up an issue on the way."""
    log = queue((0, {1}), (1, {2}), (2, {1, 11}), (3, {2}), (4, {11}))
    assert slices(log, Strategy.MLTS, 60) == [[0, 2, 4], [1, 3]]


def test_mlts_measures_from_the_entry_before_and_stws_from_the_start():
    log = queue((0, {1}), (8, {1}), (16, {1}))
    assert slices(log, Strategy.MLTS, 10) == [[0, 1, 2]]
    assert slices(log, Strategy.STWS, 10) == [[0, 1], [2]]


def test_a_pause_of_exactly_the_limit_stays_in():
    log = queue((0, {1}), (10, {1}), (20.000001, {1}))
    assert slices(log, Strategy.MLTS, 10) == [[0, 1], [2]]


def test_the_paper_starts_again_at_entries_that_were_queued_before_another_slice_took_them():
    log = queue((0, {1}), (1, {2}), (2, {2}))
    assert slices(log, Strategy.MLTS, 60, Profile.PAPER) == [[0], [1, 2], [2]]
    assert slices(log, Strategy.MLTS, 60, Profile.DEFAULT) == [[0], [1, 2]]


def test_the_papers_output_grows_with_the_square_where_the_default_does_not():
    """The bot of METHOD: 1,600 entries over two projects."""
    log = queue(*((float(at), {at % 2}) for at in range(1600)))
    literal = slice_queues(log, Strategy.MLTS, delta_seconds=60, profile=Profile.PAPER)
    assert (len(literal), len(literal.members)) == (801, 321_200)
    again = slice_queues(log, Strategy.MLTS, delta_seconds=60)
    assert (len(again), len(again.members)) == (2, 1600)


def test_an_entry_without_instances_is_a_slice_of_its_own():
    assert slices(queue((0, {1}), (1, set()), (2, {1})), Strategy.STWS, 60) == [[0, 2], [1]]


def test_an_instance_that_does_not_count_joins_nothing():
    log = queue((0, {1}), (1, {1}))
    hidden = log.with_instances(np.full(2, -1, np.int32))
    assert slices(hidden, Strategy.MLTS, 60) == [[0], [1]]


def test_each_queue_may_have_its_own_limit():
    log = columns_of([[Request(at, frozenset({1})) for at in (0.0, 5.0)]] * 2)
    found = slice_queues(log, Strategy.MLTS, delta_seconds=np.array([1.0, 9.0]))
    assert [members.tolist() for members in found] == [[0], [1], [2, 3]]


@pytest.mark.parametrize("use_compiler", [False, True])
def test_over_the_budget_the_paper_gives_up_with_a_hint(use_compiler: bool):
    log = queue(*((float(at), {at % 2}) for at in range(100)))
    with pytest.raises(UsageError, match=r"more than 500 entries.*default profile"):
        slice_queues(
            log, Strategy.MLTS, delta_seconds=9, profile=Profile.PAPER, budget=500, use_compiler=use_compiler
        )


@pytest.mark.parametrize("use_compiler", [False, True])
def test_over_the_budget_a_default_slice_ends_where_it_meets_another(use_compiler: bool):
    """Each pair reads a thing and adds it to one project: every slice would repeat all later ones."""
    log = queue(*((float(at), {at // 2 + 1} if at % 2 == 0 else {0, at // 2 + 1}) for at in range(200)))
    whole = slice_queues(log, Strategy.MLTS, delta_seconds=9, use_compiler=use_compiler)
    assert (len(whole.members), whole.cut) == (5_150, 0)
    bounded = slice_queues(log, Strategy.MLTS, delta_seconds=9, budget=300, use_compiler=use_compiler)
    assert len(bounded.members) <= 300 + 2 * len(log)
    assert bounded.cut > 90
    assert set(bounded.members.tolist()) == set(range(200))
    assert bounded.starts.tolist() == whole.starts.tolist()


@pytest.mark.parametrize("delta", [-1.0, float("nan")])
def test_a_limit_that_cannot_be_is_refused(delta: float):
    with pytest.raises(UsageError, match="time limit"):
        slices(queue((0, {1})), Strategy.MLTS, delta)


def test_a_queue_out_of_order_is_refused_but_users_need_not_follow_each_other():
    log = columns_of([[Request(9, frozenset({1}))], [Request(0, frozenset({1}))]])
    assert slices(log, Strategy.MLTS, 60) == [[0], [1]]
    disordered = QueueColumns(log.times, np.array([0, 2]), log.instance_offsets, log.instance_ids, log.rows)
    with pytest.raises(ValueError, match="time order"):
        slices(disordered, Strategy.MLTS, 60)


def test_a_small_log_with_a_large_output_gives_the_same_with_the_compiler():
    """3,400 entries of a bot over two projects: the paper's slices have 1.4 million."""
    log = queue(*((float(at), {at % 2}) for at in range(3400)))
    chosen = slice_queues(log, Strategy.MLTS, delta_seconds=9, profile=Profile.PAPER)
    compiled = slice_queues(log, Strategy.MLTS, delta_seconds=9, profile=Profile.PAPER, use_compiler=True)
    assert len(chosen.members) == 1_447_550
    assert np.array_equal(chosen.members, compiled.members)
    assert np.array_equal(chosen.offsets, compiled.offsets)
