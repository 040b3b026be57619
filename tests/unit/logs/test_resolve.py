"""Names that are one thing, and lines that are copies."""

from __future__ import annotations

import numpy as np

from lobrest.logs.resolve import (
    InstanceTable,
    Names,
    Rows,
    copies,
    first_and_last_use,
    involved,
    join_unscoped,
    line_keys,
)


def rows_of(sets, set_ids, times=None):
    count = len(set_ids)
    sizes = [len(held) for held in sets]
    return Rows(
        np.asarray(times if times is not None else range(count), dtype=np.float64),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.full(count, 200, np.int16),
        np.asarray(set_ids, dtype=np.int32),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.asarray([number for held in sets for number in held], dtype=np.int32),
    )


def test_what_is_inside_joined_things_is_joined():
    table = InstanceTable()
    old, new = table.intern(0, "old", -1), table.intern(0, "new", -1)
    inside = [table.intern(1, "3", old), table.intern(1, "3", new), table.intern(1, "4", new)]
    deeper = [table.intern(2, "x", inside[0]), table.intern(2, "x", inside[1])]
    names = Names(table)
    names.join(new, old)
    names.close()
    column = names.column()
    assert column[new] == old
    assert column[inside[1]] == inside[0]
    assert column[inside[2]] == inside[2]
    assert column[deeper[1]] == deeper[0]


def test_things_of_different_kinds_are_never_joined():
    table = InstanceTable()
    names = Names(table)
    names.join(table.intern(0, "a", -1), table.intern(1, "a", -1))
    assert names.column().tolist() == [0, 1]


def test_a_telling_name_without_its_scope_is_the_one_that_has_it():
    table = InstanceTable()
    parent = table.intern(0, "p", -1)
    inside, alone = table.intern(1, "uuid-1", parent), table.intern(1, "uuid-1", -1)
    number, bare_number = table.intern(1, "3", parent), table.intern(1, "3", -1)
    names = Names(table)
    join_unscoped(table, names)
    assert names.find(alone) == names.find(inside)
    assert names.find(number) != names.find(bare_number), "3 of what?"


def test_an_ambiguous_name_stays_alone():
    table = InstanceTable()
    for parent in ("p", "q"):
        table.intern(1, "uuid-1", table.intern(0, parent, -1))
    alone = table.intern(1, "uuid-1", -1)
    names = Names(table)
    join_unscoped(table, names)
    assert names.find(alone) == alone


def test_first_and_last_use():
    rows = rows_of([(0, 1), (1,), (2,)], [0, 1, 0, 2])
    rank = np.asarray([3, 0, 1, 2])
    keep = np.asarray([True, True, True, False])
    first, last = first_and_last_use(rows, rank, keep, 4, np.arange(4, dtype=np.int32))
    assert first.tolist() == [1, 0, -1, -1]
    assert last.tolist() == [3, 3, -1, -1]


def test_what_is_made_is_among_what_is_involved_once():
    rows = rows_of([(), (0, 1), (2,)], [1, 0, 2, 2])
    made = np.asarray([-1, 3, 2, 4], dtype=np.int32)
    standing = np.asarray([0, 0, 2, 3, 4], dtype=np.int32)
    offsets, numbers = involved(rows, made, np.asarray([0, 1, 2, 3]), standing)
    found = [numbers[offsets[row] : offsets[row + 1]].tolist() for row in range(4)]
    assert found == [[0], [3], [2], [2, 4]]


def test_nothing_at_all():
    rows = rows_of([()], [])
    offsets, numbers = involved(rows, np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32))
    assert (offsets.tolist(), numbers.tolist()) == ([0], [])


def test_copies_need_an_overlap_of_most_lines():
    keys = np.asarray([1, 2, 3, 4, 3, 4, 5, 6], dtype=np.uint64)
    times = np.asarray([1, 2, 3, 4, 3, 4, 5, 6], dtype=np.float64)
    files = np.asarray([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    assert copies(times, files, keys).tolist() == [False] * 4 + [True, True, False, False]
    assert not copies(times + files * 100, files, keys).any()
    other = keys.copy()
    other[4:6] = (70, 80)
    assert not copies(times, files, other).any()


def test_equal_rows_have_equal_keys():
    rows = rows_of([(1, 2), (2, 1), (5,)], [0, 1, 2, 0], times=[1, 1, 1, 2])
    keys = line_keys(rows)
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 3
