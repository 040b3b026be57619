from __future__ import annotations

from collections.abc import Sequence

import pytest

from lobrest.errors import StoreError
from lobrest.store.database import Transaction, in_groups
from lobrest.store.rows import Row


class Diary:
    """A database that writes down what is asked of it."""

    def __init__(self, *, full: bool = False) -> None:
        self.asked: list[str] = []
        self._full = full

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        self.asked.append(sql)
        return []

    def many(self, sql: str, rows: Sequence[Row], *, at_once: int) -> None:
        self.asked.append(sql)

    def begin(self) -> None:
        self.asked.append("begin")

    def commit(self) -> None:
        self.asked.append("commit")
        if self._full:
            raise StoreError("full")

    def rollback(self) -> None:
        self.asked.append("rollback")

    def close(self) -> None:
        self.asked.append("close")


def test_a_transaction_commits() -> None:
    diary = Diary()
    with Transaction(diary):
        diary.query("x")
    assert diary.asked == ["begin", "x", "commit"]


def test_a_transaction_rolls_back_whatever_is_raised() -> None:
    diary = Diary()
    with pytest.raises(ZeroDivisionError), Transaction(diary):
        raise ZeroDivisionError
    assert diary.asked == ["begin", "rollback"]


def test_a_commit_that_fails_is_rolled_back() -> None:
    diary = Diary(full=True)
    with pytest.raises(StoreError), Transaction(diary):
        pass
    assert diary.asked == ["begin", "commit", "rollback"]


def test_many_rows_become_few_statements_of_few_kinds() -> None:
    rows = [(number, -number) for number in range(1000)]
    made = list(in_groups("INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING", rows, at_once=128))
    assert [len(values) // 2 for _, values in made] == [128] * 7 + [64, 32, 8]
    assert made[-1][0].startswith("INSERT INTO t (a, b) VALUES (?, ?), (?, ?)")
    assert made[-1][0].endswith("(?, ?) ON CONFLICT DO NOTHING")
    assert [value for _, values in made for value in values] == [value for row in rows for value in row]
    assert all(sql.count("?") == len(values) for sql, values in made)


def test_no_rows_are_no_statements() -> None:
    assert list(in_groups("INSERT INTO t VALUES (?)", [], at_once=8)) == []
