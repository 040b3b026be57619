"""Log files in, ``LogTable`` out: parse, route, drop, bind, split by user."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lobrest.errors import LogError
from lobrest.logs.arguments import ArgumentReader
from lobrest.logs.blocks import BLOCK, blocks
from lobrest.logs.columns import PLACES, Additions, Columns, CreationSeen
from lobrest.logs.creations import Created, Producer
from lobrest.logs.formats import AUTO, Detection, FormatOptions, LineError, detect
from lobrest.logs.instances import InstanceReader
from lobrest.logs.mine import CorpusBuilder
from lobrest.logs.plan import make_plan
from lobrest.logs.resolve import (
    InstanceTable,
    Names,
    Rows,
    copies,
    first_and_last_use,
    follow_redirects,
    involved,
    join_unscoped,
    line_keys,
    logged_again,
    present,
)
from lobrest.logs.scan import Block, Scanner
from lobrest.logs.statistics import (
    MOST_HOSTS,
    Dropped,
    FileStatistics,
    Flow,
    LogStatistics,
    gaps_of,
    quantiles,
)
from lobrest.logs.table import Instances, LogTable, PackedStore, RowSources
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
_HEAD_LINES = 5
_LONGEST_HEAD = 8 << 20
_UNKNOWN_SHOWN = 50
_BACKWARD_SECONDS = 60.0
_FLOWS_SHOWN = 5_000
_HOSTS_COUNTED = 10_000
_ONE_REQUEST_SECONDS = 5.0
"""Proxies of a mesh log one request within so many seconds, their clocks included."""


_NO_KEYS: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
_NO_NUMBERS: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


@dataclass(slots=True)
class _Part:
    """The columns of one block, numbers already those of the whole log."""

    times: NDArray[np.float64]
    actors: NDArray[np.int32]
    statuses: NDArray[np.int16]
    lines: NDArray[np.int32]
    requests: NDArray[np.int32]
    request_keys: NDArray[np.uint64]
    file: int


@dataclass(slots=True)
class _Known:
    """What a vocabulary's numbers are in the whole log."""

    actors: NDArray[np.int32] = field(default_factory=lambda: _NO_NUMBERS)
    instances: NDArray[np.int32] = field(default_factory=lambda: _NO_NUMBERS)
    sets: NDArray[np.int32] = field(default_factory=lambda: _NO_NUMBERS)
    requests: NDArray[np.int32] = field(default_factory=lambda: _NO_NUMBERS)


@dataclass(slots=True)
class _Requests:
    """The distinct requests of the log so far, and the sets of instances they involve."""

    operations: list[NDArray[np.int32]] = field(default_factory=list)
    sets: list[NDArray[np.int32]] = field(default_factory=list)
    set_sizes: list[NDArray[np.int32]] = field(default_factory=list)
    set_members: list[NDArray[np.int32]] = field(default_factory=list)
    creations: dict[int, CreationSeen] = field(default_factory=dict)
    count: int = 0
    set_count: int = 0


@dataclass(slots=True)
class _Sources:
    """Where each row comes from."""

    files: NDArray[np.int32]
    lines: NDArray[np.int32]
    requests: NDArray[np.int32]


class LogReader:
    """Takes files one after the other, then gives the table. Opens nothing itself.

    ``format`` is ``auto`` or the name of one; ``field_map`` says which JSON field plays which role;
    ``template``
    is an nginx ``log_format`` or Apache ``LogFormat``. ``user_key`` keys the hashes that stand for tokens
    and the
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
        self._details = PackedStore()
        self._requests = _Requests()
        self._vocabularies: dict[int, _Known] = {}
        self._rows = 0
        self._identities: dict[tuple[str, str], int] = {}
        self._table = InstanceTable()
        self._aliases: list[tuple[int, int]] = []
        self._renames: list[tuple[int, int, int]] = []
        self._redirects: list[tuple[int, tuple[int, ...]]] = []
        self._corpus = CorpusBuilder()
        self._unknown: Counter[str] = Counter()
        self._drops: dict[str, tuple[int, list[Place]]] = {}
        self._flows: Counter[tuple[int, str, int, str, str]] = Counter()
        self._hosts: Counter[str] = Counter()
        self._not_requests = 0
        self._lines = 0
        self._blocks = 0
        self._bytes = 0

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
            too_long: deque[bool] = deque()
            line = 1
            for columns in self._spread(self._scanner.scan, self._blocks_of(rest, detection, too_long)):
                self._take(columns, file_name, len(self._files), line)
                line += columns.lines_read
                if too_long.popleft():
                    self._drop_lines("not readable: line too long", 1, [Place(file_name, line)])
                    self._lines += 1
                    line += 1
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
        """The table.

        Raises ``LogError`` when nothing of the service was in the files, unless that is allowed.
        """
        if not self._rows and not allow_empty:
            raise self._nothing()
        rows, sources = self._gathered()
        users = self._users(rows)
        names = Names(self._table)
        acting = frozenset(
            number for number, name in enumerate(self._plan.resources) if name in self._model.acting_users
        )
        keep = np.ones(len(rows.times), dtype=bool)
        if len(self._files) > 1:
            keep = ~copies(rows.times, sources.files, line_keys(rows))
            self._count_dropped("copy of a line in another file", np.flatnonzero(~keep), sources)
        again = logged_again(rows, keep, _ONE_REQUEST_SECONDS)
        self._count_dropped("the same request, logged by another proxy", np.flatnonzero(again), sources)
        keep &= ~again
        order = np.lexsort((rows.times, rows.users))
        order = order[keep[order]]
        followed = follow_redirects(rows, order, self._redirects, self._table, names, acting)
        self._count_dropped("redirect, followed by the same call", np.asarray(followed, np.int64), sources)
        keep[np.asarray(followed, dtype=np.int64)] = False
        rank = np.empty(len(rows.times), dtype=np.int64)
        rank[np.argsort(rows.times, kind="stable")] = np.arange(len(rank))
        created = self._created(rows, sources)
        self._join_names(rows, rank, names, created)
        made = self._produced(rows, rank, keep, names, created)
        return self._table_of(rows, sources, keep, users, names.column(), made, len(created.rows))

    # Reading.

    def _blocks_of(
        self, chunks: Iterable[bytes], detection: Detection, too_long: deque[bool]
    ) -> Iterator[Block]:
        known, options = detection.format, detection.options
        if known.documents is not None:
            too_long.append(False)
            yield self._block(b"".join(chunks), detection, options)
            return
        context = b""
        for lines in blocks(chunks, size=self._block_size):
            too_long.append(lines.too_long)
            settled = replace(options, context=context) if known.context is not None else options
            yield self._block(lines.data, detection, settled)
            if known.context is not None:
                context = known.context(lines.data, context)

    def _block(self, data: bytes, detection: Detection, options: FormatOptions) -> Block:
        block = Block(self._blocks, self._bytes, data, detection.format_name, options, detection.wrapping)
        self._blocks += 1
        self._bytes += len(data)
        return block

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
        count = 0
        for lines in blocks(chunks, size=self._block_size):
            count += lines.data.count(b"\n") + lines.too_long + (not lines.data.endswith(b"\n"))
        self._lines += count
        if count:
            self._drop_lines("format not recognised", count, [Place(file_name, 1)])

    def _take(self, columns: Columns, file_name: str, file: int, first_line: int) -> None:
        """Add a block's columns, its numbers turned into those of the whole log."""
        known = self._vocabularies.setdefault(columns.vocabulary, _Known())
        self._learn(columns.additions, known)
        numbers, first = known.instances, self._rows
        self._renames += [(row + first, int(numbers[a]), int(numbers[b])) for row, a, b in columns.renames]
        self._redirects += [
            (row + first, tuple(int(numbers[n]) if n >= 0 else -1 for n in held))
            for row, held in columns.redirects
        ]
        if len(columns.times):
            self._parts.append(
                _Part(
                    columns.times,
                    known.actors[columns.actors],
                    columns.statuses,
                    columns.lines + np.int32(first_line),
                    known.requests[columns.requests],
                    columns.request_keys if columns.request_keys is not None else _NO_KEYS,
                    file,
                )
            )
            self._rows += len(columns.times)
        self._lines += columns.lines_read
        self._not_requests += columns.not_requests
        self._corpus.join(columns.corpus)
        self._unknown.update(columns.unknown)
        self._flows.update(columns.flows)
        for host, count in columns.hosts.items():
            if host in self._hosts or len(self._hosts) < _HOSTS_COUNTED:
                self._hosts[host] += count
        for reason, drop in columns.drops.items():
            self._drop_lines(reason, drop.count, [Place(file_name, first_line + line) for line in drop.lines])

    def _learn(self, new: Additions, known: _Known) -> None:
        """What a vocabulary learnt, in the numbers of the whole log."""
        identities, intern, held = self._identities, self._table.intern, self._requests
        actors = [identities.setdefault(identity, len(identities)) for identity in new.actors]
        known.actors = np.append(known.actors, np.asarray(actors, dtype=np.int32))
        numbers = np.append(known.instances, np.empty(len(new.instances), dtype=np.int32))
        for place, (resource, value, scope) in enumerate(new.instances, start=len(known.instances)):
            numbers[place] = intern(resource, value, int(numbers[scope]) if scope >= 0 else -1)
        known.instances = numbers
        self._aliases += [(int(numbers[a]), int(numbers[b])) for a, b in new.aliases]
        first_set, first = held.set_count, held.count
        known.sets = np.append(
            known.sets, np.arange(first_set, first_set + len(new.set_sizes), dtype=np.int32)
        )
        held.set_sizes.append(new.set_sizes)
        held.set_members.append(numbers[new.set_members] if len(new.set_members) else new.set_members)
        held.set_count += len(new.set_sizes)
        count = len(new.operations)
        if not count:
            return
        known.requests = np.append(known.requests, np.arange(first, first + count, dtype=np.int32))
        held.operations.append(new.operations)
        held.sets.append(known.sets[new.sets])
        self._details.add(new.details, count)
        for place, seen in new.creations:
            seen.scope = int(numbers[seen.scope]) if seen.scope >= 0 else -1
            held.creations[first + place] = seen
        held.count += count

    def _drop_lines(self, reason: str, count: int, places: list[Place]) -> None:
        known, held = self._drops.get(reason, (0, []))
        self._drops[reason] = (known + count, (held + places)[:PLACES])

    def _count_dropped(self, reason: str, rows: NDArray[np.int64], sources: _Sources) -> None:
        if len(rows):
            places = [
                Place(self._files[int(sources.files[row])].name, int(sources.lines[row]))
                for row in rows[:PLACES].tolist()
            ]
            self._drop_lines(reason, len(rows), places)

    # The whole log.

    def _gathered(self) -> tuple[Rows, _Sources]:
        parts, self._parts = self._parts, []

        def joined(name: str, kind: type[np.generic]) -> NDArray[Any]:
            held = [getattr(part, name) for part in parts]
            return np.concatenate(held) if held else np.zeros(0, kind)

        held = self._requests
        sizes = _joined(held.set_sizes)
        offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        requests = joined("requests", np.int32)
        rows = Rows(
            joined("times", np.float64),
            joined("actors", np.int32),
            _joined(held.operations)[requests],
            joined("statuses", np.int16),
            _joined(held.sets)[requests],
            offsets,
            _joined(held.set_members),
            _request_keys(parts),
        )
        files = np.repeat(
            np.asarray([part.file for part in parts], dtype=np.int32), [len(part.times) for part in parts]
        )
        return rows, _Sources(files, joined("lines", np.int32), requests)

    def _created(self, rows: Rows, sources: _Sources) -> Created:
        """The rows that made something, in the order of the files."""
        makes = np.full(self._requests.count, -1, dtype=np.int32)
        templates = list(self._requests.creations.values())
        makes[list(self._requests.creations)] = np.arange(len(templates))
        chosen = np.flatnonzero((makes[sources.requests] >= 0) & (rows.statuses < 300))
        return Created(chosen, makes[sources.requests[chosen]], templates)

    def _users(self, rows: Rows) -> tuple[UserId, ...]:
        """Replace the senders in the rows by users."""
        named = users_of(list(self._identities), self._profile)
        order: dict[UserId, int] = {}
        numbers = np.asarray([order.setdefault(user, len(order)) for user in named], dtype=np.int32)
        if len(rows.users):
            rows.users = numbers[rows.users]
        return tuple(order)

    def _join_names(self, rows: Rows, rank: NDArray[np.int64], names: Names, created: Created) -> None:
        """Everything that shows two names of one thing."""
        table = self._table
        for left, right in self._aliases:
            names.join(left, right)
        for number in present(created.templates).tolist():
            seen = created.seen[number]
            if len(seen.names) > 1 and not seen.scope_open:
                known = table.intern(seen.resource, seen.names[0], seen.scope)
                for other in seen.names[1:]:
                    names.join(known, table.intern(seen.resource, other, seen.scope))
        if self._renames:
            everything = np.ones(len(rank), dtype=bool)
            _, last = first_and_last_use(
                rows, rank, everything, len(table), np.arange(len(table), dtype=np.int32)
            )
            for row, old, new in self._renames:
                if last[new] > rank[row]:
                    names.join(old, new)
        names.close()
        if self._profile is Profile.DEFAULT:
            join_unscoped(table, names)
            names.close()

    def _produced(
        self, rows: Rows, rank: NDArray[np.int64], keep: NDArray[np.bool_], names: Names, created: Created
    ) -> NDArray[np.int32]:
        first, last = first_and_last_use(rows, rank, keep, len(self._table), names.column())
        producer = Producer(rows, rank, self._table, names, first, last)
        made = np.full(len(rank), -1, dtype=np.int32)
        numbers = producer.produce(created.among(keep, rank))
        made[np.fromiter(numbers, np.int64, len(numbers))] = np.fromiter(
            numbers.values(), np.int32, len(numbers)
        )
        return made

    def _table_of(
        self,
        rows: Rows,
        sources: _Sources,
        keep: NDArray[np.bool_],
        users: tuple[UserId, ...],
        standing: NDArray[np.int32],
        made: NDArray[np.int32],
        creations: int,
    ) -> LogTable:
        kept = np.flatnonzero(keep)
        made = _standing(made, standing)
        offsets, numbers = involved(rows, made, kept, standing)
        instances = Instances(
            self._plan.resources,
            np.asarray(self._table.resources, dtype=np.int32),
            self._table.values,
            _standing(np.asarray(self._table.scopes, dtype=np.int32), standing),
        )
        used_users = present(rows.users[kept])
        place_of = np.zeros(len(users), dtype=np.int32)
        place_of[used_users] = np.arange(len(used_users))
        arguments = ArgumentReader(self._spec)
        table = LogTable(
            times=rows.times[kept],
            user_ids=place_of[rows.users[kept]],
            operation_ids=rows.operations[kept],
            statuses=rows.statuses[kept],
            file_ids=sources.files[kept],
            lines=sources.lines[kept],
            instance_offsets=offsets,
            instance_ids=numbers,
            created_ids=made[kept],
            users=tuple(users[number] for number in used_users.tolist()),
            operations=tuple(self._spec.operations),
            files=tuple(file.name for file in self._files),
            instances=instances,
            corpus=self._corpus.build(),
            statistics=self._statistics(rows, sources, kept, made, creations),
            value_flows=self._value_flows(),
            sources=RowSources(
                sources.requests[kept],
                rows.set_ids[kept],
                rows.set_offsets,
                _standing(rows.set_members, standing),
                self._details,
            ),
            reader=InstanceReader(arguments, Identifier(self._user_key)),
            arguments=arguments,
            plan=self._plan,
            router=self._router,
        )
        table.statistics = self._with_gaps(table)
        return table

    def _statistics(
        self,
        rows: Rows,
        sources: _Sources,
        kept: NDArray[np.int64],
        made: NDArray[np.int32],
        creations: int,
    ) -> LogStatistics:
        times = rows.times[kept]
        good = kept[rows.statuses[kept] < 400]
        used = set(present(rows.operations[good]).tolist())
        same_file = sources.files[1:] == sources.files[:-1]
        dropped = [Dropped(reason, count, tuple(places)) for reason, (count, places) in self._drops.items()]
        return LogStatistics(
            files=tuple(self._files),
            lines=self._lines,
            not_requests=self._not_requests,
            kept=len(kept),
            dropped=tuple(sorted(dropped, key=lambda drop: -drop.count)),
            first=float(times.min()) if len(times) else None,
            last=float(times.max()) if len(times) else None,
            users=len(present(rows.users[kept])),
            operations_used=len(used),
            operations_unused=tuple(
                identity for number, identity in enumerate(self._spec.operations) if number not in used
            ),
            unknown=tuple(self._unknown.most_common(_UNKNOWN_SHOWN)),
            creations=creations,
            creations_known=int(np.count_nonzero(made >= 0)),
            hosts=tuple(host for host, _ in self._hosts.most_common(MOST_HOSTS)),
            hosts_left_out=max(len(self._hosts) - MOST_HOSTS, 0),
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
    """The first bytes, more of them where the first lines are very long, and everything again."""
    held: deque[bytes] = deque()
    length = ends = 0
    for chunk in source:
        held.append(chunk)
        length += len(chunk)
        ends += chunk.count(b"\n")
        if length >= size and (ends >= _HEAD_LINES or length >= _LONGEST_HEAD):
            break
    head = b"".join(held)
    size = size if ends >= _HEAD_LINES and head.count(b"\n", 0, size) >= _HEAD_LINES else _LONGEST_HEAD

    def again() -> Iterator[bytes]:
        while held:
            yield held.popleft()
        yield from source

    return head[:size], again()


def _request_keys(parts: list[_Part]) -> NDArray[np.uint64]:
    """Of all rows; empty where no row has one."""
    if not any(len(part.request_keys) for part in parts):
        return _NO_KEYS
    held = [
        part.request_keys if len(part.request_keys) else np.zeros(len(part.times), np.uint64)
        for part in parts
    ]
    return np.concatenate(held)


def _joined(parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate(parts) if parts else _NO_NUMBERS


def _parsed(parse: Callable[[bytes], object], line: bytes) -> object:
    try:
        return parse(line)
    except LineError:
        return None


def _standing(numbers: NDArray[np.int32], standing: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each instance replaced by the one that stands for all its names; -1 stays."""
    if not len(numbers) or not len(standing):
        return numbers
    return np.where(numbers >= 0, standing[np.maximum(numbers, 0)], -1).astype(np.int32)
