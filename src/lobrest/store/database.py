"""What the SQL store needs of a database driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lobrest.errors import StoreError
from lobrest.store.rows import Row


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
