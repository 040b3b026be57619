from __future__ import annotations

from lobrest.store.keeping import FIRST_FEW, Keeping
from lobrest.store.records import Keep


def test_all_and_bugs_do_not_ask() -> None:
    assert all(Keeping(Keep.ALL).wants("op", 200) for _ in range(100))
    assert not Keeping(Keep.BUGS).wants("op", 500)


def test_the_first_few_of_each_operation_and_status_are_interesting() -> None:
    keeping = Keeping(Keep.INTERESTING)
    assert [keeping.wants("op", 200) for _ in range(FIRST_FEW + 2)] == [True] * FIRST_FEW + [False, False]
    assert keeping.wants("op", 500)
    assert keeping.wants("other", 200)


def test_what_was_kept_before_a_restart_counts() -> None:
    keeping = Keeping(Keep.INTERESTING, {("op", 200): FIRST_FEW})
    assert not keeping.wants("op", 200)
