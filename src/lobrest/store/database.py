"""What the SQL store needs of a database driver."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from lobrest.errors import StoreError
from lobrest.store.rows import Row

_GROUP: Final = re.compile(r"\(\?(?:, \?)*\)")


class Database(Protocol):
    """One connection, used by one thread at a time. Statements have ``?`` for their values.

    Every method raises ``StoreError`` for what the database does.
    """

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows of a statement."""

    def many(self, sql: str, rows: Sequence[Row], *, at_once: int) -> None:
        """The statement, which has one group ``(?, ?)`` of values, for each row; so many rows at once."""

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


def in_groups(sql: str, rows: Sequence[Row], *, at_once: int) -> Iterator[tuple[str, list[object]]]:
    """The statement for several rows at a time, with their values.

    The numbers of rows are powers of two: drivers keep prepared statements with the values last bound,
    and a statement for every number there is would keep as much as was ever written.
    """
    start, group, end = sql.partition(_GROUP.findall(sql)[0])
    first = 0
    while first < len(rows):
        size = 1 << (min(at_once, len(rows) - first).bit_length() - 1)
        part = rows[first : first + size]
        first += size
        yield start + ", ".join([group] * size) + end, [value for row in part for value in row]
