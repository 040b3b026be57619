"""What the SQL store needs of a database driver."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from lobrest.errors import StoreError
from lobrest.store.rows import Row

_GROUP: Final = re.compile(r"\(\?(?:, \?)*\)")
_MOST_VALUES: Final = 8000


class Database(Protocol):
    """One connection, used by one thread at a time. Statements have ``?`` for their values.

    Every method raises ``StoreError`` for what the database does.
    """

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows of a statement."""

    def many(self, sql: str, rows: Sequence[Row]) -> None:
        """The statement once for each row; it has one group ``(?, ?)`` of values."""

    def begin(self) -> None:
        """Begin a transaction; a connection that was lost is made again."""

    def commit(self) -> None:
        """Everything since ``begin`` is durable."""

    def rollback(self) -> None:
        """Nothing since ``begin`` happened. Never raises."""

    def close(self) -> None:
        """Let go."""


class Transaction:
    """``with Transaction(database):`` commits, or rolls back when anything is raised."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.begin()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._database.rollback()
            return
        try:
            self._database.commit()
        except StoreError:
            self._database.rollback()
            raise


def in_groups(sql: str, rows: Sequence[Row]) -> Iterator[tuple[str, list[object]]]:
    """The statement for many rows at a time, with their values."""
    start, group, end = sql.partition(_GROUP.findall(sql)[0])
    size = _MOST_VALUES // group.count("?")
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        yield start + ", ".join([group] * len(part)) + end, [value for row in part for value in row]
