"""lobrest's slicing against the literal references, and the laws of slicing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.strategies import Queue, columns_of, deltas, logs, queues
from tests.reference import default, paper
from tests.reference.paper import Indices, Request

from lobrest.model.slice import Profile, Strategy
from lobrest.slicing.columns import SliceColumns, gather_queues
from lobrest.slicing.hubs import without_hubs
from lobrest.slicing.locality import slice_queues
from lobrest.slicing.merge import merge
from lobrest.slicing.mine import mine_slices

REFERENCES: dict[tuple[Profile, Strategy], Callable[[Queue, float], list[Indices]]] = {
    (Profile.PAPER, Strategy.MLTS): paper.mlts,
    (Profile.PAPER, Strategy.STWS): paper.stws,
    (Profile.DEFAULT, Strategy.MLTS): default.mlts,
    (Profile.DEFAULT, Strategy.STWS): default.stws,
}

every_kind = pytest.mark.parametrize(
    ("profile", "strategy"), [pytest.param(*kind, id="-".join(kind)) for kind in REFERENCES]
)


def expected(log: Sequence[Queue], delta: float, profile: Profile, strategy: Strategy) -> list[Indices]:
    """The reference over each user's queue, as positions in the whole log."""
    slices, begin = [], 0
    for queue in log:
        slices += [tuple(begin + i for i in found) for found in REFERENCES[profile, strategy](queue, delta)]
        begin += len(queue)
    return slices


def as_tuples(slices: SliceColumns) -> list[Indices]:
    return [tuple(members.tolist()) for members in slices]


def request(time: float, *instances: int) -> Request:
    return Request(time, frozenset(instances))


@every_kind
@given(log=logs(), delta=deltas)
@example(log=[], delta=1.0)
@example(log=[[request(0, 1), request(0, 2), request(0, 2)]], delta=1.0)
@example(log=[[request(i, 1) for i in range(5)]], delta=1.0)  # pauses of exactly Δ
@example(log=[[request(0.1 * i, 1) for i in range(9)]], delta=0.1)  # … that are not exact in binary
@example(log=[[request(5, i % 2) for i in range(9)]], delta=0.0)  # all at one moment
@example(log=[[request(i) for i in range(5)]], delta=9.0)  # no instances at all
@example(log=[[request(0, 1)] for _ in range(40)], delta=9.0)  # many users with one entry
def test_equals_the_reference(log: list[list[Request]], delta: float, profile: Profile, strategy: Strategy):
    """Entry for entry and in the same order, whatever the log."""
    found = slice_queues(columns_of(log), strategy, delta_seconds=delta, profile=profile, use_compiler=False)
    assert as_tuples(found) == expected(log, delta, profile, strategy)


@every_kind
@given(log=logs(users=2), delta=deltas)
def test_compiled_equals_plain(log: list[list[Request]], delta: float, profile: Profile, strategy: Strategy):
    """The compiled loop is the same loop."""
    columns = columns_of(log)
    plain, fast = (
        slice_queues(columns, strategy, delta_seconds=delta, profile=profile, use_compiler=compiled)
        for compiled in (False, True)
    )
    assert as_tuples(plain) == as_tuples(fast)


@every_kind
@pytest.mark.parametrize("seed", range(2))
def test_equals_the_reference_on_long_queues(seed: int, profile: Profile, strategy: Strategy):
    """More entries than one word of the kernel's set has bits, and than the output has room at first."""
    chance = np.random.default_rng(seed)
    log = [
        [
            request(float(at), *chance.integers(0, 60, chance.integers(0, 4)).tolist())
            for at in np.cumsum(chance.choice([0.0, 0.5, 1.0, 4.0], size))
        ]
        for size in (200, 1, 400)
    ]
    for delta in (1.0, 6.0):
        for compiled in (False, True):
            found = slice_queues(
                columns_of(log), strategy, delta_seconds=delta, profile=profile, use_compiler=compiled
            )
            assert as_tuples(found) == expected(log, delta, profile, strategy)


@every_kind
@given(log=logs(), delta=deltas)
def test_every_entry_is_in_some_slice(
    log: list[list[Request]], delta: float, profile: Profile, strategy: Strategy
):
    columns = columns_of(log)
    found = slice_queues(columns, strategy, delta_seconds=delta, profile=profile)
    assert set(found.members.tolist()) == set(range(len(columns)))


@every_kind
@given(log=logs(), delta=deltas)
def test_laws_of_a_slice(log: list[list[Request]], delta: float, profile: Profile, strategy: Strategy):
    """Of one user, in time order, within its limit, each entry sharing an instance with the ones before."""
    columns = columns_of(log)
    entries = [entry for queue in log for entry in queue]
    for members in as_tuples(slice_queues(columns, strategy, delta_seconds=delta, profile=profile)):
        assert len(set(columns.queues_of(np.array(members)).tolist())) == 1
        assert all(earlier < later for earlier, later in pairwise(members))
        times = [entries[member].time for member in members]
        assert times == sorted(times)
        if strategy is Strategy.MLTS:
            assert all(later - earlier <= delta for earlier, later in pairwise(times))
        else:
            assert times[-1] - times[0] <= delta
        before = set(entries[members[0]].instances)
        for member in members[1:]:
            assert before & entries[member].instances
            before |= entries[member].instances


@every_kind
@given(log=logs(users=3, longest=10), delta=deltas)
def test_users_do_not_see_each_other(
    log: list[list[Request]], delta: float, profile: Profile, strategy: Strategy
):
    """A user's slices are the same alone and among others."""
    together = as_tuples(slice_queues(columns_of(log), strategy, delta_seconds=delta, profile=profile))
    alone, begin = [], 0
    for queue in log:
        slices = slice_queues(columns_of([queue]), strategy, delta_seconds=delta, profile=profile)
        alone += [tuple(begin + i for i in members) for members in as_tuples(slices)]
        begin += len(queue)
    assert together == alone


@given(log=logs(), mlt=deltas, stw=deltas)
def test_merging_the_papers_slices_is_a_union(log: list[list[Request]], mlt: float, stw: float):
    """Every slice of either strategy once, with all the strategies that found it."""
    columns = columns_of(log)
    found = {
        Strategy.MLTS: slice_queues(columns, Strategy.MLTS, delta_seconds=mlt, profile=Profile.PAPER),
        Strategy.STWS: slice_queues(columns, Strategy.STWS, delta_seconds=stw, profile=Profile.PAPER),
    }
    merged = merge(*found.values(), entries=len(columns), profile=Profile.PAPER)
    wanted = {
        members: tuple(strategy for strategy in Strategy if members in as_tuples(found[strategy]))
        for slices in found.values()
        for members in as_tuples(slices)
    }
    assert len(merged) == len(wanted)
    assert {m: merged.strategies(index) for index, m in enumerate(as_tuples(merged))} == wanted


@given(log=logs(), mlt=deltas, stw=deltas)
def test_merging_drops_every_subsequence(log: list[list[Request]], mlt: float, stw: float):
    """In the default profile what is left are the maximal slices of both, by their first entry."""
    columns = columns_of(log)
    mlts = slice_queues(columns, Strategy.MLTS, delta_seconds=mlt)
    stws = slice_queues(columns, Strategy.STWS, delta_seconds=stw)
    merged = merge(mlts, stws, entries=len(columns), profile=Profile.DEFAULT)
    assert as_tuples(merged) == sorted(default.maximal(as_tuples(mlts) + as_tuples(stws)), key=lambda m: m[0])
    for index, members in enumerate(as_tuples(merged)):
        assert merged.strategies(index) == tuple(
            strategy
            for strategy, slices in ((Strategy.MLTS, mlts), (Strategy.STWS, stws))
            if members in as_tuples(slices)
        )


@st.composite
def habits(draw: st.DrawFn) -> list[Request]:
    """A queue in which a few instances are nearly everywhere."""
    contexts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    queue = draw(queues(longest=40, instances=12, largest_set=3))
    return [
        Request(entry.time, entry.instances | {contexts[position % len(contexts)]})
        if draw(st.integers(0, 9))
        else entry
        for position, entry in enumerate(queue)
    ]


@pytest.mark.parametrize("use_compiler", [False, True])
@given(log=st.lists(habits().filter(bool), max_size=3), acting=st.frozensets(st.integers(0, 5)))
def test_hubs_equal_the_reference(log: list[list[Request]], acting: frozenset[int], use_compiler: bool):
    """Place for place, each user judged alone."""
    columns = columns_of(log)
    flags = np.array([instance in acting for instance in range(12)])
    counted = without_hubs(columns, flags, use_compiler=use_compiler)
    wanted = [entry.instances for queue in log for entry in default.without_hubs(queue, acting)]
    for entry, instances in enumerate(wanted):
        begin, end = counted.instance_offsets[entry : entry + 2]
        assert {i for i in counted.instance_ids[begin:end].tolist() if i >= 0} == instances


@pytest.mark.parametrize("profile", list(Profile))
@given(log=logs(), mlt=deltas, stw=deltas)
def test_the_whole_stage(log: list[list[Request]], mlt: float, stw: float, profile: Profile):
    """Hubs, both strategies and merging together lose no entry and equal the references put together."""
    mined = mine_slices(columns_of(log), profile=profile, mlts_seconds=mlt, stws_seconds=stw)
    counted = log if profile is Profile.PAPER else [default.without_hubs(queue) for queue in log]
    both = [
        *expected(counted, mlt, profile, Strategy.MLTS),
        *expected(counted, stw, profile, Strategy.STWS),
    ]
    wanted = both if profile is Profile.PAPER else default.maximal(both)
    assert sorted(as_tuples(mined.slices)) == sorted(set(wanted))


@given(log=logs(users=3), order=st.randoms(use_true_random=False))
def test_gathering_undoes_any_order_of_the_table(log: list[list[Request]], order):
    """Users and times decide; entries of one user at one time keep the order of the table."""
    requests = [(user, entry) for user, queue in enumerate(log) for entry in queue]
    order.shuffle(requests)
    offsets = np.zeros(len(requests) + 1, np.int64)
    np.cumsum([len(entry.instances) for _, entry in requests], out=offsets[1:])
    columns = gather_queues(
        np.array([entry.time for _, entry in requests], np.float64),
        np.array([user for user, _ in requests], np.int32),
        offsets,
        np.array([i for _, entry in requests for i in sorted(entry.instances)], np.int32),
    )
    assert columns.rows.tolist() == sorted(
        range(len(requests)), key=lambda row: (requests[row][0], requests[row][1].time)
    )
    for position, row in enumerate(columns.rows.tolist()):
        begin, end = columns.instance_offsets[position : position + 2]
        assert columns.instance_ids[begin:end].tolist() == sorted(requests[row][1].instances)
    assert columns.queue_count == len({user for user, _ in requests})
