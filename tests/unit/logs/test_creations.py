"""What creations made. Whole logs are in test_preprocess; here are the rules by themselves."""

from __future__ import annotations

import numpy as np

from lobrest.logs.columns import CreationSeen
from lobrest.logs.creations import Created, Producer
from lobrest.logs.resolve import InstanceTable, Names, Rows, first_and_last_use


def produced(uses, creations, users=None, count=None):
    """``uses``: row → value; every row is one use of resource 0 or none (None)."""
    table = InstanceTable()
    sets = [() if value is None else (table.intern(0, value, -1),) for value in uses]
    size = len(uses)
    rows = Rows(
        np.arange(size, dtype=np.float64),
        np.asarray(users or [0] * size, np.int32),
        np.zeros(size, np.int32),
        np.full(size, 200, np.int16),
        np.arange(size, dtype=np.int32),
        np.concatenate(([0], np.cumsum([len(held) for held in sets]))).astype(np.int64),
        np.asarray([number for held in sets for number in held], dtype=np.int32),
    )
    names = Names(table)
    rank = np.arange(size)
    first, last = first_and_last_use(rows, rank, np.ones(size, bool), len(table), names.column())
    created = Created(
        np.asarray([row for row, _ in creations], np.int64),
        np.arange(len(creations), dtype=np.int32),
        [template for _, template in creations],
    )
    made = Producer(rows, rank, table, names, first, last).produce(created)
    return {row: table.values[number] for row, number in made.items()}


def seen(row, **more):
    return row, CreationSeen(0, -1, False, **more)


def test_the_answer_decides():
    assert produced([None, "7"], [seen(0, names=("5",))]) == {0: "5"}


def test_a_word_is_not_believed_where_everybody_uses_numbers():
    uses = [None, "10", "11", "12", "13"]
    assert produced(uses, [seen(0, own=("title",))]) == {0: "10"}
    assert produced([None, "alpha", "beta", "gamma"], [seen(0, own=("delta",))]) == {0: "delta"}


def test_of_several_own_names_the_used_one_counts():
    assert produced([None, "login", "x", "y"], [seen(0, own=("Full Name", "login"))]) == {0: "login"}


def test_a_use_before_the_creation_explains_nothing():
    assert produced(["5", None, "5"], [seen(1)]) == {}


def test_another_user_explains_nothing():
    assert produced([None, "5"], [seen(0)], users=[0, 1]) == {}


def test_the_latest_open_creation_takes_a_first_use():
    assert produced([None, None, "5"], [seen(0), seen(1)]) == {1: "5"}


def test_numbers_are_sorted_over_the_creations_they_can_belong_to():
    assert produced([None, None, "8", "7"], [seen(0), seen(1)]) == {0: "7", 1: "8"}
    assert produced([None, "8", None, "7"], [seen(0), seen(2)]) == {0: "8", 2: "7"}, (
        "8 was used before the second creation"
    )


def test_one_request_sent_again_makes_one_thing_each_time_it_is_used_later():
    template = CreationSeen(0, -1, False, own=("a",))
    rows = [None, "a", None, "b", "c"]
    assert produced(rows, [(0, template), (2, template)]) == {0: "a", 2: "a"}


def test_kept_creations_come_in_time_order():
    template = CreationSeen(0, -1, False)
    created = Created(np.asarray([0, 1, 2, 3]), np.asarray([0, 1, 2, 3], np.int32), [template] * 4)
    among = created.among(np.asarray([True, False, True, True]), np.asarray([5, 6, 4, 3]))
    assert among.rows.tolist() == [3, 2, 0]
    assert among.templates.tolist() == [3, 2, 0]
