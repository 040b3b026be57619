"""Log files in, ``LogTable`` out: parse, route, drop, bind, split by user."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lobrest.errors import LogError
from lobrest.logs.arguments import ArgumentReader
from lobrest.logs.blocks import BLOCK, blocks
from lobrest.logs.creations import Producer
from lobrest.logs.columns import PLACES, Columns, CreationSeen
from lobrest.logs.formats import AUTO, BadLine, Detection, FormatOptions, detect
from lobrest.logs.instances import InstanceReader
from lobrest.logs.mine import CorpusBuilder
from lobrest.logs.plan import make_plan
from lobrest.logs.resolve import InstanceTable, Names, Rows, copies, follow_redirects, join_unscoped
from lobrest.logs.scan import Block, Scanner
from lobrest.logs.statistics import Dropped, FileStatistics, Flow, LogStatistics, gaps_of, quantiles
from lobrest.logs.table import DetailStore, Instances, LogTable
from lobrest.logs.users import Identifier, users_of
from lobrest.model.entry import Place, UserId
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Profile
from lobrest.spec.router import Router

Scan = Callable[[Block], Columns]
Spread = Callable[[Scan, Iterable[Block]], Iterable[Columns]]
"""Applies a function to blocks, in order; the application gives one that uses several processes."""
Suggest = Callable[
    [NDArray[np.float64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]], tuple[float, float]
]
"""Times, users, instance offsets and ids of a log → Δ for MLTS and STWS in seconds."""

_HEAD = 256 << 10
_UNKNOWN_SHOWN = 50
_BACKWARD_SECONDS = 60.0
_FLOWS_SHOWN = 5_000


@dataclass(slots=True)
class _Part:
    """The columns of one block, numbers already those of the whole log."""

    times: NDArray[np.float64]
    actors: NDArray[np.int32]
    operations: NDArray[np.int32]
    statuses: NDArray[np.int16]
    lines: NDArray[np.int64]
    counts: NDArray[np.uint16]
    used: NDArray[np.int32]
    file: int


class LogReader:
    """Takes files one after the other, then gives the table. Opens nothing itself.

    ``format`` is ``auto`` or the name of one; ``field_map`` says which JSON field plays which role; ``template``
    is an nginx ``log_format`` or Apache ``LogFormat``. ``user_key`` keys the hashes that stand for tokens and the
    like. ``spread`` may read blocks on several cores; ``suggest`` knows good time limits.
    """

    def __init__(
        self,
        spec: ApiSpec,
        router: Router,
        model: ResourceModel,
        *,
        format: str = AUTO,
        field_map: Mapping[str, str] | None = None,
        template: str = "",
        user_key: bytes,
        profile: Profile = Profile.DEFAULT,
        spread: Spread = map,
        suggest: Suggest | None = None,
        block_size: int = BLOCK,
    ) -> None:
        self._spec = spec
        self._router = router
        self._model = model
        self._format = format
        self._options = FormatOptions(template=template, fields=dict(field_map or {}))
        self._user_key = user_key
        self._profile = profile
        self._spread = spread
        self._suggest = suggest
        self._block_size = block_size
        self._plan = make_plan(spec, model, profile)
        self._scanner = Scanner(self._plan, router, user_key)
        self._files: list[FileStatistics] = []
        self._parts: list[_Part] = []
        self._segments: list[list[bytes]] = []
        self._starts: list[int] = []
        self._rows = 0
        self._identities: dict[tuple[str, str], int] = {}
        self._table = InstanceTable()
        self._creations: list[CreationSeen] = []
        self._aliases: list[tuple[int, int]] = []
        self._renames: list[tuple[int, int, int]] = []
        self._redirects: list[tuple[int, tuple[int, ...]]] = []
        self._corpus = CorpusBuilder()
        self._unknown: Counter[str] = Counter()
        self._drops: dict[str, tuple[int, list[Place]]] = {}
        self._flows: Counter[tuple[int, str, int, str, str]] = Counter()
        self._not_requests = 0
        self._lines = 0
        self._blocks = 0

    def feed(
        self, file_name: str, chunks: Iterable[bytes], *, warnings: Callable[[], str] | None = None
    ) -> None:
        """Read one file. ``warnings`` is asked at its end what was wrong with the file as a whole."""
        source = iter(chunks)
        head, rest = _peek(source, _HEAD)
        detection = detect(head, file_name, self._options, self._format)
        kept_before, lines_before = self._rows, self._lines
        if detection.format_name:
            self._learn_prefix(head, detection)
            found = self._spread(self._scanner.scan, self._blocks_of(rest, detection))
            for columns in found:
                self._take(columns, file_name, len(self._files))
        else:
            self._skip(file_name, rest)
        self._files.append(
            FileStatistics(
                file_name,
                detection,
                self._lines - lines_before,
                self._rows - kept_before,
                warnings() if warnings else "",
            )
        )

    def finish(self, *, allow_empty: bool = False) -> LogTable:
        """The table. Raises ``LogError`` when nothing of the service was in the files, unless that is allowed."""
        if not self._rows and not allow_empty:
            raise self._nothing()
        rows, files, lines = self._gathered()
        users = self._users(rows)
        table, names = self._table, Names(self._table)
        acting = frozenset(
            number for number, name in enumerate(self._plan.resources) if name in self._model.acting_users
        )
        keep = (
            ~copies(rows.times, files, _line_keys(rows))
            if len(self._files) > 1
            else np.ones(len(files), bool)
        )
        order = np.lexsort((rows.times, rows.users))
        order = order[keep[order]]
        followed = follow_redirects(rows, order, self._redirects, table, names, acting)
        self._count_dropped("copy of a line in another file", np.flatnonzero(~keep), files, lines)
        self._count_dropped(
            "redirect, followed by the same call", np.asarray(followed, np.int64), files, lines
        )
        keep[np.asarray(followed, dtype=np.int64)] = False
        rank = np.empty(len(files), dtype=np.int64)
        rank[np.argsort(rows.times, kind="stable")] = np.arange(len(files))
        self._join_names(rows, rank, names)
        made = self._produced(rows, rank, keep, names)
        return self._table_of(rows, files, lines, keep, users, names.column(), made)

    # --- reading -----------------------------------------------------------------------------------------------

    def _blocks_of(self, chunks: Iterable[bytes], detection: Detection) -> Iterator[Block]:
        known, options = detection.format, detection.options
        if known.documents is not None:
            yield Block(self._next_block(), b"".join(chunks), 1, known, options, detection.wrapping)
            return
        context = b""
        for lines in blocks(chunks, size=self._block_size):
            for number in lines.too_long:
                self._drop_line("not readable: line too long", number)
            yield Block(
                self._next_block(),
                lines.data,
                lines.first_line,
                known,
                replace(options, context=context) if known.context is not None else options,
                detection.wrapping,
            )
            if known.context is not None:
                context = known.context(lines.data, context)

    def _next_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1

    def _learn_prefix(self, head: bytes, detection: Detection) -> None:
        """A gateway may put a prefix before every path: the first lines tell."""
        known = detection.format
        requests: list[tuple[str, str]] = []
        if known.documents is not None:
            records: Iterable[object] = known.documents(head)
        else:
            parse = detection.wrapping.unwrapped(known.parser(detection.options))
            records = (_parsed(parse, line) for line in head.split(b"\n")[:2000])
        for record in records:
            method, target = getattr(record, "method", ""), getattr(record, "target", "")
            if method and target and len(requests) < 2000:
                requests.append((method, target.partition("?")[0]))
        learnt = self._router.learnt(requests)
        if learnt is not self._router:
            self._router = learnt
            self._scanner = Scanner(self._plan, learnt, self._user_key)

    def _skip(self, file_name: str, chunks: Iterable[bytes]) -> None:
        for lines in blocks(chunks, size=self._block_size):
            count = lines.data.count(b"\n") + lines.unfinished
            self._lines += count
            self._drop_lines(
                "format not recognised", count, [Place(file_name, lines.first_line)] if count else []
            )

    def _take(self, columns: Columns, file_name: str, file: int) -> None:
        """Add a block's columns, its numbers turned into those of the whole log."""
        actors = np.asarray(
            [
                self._identities.setdefault(identity, len(self._identities))
                for identity in columns.actor_table
            ],
            dtype=np.int32,
        )
        numbers = np.empty(len(columns.instance_table), dtype=np.int32)
        intern = self._table.intern
        for place, (resource, value, scope) in enumerate(columns.instance_table):
            numbers[place] = intern(resource, value, int(numbers[scope]) if scope >= 0 else -1)
        first = self._rows
        for seen in columns.creations:
            seen.row += first
            seen.scope = int(numbers[seen.scope]) if seen.scope >= 0 else -1
        self._creations += columns.creations
        self._aliases += [(int(numbers[a]), int(numbers[b])) for a, b in columns.aliases]
        self._renames += [(row + first, int(numbers[a]), int(numbers[b])) for row, a, b in columns.renames]
        self._redirects += [
            (row + first, tuple(int(numbers[n]) if n >= 0 else -1 for n in held))
            for row, held in columns.redirects
        ]
        if len(columns.times):
            local_actors = _column(columns.actors, np.int32)
            local_used = _column(columns.used, np.int32)
            self._parts.append(
                _Part(
                    _column(columns.times, np.float64),
                    actors[local_actors],
                    _column(columns.operations, np.int32),
                    _column(columns.statuses, np.int16),
                    _column(columns.lines, np.int64),
                    _column(columns.counts, np.uint16),
                    numbers[local_used] if len(local_used) else local_used,
                    file,
                )
            )
            self._starts.append(first)
            self._segments.append(columns.segments)
            self._rows += len(columns.times)
        self._lines += columns.lines_read
        self._not_requests += columns.not_requests
        self._corpus.join(columns.corpus)
        self._unknown.update(columns.unknown)
        self._flows.update(columns.flows)
        for reason, drop in columns.drops.items():
            self._drop_lines(reason, drop.count, [Place(file_name, line) for line in drop.lines])

    def _drop_lines(self, reason: str, count: int, places: list[Place]) -> None:
        known, held = self._drops.get(reason, (0, []))
        self._drops[reason] = (known + count, (held + places)[:PLACES])

    def _drop_line(self, reason: str, number: int) -> None:
        self._drop_lines(reason, 1, [Place("", number)])

    def _count_dropped(
        self, reason: str, rows: NDArray[np.int64], files: NDArray[np.int32], lines: NDArray[np.int64]
    ) -> None:
        if len(rows):
            places = [
                Place(self._files[int(files[row])].name, int(lines[row])) for row in rows[:PLACES].tolist()
            ]
            self._drop_lines(reason, len(rows), places)

    # --- the whole log -----------------------------------------------------------------------------------------

    def _gathered(self) -> tuple[Rows, NDArray[np.int32], NDArray[np.int64]]:
        parts, self._parts = self._parts, []

        def joined(name: str, kind: type[np.generic]) -> NDArray[Any]:
            held = [getattr(part, name) for part in parts]
            return np.concatenate(held) if held else np.zeros(0, kind)

        counts = joined("counts", np.uint16)
        offsets = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        files = np.repeat(
            np.asarray([part.file for part in parts], dtype=np.int32), [len(part.times) for part in parts]
        )
        rows = Rows(
            joined("times", np.float64),
            joined("actors", np.int32),
            joined("operations", np.int32),
            joined("statuses", np.int16),
            joined("used", np.int32),
            offsets,
        )
        return rows, files, joined("lines", np.int64)

    def _users(self, rows: Rows) -> tuple[UserId, ...]:
        """Replace the senders in the rows by users."""
        named = users_of(list(self._identities), self._profile)
        order: dict[UserId, int] = {}
        numbers = np.asarray([order.setdefault(user, len(order)) for user in named], dtype=np.int32)
        if len(rows.users):
            rows.users = numbers[rows.users]
        return tuple(order)

    def _join_names(self, rows: Rows, rank: NDArray[np.int64], names: Names) -> None:
        """Everything that shows two names of one thing."""
        table = self._table
        for left, right in self._aliases:
            names.join(left, right)
        for seen in self._creations:
            if len(seen.names) > 1 and not seen.scope_open:
                known = table.intern(seen.resource, seen.names[0], seen.scope)
                for other in seen.names[1:]:
                    names.join(known, table.intern(seen.resource, other, seen.scope))
        if self._renames:
            _, last = _uses(rows, rank, np.arange(len(table), dtype=np.int32), np.ones(len(rank), dtype=bool))
            for row, old, new in self._renames:
                if last[new] > rank[row]:
                    names.join(old, new)
        names.close()
        if self._profile is Profile.DEFAULT:
            join_unscoped(table, names)
            names.close()

    def _produced(
        self, rows: Rows, rank: NDArray[np.int64], keep: NDArray[np.bool_], names: Names
    ) -> NDArray[np.int32]:
        first, last = _uses(rows, rank, names.column(), keep)
        creations = sorted(
            (seen for seen in self._creations if keep[seen.row]), key=lambda seen: int(rank[seen.row])
        )
        made = np.full(len(rank), -1, dtype=np.int32)
        producer = Producer(rows, rank, self._table, names, first, last)
        for row, number in producer.produce(creations).items():
            made[row] = number
        return made

    def _table_of(
        self,
        rows: Rows,
        files: NDArray[np.int32],
        lines: NDArray[np.int64],
        keep: NDArray[np.bool_],
        users: tuple[UserId, ...],
        standing: NDArray[np.int32],
        made: NDArray[np.int32],
    ) -> LogTable:
        kept = np.flatnonzero(keep)
        rows.used = standing[rows.used] if len(rows.used) else rows.used
        made = (
            np.where(made >= 0, standing[np.maximum(made, 0)], -1).astype(np.int32) if len(standing) else made
        )
        offsets, involved = _involved(rows, made, kept)
        scopes = np.asarray(self._table.scopes, dtype=np.int32)
        scopes = (
            np.where(scopes >= 0, standing[np.maximum(scopes, 0)], -1).astype(np.int32)
            if len(scopes)
            else scopes
        )
        instances = Instances(
            self._plan.resources,
            np.asarray(self._table.resources, dtype=np.int32),
            self._table.values,
            scopes,
        )
        used_users, user_ids = np.unique(rows.users[kept], return_inverse=True)
        arguments = ArgumentReader(self._spec)
        table = LogTable(
            times=rows.times[kept],
            user_ids=user_ids.astype(np.int32),
            operation_ids=rows.operations[kept],
            statuses=rows.statuses[kept],
            file_ids=files[kept],
            lines=lines[kept],
            instance_offsets=offsets,
            instance_ids=involved,
            created_ids=made[kept],
            users=tuple(users[number] for number in used_users.tolist()),
            operations=tuple(self._spec.operations),
            files=tuple(file.name for file in self._files),
            instances=instances,
            corpus=self._corpus.build(),
            statistics=self._statistics(rows, files, kept, made),
            value_flows=self._value_flows(),
            rows=kept,
            used=rows.used,
            used_offsets=rows.used_offsets,
            details=DetailStore(self._starts, self._segments),
            reader=InstanceReader(arguments, Identifier(self._user_key)),
            arguments=arguments,
            plan=self._plan,
            router=self._router,
        )
        table.statistics = self._with_gaps(table)
        return table

    def _statistics(
        self, rows: Rows, files: NDArray[np.int32], kept: NDArray[np.int64], made: NDArray[np.int32]
    ) -> LogStatistics:
        times = rows.times[kept]
        good = kept[rows.statuses[kept] < 400]
        used = set(np.unique(rows.operations[good]).tolist())
        same_file = files[1:] == files[:-1]
        creations = [seen for seen in self._creations if made[seen.row] >= 0]
        dropped = [Dropped(reason, count, tuple(places)) for reason, (count, places) in self._drops.items()]
        return LogStatistics(
            files=tuple(self._files),
            lines=self._lines,
            not_requests=self._not_requests,
            kept=len(kept),
            dropped=tuple(sorted(dropped, key=lambda drop: -drop.count)),
            first=float(times.min()) if len(times) else None,
            last=float(times.max()) if len(times) else None,
            users=len(np.unique(rows.users[kept])),
            operations_used=len(used),
            operations_unused=tuple(
                identity for number, identity in enumerate(self._spec.operations) if number not in used
            ),
            unknown=tuple(self._unknown.most_common(_UNKNOWN_SHOWN)),
            creations=len(self._creations),
            creations_known=len(creations),
            backward_jumps=int(np.count_nonzero((np.diff(rows.times) < -_BACKWARD_SECONDS) & same_file)),
        )

    def _with_gaps(self, table: LogTable) -> LogStatistics:
        gaps = gaps_of(table.times, table.queue_order, table.queue_starts)
        statistics = replace(table.statistics, gaps=quantiles(gaps))
        if self._suggest is None or not len(table):
            return statistics
        lead, window = self._suggest(table.times, table.user_ids, table.instance_offsets, table.instance_ids)
        return replace(statistics, suggested_mlt_seconds=lead, suggested_stw_seconds=window)

    def _value_flows(self) -> tuple[Flow, ...]:
        operations = tuple(self._spec.operations)
        return tuple(
            Flow(operations[source], pointer, operations[target], location, name, count)
            for (source, pointer, target, location, name), count in self._flows.most_common(_FLOWS_SHOWN)
        )

    def _nothing(self) -> LogError:
        if not self._files:
            return LogError("no log was given")
        name = self._files[0].name if len(self._files) == 1 else f"{len(self._files)} files"
        if not self._lines:
            return LogError("the log is empty", source=name)
        reason, (count, places) = max(self._drops.items(), key=lambda item: item[1][0], default=("", (0, [])))
        if reason == "format not recognised":
            return LogError(
                "not a log that can be read",
                source=name,
                hint="give --format, or a field map in lobrest.toml",
            )
        hint = f"{count} of {self._lines} lines: {reason}" + (f", first at {places[0]}" if places else "")
        return LogError("no line of the log belongs to the service", source=name, hint=hint)


def _peek(source: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, and everything again."""
    held: deque[bytes] = deque()
    length = 0
    for chunk in source:
        held.append(chunk)
        length += len(chunk)
        if length >= size:
            break
    head = b"".join(held)

    def again() -> Iterator[bytes]:
        while held:
            yield held.popleft()
        yield from source

    return head[:size], again()


def _parsed(parse: Callable[[bytes], object], line: bytes) -> object:
    try:
        return parse(line)
    except BadLine:
        return None


def _column(values: array[int] | array[float], kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(values, dtype=kind) if len(values) else np.zeros(0, dtype=kind)


def _line_keys(rows: Rows) -> NDArray[np.uint64]:
    """A number for each row that equal lines share: when, who, what, how it went, and on what."""
    prime = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        mixed = (rows.used.astype(np.uint64) + np.uint64(1)) * prime
        mixed ^= mixed >> np.uint64(29)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
        keys = sums[rows.used_offsets[1:]] - sums[rows.used_offsets[:-1]]
        for column in (rows.times.view(np.uint64), rows.users, rows.operations, rows.statuses):
            keys = (keys ^ column.astype(np.uint64)) * prime
            keys ^= keys >> np.uint64(31)
    return keys


def _uses(
    rows: Rows, rank: NDArray[np.int64], standing: NDArray[np.int32], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last rank at which each instance is used; -1 for never."""
    counts = np.diff(rows.used_offsets)
    at = np.repeat(np.where(keep, rank, -1), counts)
    numbers = standing[rows.used] if len(rows.used) else rows.used
    alive = at >= 0
    first = np.full(len(standing), len(rank), dtype=np.int64)
    last = np.full(len(standing), -1, dtype=np.int64)
    np.minimum.at(first, numbers[alive], at[alive])
    np.maximum.at(last, numbers[alive], at[alive])
    first[first == len(rank)] = -1
    return first, last


def _involved(
    rows: Rows, made: NDArray[np.int32], kept: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For the kept rows, what each uses and makes, each instance once."""
    counts = np.diff(rows.used_offsets)[kept]
    begins = rows.used_offsets[:-1][kept]
    makes = made[kept] >= 0
    owners = np.concatenate((np.repeat(np.arange(len(kept)), counts), np.flatnonzero(makes)))
    before = np.concatenate(([0], np.cumsum(counts)))
    places = np.arange(before[-1]) + np.repeat(begins - before[:-1], counts)
    numbers = np.concatenate((rows.used[places], made[kept][makes])).astype(np.int64)
    width = max(int(numbers.max()) + 1, 1) if len(numbers) else 1
    pairs = np.unique(owners * width + numbers)
    owner, number = np.divmod(pairs, width)
    offsets = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=len(kept)), out=offsets[1:])
    return offsets, number.astype(np.int32)
