"""The store in a schema of a PostgreSQL database, for campaigns that several people look at.

The one file that imports psycopg; ``open_store`` loads it when such a store is asked for.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

try:
    import psycopg
    from psycopg import sql as composed
except ImportError as error:
    from lobrest.errors import ConfigError

    raise ConfigError(
        "a store in PostgreSQL needs psycopg and libpq", hint="pip install 'lobrest[postgres]'"
    ) from error

from lobrest.errors import StoreError
from lobrest.store.database import in_groups
from lobrest.store.migrate import create as create_schema
from lobrest.store.migrate import migrations, require_newest, upgrade
from lobrest.store.records import Keep
from lobrest.store.rows import Row
from lobrest.store.sql import SqlStore

_CONNECT_SECONDS: Final = 10
_LONGEST_NAME: Final = 63
_LOCK_ATTEMPTS: Final = 10
_LOCK_SECONDS: Final = 0.2


class PostgresDatabase:
    """One connection to one schema; see ``Database``. A writer holds a lock that ends with its connection."""

    def __init__(self, url: str, schema: str, *, source: str, writing: bool) -> None:
        self._url = url
        self._schema = schema
        self._source = source
        self._writing = writing
        self._connection = self._connected()

    def _connected(self) -> psycopg.Connection[Row]:
        try:
            connection = psycopg.connect(
                self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS, application_name="lobrest"
            )
        except psycopg.Error as error:
            raise self._explained(error) from error
        try:
            path = composed.SQL("SET search_path TO {}").format(composed.Identifier(self._schema))
            connection.execute(path)
            if self._writing:
                self._lock(connection)
            else:
                connection.execute("SET default_transaction_read_only = on")
        except psycopg.Error as error:
            connection.close()
            raise self._explained(error) from error
        except StoreError:
            connection.close()
            raise
        return connection

    def _lock(self, connection: psycopg.Connection[Row]) -> None:
        digest = hashlib.blake2b(f"lobrest {self._schema}".encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "big", signed=True)
        # The server may need a moment to notice that a process which held the lock was killed.
        for attempt in range(_LOCK_ATTEMPTS):
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
            if row is not None and row[0]:
                return
            if attempt < _LOCK_ATTEMPTS - 1:
                time.sleep(_LOCK_SECONDS)
        raise StoreError(
            "is in use by another campaign", source=self._source, hint="wait for it, stop it, or name another"
        )

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """See ``Database``."""
        try:
            return self._rows(sql, values)
        except psycopg.Error as error:
            if self._writing or not self._connection.closed:
                raise self._explained(error) from error
        # A reader that lost its connection has lost nothing else: it asks again on a new one.
        self._reconnect()
        try:
            return self._rows(sql, values)
        except psycopg.Error as error:
            raise self._explained(error) from error

    def _rows(self, sql: str, values: Sequence[object]) -> list[Row]:
        cursor = self._connection.execute(sql.replace("?", "%s").encode(), tuple(values))
        return cursor.fetchall() if cursor.description is not None else []

    def many(self, sql: str, rows: Sequence[Row], *, at_once: int) -> None:
        """See ``Database``."""
        for statement, values in in_groups(sql, rows, at_once=at_once):
            self.query(statement, values)

    def begin(self) -> None:
        """See ``Database``."""
        self._reconnect()
        self.query("BEGIN")

    def commit(self) -> None:
        """See ``Database``."""
        self.query("COMMIT")

    def rollback(self) -> None:
        """See ``Database``."""
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connection.close()  # the server rolls back; ``begin`` connects anew

    def close(self) -> None:
        """See ``Database``."""
        self._connection.close()

    def _reconnect(self) -> None:
        if self._connection.closed:
            self._connection = self._connected()

    def _explained(self, error: psycopg.Error) -> StoreError:
        if isinstance(error, psycopg.errors.DiskFull):
            message, hint = "the disk of the database is full", "free some room; nothing recorded is lost"
        elif isinstance(error, psycopg.errors.InsufficientPrivilege):
            message, hint = "the user may not do that", "it needs CREATE on the database"
        elif isinstance(error, psycopg.OperationalError):
            message, hint = "the database cannot be reached, or closed the connection", "is it running?"
        else:
            message, hint = f"cannot be used: {str(error).splitlines()[0]}", ""
        return StoreError(message, source=self._source, hint=hint or None)


def open_postgres(url: str, *, create: bool, keep: Keep, readonly: bool = False) -> SqlStore:
    """The store that a URL names; what follows ``#`` is the campaign, and its schema. See ``open_store``."""
    address, _, fragment = url.partition("#")
    schema = unquote(fragment) or "lobrest"
    if len(schema.encode()) > _LONGEST_NAME or "\0" in schema:
        raise StoreError("the name after # is too long", hint=f"at most {_LONGEST_NAME} bytes")
    source = _shown(address, schema)
    opened: list[PostgresDatabase] = []
    try:
        writer = None
        if not readonly:
            writer = PostgresDatabase(address, schema, source=source, writing=True)
            opened.append(writer)
            _prepare(writer, schema, create=create, source=source)
        reader = PostgresDatabase(address, schema, source=source, writing=False)
        opened.append(reader)
        if readonly:
            _require(reader, schema, source)
            require_newest(reader, migrations(), source=source)
        return SqlStore(reader, writer, keep=keep)
    except StoreError:
        for database in opened:
            database.close()
        raise


def _prepare(database: PostgresDatabase, schema: str, *, create: bool, source: str) -> None:
    if not create:
        _require(database, schema, source)
        upgrade(database, migrations(), source=source)
        return
    if _has(database, schema):
        raise StoreError(
            "there is a campaign here already",
            source=source,
            hint="lobrest resume it, or name another after #",
        )
    quoted = schema.replace('"', '""').replace("%", "%%")
    database.query(f'CREATE SCHEMA IF NOT EXISTS "{quoted}"')
    create_schema(database, migrations())


def _require(database: PostgresDatabase, schema: str, source: str) -> None:
    if not _has(database, schema):
        raise StoreError("there is no campaign here", source=source, hint="is the name after # right?")


def _has(database: PostgresDatabase, schema: str) -> bool:
    found = "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = 'lobrest'"
    return bool(database.query(found, (schema,)))


def _shown(address: str, schema: str) -> str:
    """The URL without what may be secret in it."""
    try:
        parts = urlsplit(address)
        place = f"{parts.hostname or ''}{parts.path}"
    except ValueError:
        place = ""
    return f"postgresql://{place}#{schema}"
