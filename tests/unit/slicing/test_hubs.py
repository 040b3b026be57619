"""Which instances are mere context."""

from __future__ import annotations

import numpy as np
from tests.property.strategies import columns_of
from tests.reference.paper import Request

from lobrest.slicing.columns import QueueColumns
from lobrest.slicing.hubs import without_hubs


def queue(*instances: set[int]) -> QueueColumns:
    return columns_of([[Request(float(at), frozenset(involved)) for at, involved in enumerate(instances)]])


def counted(queues: QueueColumns, acting: set[int] = frozenset()) -> list[set[int]]:
    flags = np.array([number in acting for number in range(queues.instance_count)])
    kept = without_hubs(queues, flags)
    bounds = zip(kept.instance_offsets, kept.instance_offsets[1:], strict=False)
    return [{i for i in kept.instance_ids[begin:end].tolist() if i >= 0} for begin, end in bounds]


def test_an_owner_of_everything_does_not_glue():
    """Four repositories of one owner, three requests each: only the repositories tell."""
    log = queue(*({0, 1 + at % 4} for at in range(12)))
    assert counted(log) == [{1 + at % 4} for at in range(12)]


def test_a_context_counts_where_it_is_all_there_is():
    log = queue({0}, *({0, 1 + at % 4} for at in range(12)), {0})
    assert counted(log)[0] == counted(log)[-1] == {0}


def test_the_only_project_of_a_user_stays():
    log = queue(*({0} for _ in range(20)))
    assert counted(log) == [{0}] * 20


def test_a_project_with_one_issue_stays():
    """What is beside it is always the same: together they are the flow."""
    log = queue(*({0, 1} for _ in range(19)), {0})
    assert counted(log) == [{0, 1}] * 19 + [{0}]


def test_a_project_that_is_often_alone_stays():
    log = queue(*({0} if at % 3 == 0 else {0, 1 + at % 5} for at in range(30)))
    assert all(0 in instances for instances in counted(log))


def test_few_requests_show_no_habit():
    log = queue(*({0, 1 + at} for at in range(7)))
    assert all(0 in instances for instances in counted(log))


def test_what_is_rare_for_a_user_is_no_context():
    log = queue(*({0, 10 + at} for at in range(8)), *({1} for _ in range(40)))
    assert all(0 in instances for instances in counted(log)[:8])


def test_the_name_of_the_acting_user_in_most_entries_counts_only_alone():
    """Even beside one or two things, which would not make another instance a context."""
    log = queue(*({0, 1} for _ in range(9)), {0}, {2}, {2})
    assert counted(log, acting={0}) == [{1}] * 9 + [{0}, {2}, {2}]
    assert counted(log) == [{0, 1}] * 9 + [{0}, {2}, {2}]


def test_users_are_judged_alone():
    busy = [Request(float(at), frozenset({0, 1 + at % 4})) for at in range(12)]
    calm = [Request(float(at), frozenset({0, 1})) for at in range(3)]
    assert counted(columns_of([busy, calm]))[12:] == [{0, 1}] * 3


def test_acting_flags_may_cover_fewer_or_more_ids_than_there_are():
    log = queue(*({0, 1} for _ in range(9)))
    assert without_hubs(log, np.array([True, False, True, True])).instance_ids.tolist() == [-1, 1] * 9
    assert without_hubs(log, np.empty(0, np.bool_)).instance_ids.tolist() == [0, 1] * 9
    assert without_hubs(log).instance_ids.tolist() == [0, 1] * 9
