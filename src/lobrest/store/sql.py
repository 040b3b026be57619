"""The store over a database. All SQL but the schema is here, and the same for every database."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from lobrest.errors import StoreError
from lobrest.model.bug import Bug
from lobrest.model.event import CampaignEnded, Event, Outage
from lobrest.model.operation import Json, OperationId
from lobrest.model.seed import Seed, SeedId
from lobrest.model.summary import Point
from lobrest.store.batch import Batch, Numbers
from lobrest.store.codec import unpack
from lobrest.store.database import Database, Transaction
from lobrest.store.keeping import Keeping
from lobrest.store.records import Keep, StoredExchange, StoredSeed, Totals
from lobrest.store.rows import EXCHANGE_COLUMNS, Row, body_of, body_row, clean, exchange_of, packed_row
from lobrest.store.timeline import timeline
from lobrest.store.writer import Writer

_REMEMBERED_DIGESTS: Final = 5000
_LOOKED_UP_AT_ONCE: Final = 500
_MANY: Final = 128
_FEW: Final = 8

_EXCHANGE: Final = f"INSERT INTO exchanges ({EXCHANGE_COLUMNS}) VALUES ({', '.join('?' * 20)})"
_BODY: Final = "INSERT INTO bodies (digest, packed, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_STATUS: Final = (
    "INSERT INTO statuses (operation, status, total, kept, seconds) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (operation, status) DO UPDATE "
    "SET total = statuses.total + excluded.total, kept = statuses.kept + excluded.kept, "
    "seconds = statuses.seconds + excluded.seconds"
)
_FAILURE: Final = (
    "INSERT INTO failures (kind, total) VALUES (?, ?) "
    "ON CONFLICT (kind) DO UPDATE SET total = failures.total + excluded.total"
)
_TICK: Final = (
    "INSERT INTO ticks (second, requests) VALUES (?, ?) "
    "ON CONFLICT (second) DO UPDATE SET requests = ticks.requests + excluded.requests"
)
_PLAY: Final = (
    "INSERT INTO plays (execution, seed, kind, mutators, at, first, requests, good) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_COVERED: Final = "INSERT INTO covered (operation, at) VALUES (?, ?) ON CONFLICT DO NOTHING"
_SEED: Final = "INSERT INTO seeds (id, place, at, why, content) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_FLOW: Final = "INSERT INTO flows (seed, at) VALUES (?, ?) ON CONFLICT DO NOTHING"
_BUG: Final = (
    "INSERT INTO bugs (number, operation, status, fingerprint, first_seen_s, confirmed, content) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET operation = excluded.operation, "
    "status = excluded.status, fingerprint = excluded.fingerprint, first_seen_s = excluded.first_seen_s, "
    "confirmed = excluded.confirmed, content = excluded.content"
)
_OUTAGE: Final = "INSERT INTO outages (place, at, down, cause) VALUES (?, ?, ?, ?)"
_ENDING: Final = "INSERT INTO endings (place, at, reason) VALUES (?, ?, ?)"
_STATE: Final = (
    "INSERT INTO state (name, content) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET content = excluded.content"
)
_PIECE: Final = (
    "INSERT INTO pieces (name, packed, content) VALUES (?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET packed = excluded.packed, content = excluded.content"
)
_FORGET: Final = "DELETE FROM pieces WHERE name IN (?)"
_FACT: Final = (
    "INSERT INTO facts (name, content) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET content = excluded.content"
)


class SqlStore:
    """See ``CampaignStore``. One object writes a database at a time; any number may read it."""

    def __init__(
        self,
        reader: Database,
        writer: Database | None,
        *,
        keep: Keep,
        let_go: Callable[[], None] = lambda: None,
    ) -> None:
        """Over two connections; without the second it is read-only. ``let_go`` is called last of all."""
        self._reader = reader
        self._reading = threading.Lock()
        self._database = writer
        self._let_go = let_go
        self._closed = False
        self._digests: dict[bytes, None] = {}
        self._writer: Writer[Batch] | None = None
        if writer is not None:
            numbers = _numbers(writer)
            kept = writer.query("SELECT operation, status, kept FROM statuses")
            keeping = Keeping(keep, {(operation, status): count for operation, status, count in kept})
            self._writer = Writer(lambda: Batch(keeping, numbers), self._write)

    def record(self, events: Iterable[Event]) -> None:
        """See ``CampaignStore``."""
        self._changes().change(lambda batch: batch.record(events))

    def put_state(self, name: str, content: bytes) -> None:
        """See ``CampaignStore``."""
        self._changes().change(lambda batch: batch.put_state(name, content))

    def put_pieces(self, pieces: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """See ``CampaignStore``."""
        self._changes().change(lambda batch: batch.put_pieces(pieces, gone))

    def put_fact(self, name: str, content: Json) -> None:
        """See ``CampaignStore``."""
        text = json.dumps(content)
        self._changes().change(lambda batch: batch.put_fact(name, text))

    def flush(self) -> None:
        """See ``CampaignStore``."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """See ``CampaignStore``."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            self._reader.close()
            if self._database is not None:
                self._database.close()
            self._let_go()

    def _changes(self) -> Writer[Batch]:
        if self._writer is None:
            raise StoreError("the store was opened for reading only")
        return self._writer

    def _write(self, batch: Batch) -> None:
        """All of the batch in one transaction, or nothing of it."""
        database = self._database
        assert database is not None
        fresh = [digest for digest in batch.bodies if digest not in self._digests]
        with Transaction(database):
            database.many(_BODY, [body_row(digest, batch.bodies[digest]) for digest in fresh], at_once=_FEW)
            for sql, rows in self._statements(batch):
                database.many(sql, rows, at_once=_MANY)
            for sql, rows in self._large_statements(batch):
                database.many(sql, rows, at_once=1)
        if len(self._digests) > _REMEMBERED_DIGESTS:
            self._digests.clear()
        self._digests.update(dict.fromkeys(fresh))

    @staticmethod
    def _statements(batch: Batch) -> Iterable[tuple[str, Sequence[Row]]]:
        yield _EXCHANGE, batch.exchanges
        yield (
            _STATUS,
            [
                (*key, total, batch.kept[key], batch.seconds.get(key, 0.0))
                for key, total in batch.totals.items()
            ],
        )
        yield _PLAY, batch.plays
        yield _FAILURE, list(batch.failures.items())
        yield _TICK, list(batch.ticks.items())
        yield _COVERED, batch.covered
        yield _FLOW, batch.flows
        yield _OUTAGE, batch.outages
        yield _ENDING, batch.endings

    @staticmethod
    def _large_statements(batch: Batch) -> Iterable[tuple[str, Sequence[Row]]]:
        yield _SEED, [packed_row(row) for row in batch.seeds]
        yield _BUG, list(batch.bugs.values())
        yield _STATE, list(batch.state.values())
        yield _FACT, list(batch.facts.values())
        yield _FORGET, [(name,) for name, content in batch.pieces.items() if content is None]
        yield _PIECE, [body_row(name, one) for name, one in batch.pieces.items() if one is not None]

    def _query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        self.flush()
        with self._reading:
            return self._reader.query(sql, values)

    def totals(self) -> Totals:
        """See ``CampaignStore``."""
        ((requests, second),) = self._query("SELECT COALESCE(SUM(requests), 0), MAX(second) FROM ticks")
        ((kept,),) = self._query("SELECT COALESCE(SUM(kept), 0) FROM statuses")
        ((covered, covered_at),) = self._query("SELECT COUNT(*), MAX(at) FROM covered")
        ((bugs, found_at),) = self._query("SELECT COUNT(*), MAX(first_seen_s) FROM bugs")
        ((seeds,),) = self._query("SELECT COUNT(*) FROM seeds")
        ((flows,),) = self._query("SELECT COUNT(*) FROM flows")
        failures = self._query("SELECT kind, total FROM failures")
        return Totals(
            requests=int(requests),
            exchanges_kept=int(kept),
            covered=covered,
            bugs=bugs,
            seeds=seeds,
            flows_replayed=flows,
            last_at=max(float(moment or 0.0) for moment in (second, covered_at, found_at)),
            failures=dict(failures),
        )

    def statuses(self) -> Mapping[OperationId, Mapping[int, int]]:
        """See ``CampaignStore``."""
        found: dict[OperationId, dict[int, int]] = {}
        for operation, status, total in self._query("SELECT operation, status, total FROM statuses"):
            found.setdefault(OperationId(operation), {})[status] = total
        return found

    def covered(self) -> Mapping[OperationId, float]:
        """See ``CampaignStore``."""
        return {OperationId(name): at for name, at in self._query("SELECT operation, at FROM covered")}

    def timeline(self, *, points: int = 200) -> tuple[Point, ...]:
        """See ``CampaignStore``."""
        ticks: dict[int, int] = dict(self._query("SELECT second, requests FROM ticks"))
        covered = [at for (at,) in self._query("SELECT at FROM covered")]
        bugs = [at for (at,) in self._query("SELECT first_seen_s FROM bugs")]
        return timeline(ticks, covered, bugs, points=points)

    def bugs(self) -> tuple[Bug, ...]:
        """See ``CampaignStore``."""
        return tuple(
            unpack(Bug, content) for (content,) in self._query("SELECT content FROM bugs ORDER BY number")
        )

    def exchanges(
        self,
        *,
        after: int = 0,
        limit: int = 100,
        operation: OperationId | None = None,
        status: int | None = None,
    ) -> tuple[StoredExchange, ...]:
        """See ``CampaignStore``."""
        conditions = ["id > ?"]
        wanted: list[object] = [after]
        if operation is not None:
            conditions.append("operation = ?")
            wanted.append(clean(operation))
        if status is not None:
            conditions.append("COALESCE(status, 0) = ?")
            wanted.append(status)
        where = " AND ".join(conditions)
        sql = f"SELECT {EXCHANGE_COLUMNS} FROM exchanges WHERE {where} ORDER BY id LIMIT ?"
        rows = self._query(sql, (*wanted, limit))
        digests = {bytes(digest) for row in rows for digest in (row[12], row[19]) if digest is not None}
        bodies = self._bodies(sorted(digests))
        return tuple(exchange_of(row, bodies) for row in rows)

    def _bodies(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for start in range(0, len(digests), _LOOKED_UP_AT_ONCE):
            part = digests[start : start + _LOOKED_UP_AT_ONCE]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT digest, packed, content FROM bodies WHERE digest IN ({marks})"
            for digest, packed, content in self._query(sql, part):
                found[bytes(digest)] = body_of(packed, content)
        return found

    def seeds(self) -> tuple[StoredSeed, ...]:
        """See ``CampaignStore``."""
        return tuple(
            _stored_seed(row) for row in self._query("SELECT content, at, why FROM seeds ORDER BY place")
        )

    def lineage(self, seed: SeedId) -> tuple[StoredSeed, ...]:
        """See ``CampaignStore``."""
        line: dict[SeedId, StoredSeed] = {}
        waiting = [seed]
        for wanted in waiting:
            if wanted in line:
                continue
            for row in self._query("SELECT content, at, why FROM seeds WHERE id = ?", (clean(wanted),)):
                line[wanted] = _stored_seed(row)
                waiting.extend(line[wanted].seed.parents)
        return tuple(line.values())

    def flows(self) -> frozenset[SeedId]:
        """See ``CampaignStore``."""
        return frozenset(SeedId(seed) for (seed,) in self._query("SELECT seed FROM flows"))

    def outages(self) -> tuple[Outage, ...]:
        """See ``CampaignStore``."""
        rows = self._query("SELECT at, down, cause FROM outages ORDER BY place")
        return tuple(Outage(at, bool(down), cause) for at, down, cause in rows)

    def endings(self) -> tuple[CampaignEnded, ...]:
        """See ``CampaignStore``."""
        rows = self._query("SELECT at, reason FROM endings ORDER BY place")
        return tuple(CampaignEnded(at, reason) for at, reason in rows)

    def state(self, name: str) -> bytes | None:
        """See ``CampaignStore``."""
        rows = self._query("SELECT content FROM state WHERE name = ?", (clean(name),))
        return bytes(rows[0][0]) if rows else None

    def pieces(self, start: str = "") -> Mapping[str, bytes]:
        """See ``CampaignStore``."""
        rows = self._query(
            "SELECT name, packed, content FROM pieces WHERE SUBSTR(name, 1, ?) = ? ORDER BY name",
            (len(start), start),
        )
        return {name: body_of(packed, content) for name, packed, content in rows}

    def fact(self, name: str) -> Json:
        """See ``CampaignStore``."""
        rows = self._query("SELECT content FROM facts WHERE name = ?", (clean(name),))
        return _json(rows[0][0]) if rows else None

    def facts(self) -> Mapping[str, Json]:
        """See ``CampaignStore``."""
        return {name: _json(content) for name, content in self._query("SELECT name, content FROM facts")}


def _json(content: str) -> Json:
    value: Json = json.loads(content)
    return value


def _stored_seed(row: Row) -> StoredSeed:
    content, at, why = row
    return StoredSeed(unpack(Seed, bytes(content)), at, why)


def _numbers(database: Database) -> Numbers:
    """Where numbering goes on."""

    def last(sql: str) -> int:
        ((number,),) = database.query(sql)
        return int(number or 0)

    return Numbers(
        exchange=last("SELECT MAX(id) FROM exchanges"),
        seed=last("SELECT MAX(place) FROM seeds"),
        outage=last("SELECT MAX(place) FROM outages"),
        ending=last("SELECT MAX(place) FROM endings"),
    )
