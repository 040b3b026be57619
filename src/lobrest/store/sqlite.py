"""The store in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from lobrest.errors import StoreError
from lobrest.store.database import in_groups
from lobrest.store.lock import FolderLock
from lobrest.store.migrate import create as create_schema
from lobrest.store.migrate import migrations, require_newest, upgrade
from lobrest.store.records import Keep
from lobrest.store.rows import Row
from lobrest.store.sql import SqlStore

_BUSY_SECONDS: Final = 10.0
_CHECKPOINT_PAGES: Final = 4000


class SqliteDatabase:
    """One connection; see ``Database``."""

    def __init__(self, path: Path, *, writing: bool) -> None:
        self._source = str(path)
        self._writing = writing
        # After an orderly end there is no write-ahead log, and even a read-only folder can be read from.
        frozen = not writing and not Path(f"{path}-wal").exists()
        mode = "rwc" if writing else "ro"
        self._connection = self._opened(path, mode)
        try:
            self._prepare()
        except StoreError:
            self._connection.close()
            if not frozen:
                raise
            self._connection = self._opened(path, "ro&immutable=1")
            self._prepare()

    def _opened(self, path: Path, mode: str) -> sqlite3.Connection:
        uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
        try:
            return sqlite3.connect(
                uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _prepare(self) -> None:
        if self._writing:
            self.query("PRAGMA journal_mode = WAL")
            self.query("PRAGMA synchronous = FULL")
            self.query(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        self.query("SELECT COUNT(*) FROM sqlite_master")

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See ``Database``."""
        try:
            return self._connection.execute(sql, tuple(values)).fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def many(self, sql: str, rows: Sequence[Row], *, at_once: int) -> None:
        """See ``Database``."""
        # One statement for many rows: sqlite3 gives up the interpreter lock for each and has to wait for it
        # afterwards, so a statement a row would be paid for by the event loop.
        for statement, values in in_groups(sql, rows, at_once=at_once):
            self.query(statement, values)

    def begin(self) -> None:
        """See ``Database``."""
        self.query("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """See ``Database``."""
        self.query("COMMIT")

    def rollback(self) -> None:
        """See ``Database``."""
        try:
            self._connection.rollback()
        except sqlite3.Error:
            return  # SQLite has rolled back by itself where it cannot be asked to

    def close(self) -> None:
        """Let go; the last writer leaves one plain file that can be read from anywhere."""
        if self._writing:
            # Refused while somebody is reading: then the log stays beside the file, which is as good.
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()

    def _explained(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        message, hint = _WORDS.get(code, (f"cannot be used: {error}", None))
        return StoreError(message, source=self._source, hint=hint)


_WORDS: Final = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some room; nothing recorded so far is lost"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "is the folder read-only?"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "is the folder there, and may it be written?"),
    sqlite3.SQLITE_PERM: ("cannot be opened", "may it be read and written?"),
    sqlite3.SQLITE_BUSY: ("is locked by another process", "wait for it, or stop it"),
    sqlite3.SQLITE_LOCKED: ("is locked by another process", "wait for it, or stop it"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "take a backup, or start again in another folder"),
    sqlite3.SQLITE_NOTADB: ("is damaged, or not a database", "is it the right file?"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written: the disk fails", "check the disk and its room"),
}


def open_sqlite(path: Path, *, create: bool, keep: Keep, readonly: bool = False) -> SqlStore:
    """The store in a file; see ``open_store``."""
    source = str(path)
    if not create and not path.exists():
        raise StoreError("there is no campaign here", source=source, hint="is it the right folder?")
    if readonly:
        reader = SqliteDatabase(path, writing=False)
        try:
            _check(reader, source)
            require_newest(reader, migrations(), source=source)
        except StoreError:
            reader.close()
            raise
        return SqlStore(reader, None, keep=keep)
    lock = FolderLock(path.with_name(f"{path.name}.lock"), source=source)
    opened: list[SqliteDatabase] = []
    try:
        writer = SqliteDatabase(path, writing=True)
        opened.append(writer)
        if create:
            _create(writer, source)
        else:
            _check(writer, source)
            upgrade(writer, migrations(), source=source)
        reader = SqliteDatabase(path, writing=False)
        opened.append(reader)
        return SqlStore(reader, writer, keep=keep, let_go=lock.release)
    except StoreError:
        for database in opened:
            database.close()
        lock.release()
        raise


def _is_ours(database: SqliteDatabase) -> bool:
    return bool(database.query("SELECT 1 FROM sqlite_master WHERE name = 'lobrest'"))


def _create(database: SqliteDatabase, source: str) -> None:
    if _is_ours(database):
        raise StoreError(
            "there is a campaign here already",
            source=source,
            hint="lobrest resume it, or choose another --out",
        )
    if database.query("SELECT 1 FROM sqlite_master LIMIT 1"):
        raise StoreError("is the database of another program", source=source, hint="choose another --out")
    create_schema(database, migrations())


def _check(database: SqliteDatabase, source: str) -> None:
    if not _is_ours(database):
        raise StoreError("is not a database of lobrest", source=source, hint="is it the right folder?")
