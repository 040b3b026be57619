"""Looking around in a campaign, running or ended: pages and sums, never everything.

Each question is answered from an index or from sums that were kept on the way, and looks at a bounded number of
rows: what it costs does not grow with the requests. All SQL of the dashboard is here, the same for every database.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from lobrest.model.bug import Bug
from lobrest.model.event import CampaignEnded, Outage
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed, SeedId
from lobrest.model.summary import Point
from lobrest.store import DATABASE_NAME, open_store
from lobrest.store.codec import unpack
from lobrest.store.database import Database
from lobrest.store.records import StoredExchange, StoredSeed
from lobrest.store.rows import EXCHANGE_COLUMNS, Row, body_of, clean, exchange_of
from lobrest.store.sqlite import SqliteDatabase
from lobrest.store.timeline import timeline

if sys.platform != "win32":
    import fcntl

_MOST_LOOKED_AT: Final = 6000
"""Rows that one page of a filtered list may look at; then the reader is asked whether to go on."""
_PIECE: Final = 1500
_PAIRS_AT_ONCE: Final = 100
_LONGEST_PLAY: Final = 400
_LONGEST_TARGET: Final = 2000
_MOST_TICKS: Final = 1200
_SETTLED_SECONDS: Final = 30
_LINE_COLUMNS: Final = (
    f"id, at, seed, execution, step, operation, method, SUBSTR(target, 1, {_LONGEST_TARGET}), actor, status, "
    "failure, seconds"
)


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A request as lists show it: without headers and bodies."""

    id: int
    at: float
    seed: SeedId
    execution: int
    step: int
    operation: str
    method: str
    target: str
    actor: str
    status: int
    """0: no answer."""
    failure: str
    seconds: float
    kind: str = ""
    """Why its play was made."""


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """What a list of requests is narrowed to; what is empty does not narrow."""

    operation: str = ""
    status: str = ""
    """``404``, ``4xx``, or ``none`` for no answer."""
    kind: str = ""
    actor: str = ""
    text: str = ""

    @property
    def after_the_index(self) -> bool:
        """Does something have to be looked at row by row?"""
        return bool(self.actor or self.text or (self.kind and (self.operation or self.status)))

    def has_status(self, status: int) -> bool:
        """Does a status fit?"""
        wanted = self.status.lower()
        if not wanted:
            return True
        if wanted == "none":
            return status == 0
        if wanted.endswith("xx"):
            return status > 0 and str(status)[:1] == wanted[:1]
        return str(status) == wanted


@dataclass(frozen=True, slots=True)
class RequestPage:
    """Requests, newest first."""

    lines: tuple[RequestLine, ...]
    older: int | None = None
    """Where the next page begins; None at the end."""
    looked_at: int = 0
    """Rows that were looked at."""


@dataclass(frozen=True, slots=True)
class Play:
    """A seed played once."""

    execution: int
    seed: SeedId
    kind: str
    mutators: tuple[str, ...]
    at: float
    first: int
    requests: int
    good: int


@dataclass(frozen=True, slots=True)
class StatusSum:
    """How often an operation was answered with a status, and how long that took in all."""

    operation: str
    status: int
    total: int
    kept: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SeedPage:
    """Seeds in the order they were added."""

    seeds: tuple[tuple[int, StoredSeed], ...]
    """With their place in that order."""
    after: int | None = None
    """Where the next page begins; None at the end."""


class Browser:
    """The reading side of one campaign, for one person who looks around. Safe to use from several threads."""

    def __init__(
        self, database: Database, *, running: Callable[[], bool] = lambda: False, name: str = ""
    ) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._ticks = _Ticks()
        self._replayed: dict[SeedId, tuple[str, ...]] = {}
        self.running = running
        """Is a campaign writing there right now?"""
        self.name = name

    def close(self) -> None:
        """Let go."""
        with self._lock:
            self._database.close()

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        with self._lock:
            return self._database.query(sql, values)

    # Sums -------------------------------------------------------------------------------------------------

    def statuses(self) -> tuple[StatusSum, ...]:
        """Every operation with every status it was answered with."""
        rows = self._rows("SELECT operation, status, total, kept, seconds FROM statuses")
        return tuple(StatusSum(*row) for row in rows)

    def covered(self) -> Mapping[OperationId, float]:
        """Operations answered 2XX, with the second of the first time."""
        return {OperationId(name): at for name, at in self._rows("SELECT operation, at FROM covered")}

    def failures(self) -> Mapping[str, int]:
        """Requests without an answer, by kind."""
        return dict(self._rows("SELECT kind, total FROM failures ORDER BY kind"))

    def kinds(self) -> tuple[str, ...]:
        """Why plays were made, as far as there are any."""
        found: list[str] = []
        last = ""
        while rows := self._rows("SELECT MIN(kind) FROM plays WHERE kind > ?", (last,)):
            last = rows[0][0]
            if last is None:
                break
            found.append(last)
        return tuple(found)

    def newest(self) -> int:
        """Number of the newest kept request, 0 where there is none."""
        ((number,),) = self._rows("SELECT MAX(id) FROM exchanges")
        return int(number or 0)

    def last_second(self) -> float:
        """The second of the newest thing that happened."""
        moments = [
            self._rows(sql)[0][0]
            for sql in (
                "SELECT MAX(second) + 1 FROM ticks",
                "SELECT at FROM endings ORDER BY place DESC LIMIT 1",
            )
            if self._rows(sql)
        ]
        return max((float(moment) for moment in moments if moment is not None), default=0.0)

    def timeline(self, *, points: int = 200) -> tuple[Point, ...]:
        """Requests, covered operations and bugs over time, at most that many points."""
        with self._lock:
            ticks = self._ticks.refreshed(self._rows)
        covered = list(self.covered().values())
        bugs = [at for (at,) in self._rows("SELECT first_seen_s FROM bugs")]
        return timeline(ticks, covered, bugs, points=points)

    def outages(self) -> tuple[Outage, ...]:
        """When the service went down and came back, the latest 200 times."""
        rows = self._rows("SELECT at, down, cause FROM outages ORDER BY place DESC LIMIT 200")
        return tuple(Outage(at, bool(down), cause) for at, down, cause in reversed(rows))

    def endings(self) -> tuple[CampaignEnded, ...]:
        """Each time the campaign ended."""
        rows = self._rows("SELECT at, reason FROM endings ORDER BY place")
        return tuple(CampaignEnded(at, reason) for at, reason in rows)

    def replayed_flows(self) -> Mapping[SeedId, tuple[str, ...]]:
        """Seeds of logged flows that were replayed, with the operations of the flow where they are kept."""
        with self._lock:
            for (name,) in self._rows("SELECT seed FROM flows"):
                if name not in self._replayed:
                    stored = self.seed(SeedId(name))
                    entries = stored.seed.source.entries if stored is not None else ()
                    self._replayed[SeedId(name)] = tuple(entry.operation for entry in entries) or (name,)
            return dict(self._replayed)

    # Requests ---------------------------------------------------------------------------------------------

    def requests(self, wanted: RequestFilter, *, before: int | None = None, limit: int = 50) -> RequestPage:
        """Kept requests with a number below ``before``, newest first.

        A filter that hardly anything fits ends a page early: ``older`` says where to look on.
        """
        below = before if before is not None else self.newest() + 1
        found: list[RequestLine] = []
        looked_at = 0
        while looked_at < _MOST_LOOKED_AT:
            room = limit + 1 - len(found)
            lines = self._candidates(wanted, below, _PIECE if wanted.after_the_index else room)
            if not lines:
                return RequestPage(tuple(found), None, looked_at)
            lines = self._with_kinds(lines)
            for line in lines:
                looked_at += 1
                below = line.id
                if _fits(line, wanted):
                    if len(found) == limit:
                        return RequestPage(tuple(found), found[-1].id, looked_at)
                    found.append(line)
        return RequestPage(tuple(found), below, looked_at)

    def total(self, wanted: RequestFilter) -> int | None:
        """How many kept requests fit; None where that is not kept."""
        if wanted.actor or wanted.text or wanted.kind:
            return None
        return sum(
            one.kept
            for one in self.statuses()
            if wanted.operation in ("", one.operation) and wanted.has_status(one.status)
        )

    def exchange(self, number: int) -> StoredExchange | None:
        """One kept request with its answer, whole."""
        found = self._exchanges("id = ?", (number,), 1)
        return found[0] if found else None

    def play(self, execution: int) -> Play | None:
        """One play."""
        found = self._plays("execution = ?", (execution,), 1)
        return found[0] if found else None

    def plays_of_seed(self, seed: SeedId, *, limit: int = 50) -> tuple[Play, ...]:
        """The latest plays of a seed, newest first."""
        return self._plays("seed = ?", (clean(seed),), limit)

    def lines_of_play(self, play: Play) -> tuple[RequestLine, ...]:
        """The kept requests of a play, in order."""
        return self._lines(
            "id >= ? AND id < ? AND execution = ?",
            (play.first, play.first + min(play.requests, _LONGEST_PLAY), play.execution),
            _LONGEST_PLAY,
            newest_first=False,
        )

    def exchanges_of_play(self, play: Play, *, limit: int = 60) -> tuple[StoredExchange, ...]:
        """The kept exchanges of a play, whole, in order."""
        return self._exchanges(
            "id >= ? AND id < ? AND execution = ?",
            (play.first, play.first + min(play.requests, _LONGEST_PLAY), play.execution),
            limit,
        )

    def refused(self, operation: str, *, limit: int = 4) -> tuple[StoredExchange, ...]:
        """The latest answers of an operation that were no success."""
        page = self.requests(RequestFilter(operation=operation), limit=limit * 4)
        numbers = [line.id for line in page.lines if line.status >= 400][:limit]
        return tuple(one for one in map(self.exchange, numbers) if one is not None)

    def _candidates(self, wanted: RequestFilter, below: int, most: int) -> tuple[RequestLine, ...]:
        if wanted.operation or wanted.status:
            return self._by_index(wanted, below, most)
        if wanted.kind:
            return self._by_kind(wanted.kind, below, most)
        return self._lines("id < ?", (below,), most)

    def _by_index(self, wanted: RequestFilter, below: int, most: int) -> tuple[RequestLine, ...]:
        """The newest of several (operation, status): each is in order, and they are merged."""
        pairs = [
            (one.operation, one.status)
            for one in self.statuses()
            if one.kept and wanted.operation in ("", one.operation) and wanted.has_status(one.status)
        ]
        if not pairs:
            return ()
        each = most if len(pairs) == 1 else max(20, most // len(pairs) + 1)
        numbers: list[int] = []
        complete_above = 0
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[start : start + _PAIRS_AT_ONCE]
            parts, values = list[str](), list[object]()
            for place, (operation, status) in enumerate(part):
                # No answer is NULL, which equals nothing.
                condition = "operation = ? AND status = ?" if status else "operation = ? AND status IS NULL"
                parts.append(
                    f"SELECT * FROM (SELECT {place} AS pair, id FROM exchanges WHERE {condition} AND id < ? "
                    f"ORDER BY id DESC LIMIT ?) AS part{place}"
                )
                values.extend((operation, *((status,) if status else ()), below, each))
            seen: dict[int, list[int]] = {}
            for pair, number in self._rows(" UNION ALL ".join(parts), values):
                seen.setdefault(pair, []).append(number)
            for found in seen.values():
                numbers.extend(found)
                if len(found) == each:  # below its last one there may be more of this pair
                    complete_above = max(complete_above, min(found))
        chosen = sorted((number for number in numbers if number >= complete_above), reverse=True)[:most]
        return self._numbered(chosen)

    def _by_kind(self, kind: str, below: int, most: int) -> tuple[RequestLine, ...]:
        nearest = self._rows(
            "SELECT execution FROM exchanges WHERE id < ? ORDER BY id DESC LIMIT 1", (below,)
        )
        if not nearest:
            return ()
        plays = self._plays("kind = ? AND execution <= ?", (kind, nearest[0][0]), max(8, most // 6))
        found: list[RequestLine] = []
        for play in plays:
            found.extend(line for line in reversed(self.lines_of_play(play)) if line.id < below)
            if len(found) >= most:
                break
        return tuple(found)

    def _with_kinds(self, lines: Sequence[RequestLine]) -> tuple[RequestLine, ...]:
        """The lines with why they were played; plays that are not known have no reason."""
        wanted = sorted({line.execution for line in lines})
        kinds: dict[int, str] = {}
        for start in range(0, len(wanted), 400):
            part = wanted[start : start + 400]
            marks = ", ".join("?" * len(part))
            kinds.update(self._rows(f"SELECT execution, kind FROM plays WHERE execution IN ({marks})", part))
        return tuple(replace(line, kind=kinds.get(line.execution, "")) for line in lines)

    def _lines(
        self, condition: str, values: Sequence[object], limit: int, *, newest_first: bool = True
    ) -> tuple[RequestLine, ...]:
        order = "DESC" if newest_first else "ASC"
        sql = f"SELECT {_LINE_COLUMNS} FROM exchanges WHERE {condition} ORDER BY id {order} LIMIT ?"
        return tuple(_line(row) for row in self._rows(sql, (*values, limit)))

    def _numbered(self, numbers: Sequence[int]) -> tuple[RequestLine, ...]:
        found: list[RequestLine] = []
        for start in range(0, len(numbers), 400):
            part = numbers[start : start + 400]
            found.extend(self._lines(f"id IN ({', '.join('?' * len(part))})", part, len(part)))
        return tuple(found)

    def _plays(self, condition: str, values: Sequence[object], limit: int) -> tuple[Play, ...]:
        rows = self._rows(
            "SELECT execution, seed, kind, mutators, at, first, requests, good FROM plays "
            f"WHERE {condition} ORDER BY execution DESC LIMIT ?",
            (*values, limit),
        )
        return tuple(
            Play(execution, SeedId(seed), kind, tuple(filter(None, names.split(","))), at, first, count, good)
            for execution, seed, kind, names, at, first, count, good in rows
        )

    def _exchanges(self, condition: str, values: Sequence[object], limit: int) -> tuple[StoredExchange, ...]:
        sql = f"SELECT {EXCHANGE_COLUMNS} FROM exchanges WHERE {condition} ORDER BY id LIMIT ?"
        rows = self._rows(sql, (*values, limit))
        digests = sorted(
            {bytes(digest) for row in rows for digest in (row[12], row[19]) if digest is not None}
        )
        bodies: dict[bytes, bytes] = {}
        for start in range(0, len(digests), 400):
            part = digests[start : start + 400]
            marks = ", ".join("?" * len(part))
            found = self._rows(f"SELECT digest, packed, content FROM bodies WHERE digest IN ({marks})", part)
            bodies.update((bytes(digest), body_of(packed, content)) for digest, packed, content in found)
        return tuple(exchange_of(row, bodies) for row in rows)

    # Bugs and seeds ---------------------------------------------------------------------------------------

    def bugs(self) -> tuple[Bug, ...]:
        """All bugs by number, in their latest form."""
        return tuple(
            _bug(bytes(content)) for (content,) in self._rows("SELECT content FROM bugs ORDER BY number")
        )

    def bug_count(self) -> int:
        """How many bugs there are."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM bugs")
        return int(count)

    def bug(self, number: int) -> Bug | None:
        """One bug."""
        rows = self._rows("SELECT content FROM bugs WHERE number = ?", (number,))
        return _bug(bytes(rows[0][0])) if rows else None

    def seeds(self, *, why: str = "", after: int = 0, limit: int = 50) -> SeedPage:
        """Seeds in the order added, perhaps only those with one reason."""
        condition, values = ("why = ? AND place > ?", (why, after)) if why else ("place > ?", (after,))
        rows = self._rows(
            f"SELECT place, content, at, why FROM seeds WHERE {condition} ORDER BY place LIMIT ?",
            (*values, limit + 1),
        )
        found = tuple(
            (int(place), StoredSeed(_seed(bytes(content)), at, reason))
            for place, content, at, reason in rows[:limit]
        )
        return SeedPage(found, found[-1][0] if len(rows) > limit else None)

    def seed_count(self, *, why: str = "") -> int:
        """How many seeds there are."""
        condition, values = ("WHERE why = ?", (why,)) if why else ("", ())
        ((count,),) = self._rows(f"SELECT COUNT(*) FROM seeds {condition}", values)
        return int(count)

    def seed(self, name: SeedId) -> StoredSeed | None:
        """One seed, where it is kept."""
        rows = self._rows("SELECT content, at, why FROM seeds WHERE id = ?", (clean(name),))
        return StoredSeed(_seed(bytes(rows[0][0])), rows[0][1], rows[0][2]) if rows else None

    def seeds_named(self, start: str, *, limit: int = 10) -> tuple[SeedId, ...]:
        """Seeds whose name begins like that."""
        if not start.isalnum():
            return ()
        end = start[:-1] + chr(ord(start[-1]) + 1)
        rows = self._rows(
            "SELECT id FROM seeds WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (start, end, limit)
        )
        return tuple(SeedId(name) for (name,) in rows)

    def lineage(self, seed: SeedId, *, most: int = 40) -> tuple[StoredSeed, ...]:
        """The seed and those it comes from, itself first."""
        line: dict[SeedId, StoredSeed] = {}
        waiting = [seed]
        for wanted in waiting:
            if wanted in line or len(line) >= most:
                continue
            stored = self.seed(wanted)
            if stored is not None:
                line[wanted] = stored
                waiting.extend(stored.seed.parents)
        return tuple(line.values())

    def state(self, name: str) -> bytes | None:
        """The blob of that name."""
        rows = self._rows("SELECT content FROM state WHERE name = ?", (clean(name),))
        return bytes(rows[0][0]) if rows else None


def open_browser(place: str | Path) -> Browser:
    """A campaign to look at: a work folder, its database, or ``postgresql://…#name``.

    Raises ``StoreError`` where there is none, or it was written by another version.
    """
    text = str(place)
    open_store(place, create=False, readonly=True).close()  # says what is wrong, in words
    if text.startswith(("postgresql://", "postgres://")):
        postgres = importlib.import_module("lobrest.store.postgres")
        address, _, fragment = text.partition("#")
        schema = unquote(fragment) or "lobrest"
        database: Database = postgres.PostgresDatabase(address, schema, source=schema, writing=False)
        return Browser(database, running=lambda: _locked_in_postgres(database, schema), name=schema)
    path = Path(place)
    path = path if path.suffix == ".db" else path / DATABASE_NAME
    lock = path.with_name(f"{path.name}.lock")
    name = path.absolute().parent.name
    return Browser(SqliteDatabase(path, writing=False), running=lambda: _locked(lock), name=name)


def _line(row: Row) -> RequestLine:
    number, at, seed, execution, step, operation, method, target, actor, status, failure, seconds = row
    return RequestLine(
        number, at, SeedId(seed), execution, step, operation, method, target, actor, status or 0, failure or "",
        seconds,
    )  # fmt: skip


def _fits(line: RequestLine, wanted: RequestFilter) -> bool:
    if wanted.kind and line.kind != wanted.kind:
        return False
    if wanted.actor and line.actor != wanted.actor:
        return False
    if not wanted.text:
        return True
    shown = f"{line.method} {line.target} {line.operation}".lower()
    return all(word in shown for word in wanted.text.lower().split())


# A bug or seed that did not change is not taken apart again: equal bytes, equal value.
@functools.lru_cache(maxsize=2000)
def _bug(content: bytes) -> Bug:
    return unpack(Bug, content)


@functools.lru_cache(maxsize=500)
def _seed(content: bytes) -> Seed:
    return unpack(Seed, content)


class _Ticks:
    """Requests a second, added up as they come: what was read once is not read again."""

    def __init__(self) -> None:
        self._width = 1
        self._settled: dict[int, int] = {}
        self._until = -1
        """Seconds up to this one do not change any more."""

    def refreshed(self, query: Callable[[str, Sequence[object]], Iterable[Row]]) -> dict[int, int]:
        """Requests by second, drawn together into spans where there are very many."""
        rows = list(query("SELECT second, requests FROM ticks WHERE second > ?", (self._until,)))
        newest = max((second for second, _ in rows), default=-1)
        recent: dict[int, int] = {}
        for second, requests in rows:
            chosen = self._settled if second < newest - _SETTLED_SECONDS else recent
            chosen[self._span(second)] = chosen.get(self._span(second), 0) + requests
        self._until = max(self._until, newest - _SETTLED_SECONDS - 1)
        while len(self._settled) > _MOST_TICKS:
            self._width *= 2
            self._settled = self._merged(self._settled)
            recent = self._merged(recent)
        return {
            span: self._settled.get(span, 0) + recent.get(span, 0) for span in {**self._settled, **recent}
        }

    def _span(self, second: int) -> int:
        return math.ceil((second + 1) / self._width) * self._width - 1

    def _merged(self, spans: Mapping[int, int]) -> dict[int, int]:
        merged: dict[int, int] = {}
        for second, requests in spans.items():
            merged[self._span(second)] = merged.get(self._span(second), 0) + requests
        return merged


def _locked(path: Path) -> bool:
    """Does a process hold the lock of a work folder?"""
    if sys.platform == "win32":
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        holder = os.read(handle, 20).decode("ascii", "replace").strip()
        # The lock is only tried where somebody may hold it: to try it is to hold it for a moment.
        if not holder.isdigit() or (Path("/proc/self").exists() and not Path(f"/proc/{holder}").exists()):
            return False
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _locked_in_postgres(database: Database, schema: str) -> bool:
    digest = hashlib.blake2b(f"lobrest {schema}".encode(), digest_size=8).digest()
    high, low = int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:], "big")
    held = (
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ? AND objid = ? AND granted LIMIT 1"
    )
    return bool(database.query(held, (high, low)))
