"""Parsed lines of one block as columns: what neighbours share is held once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats.record import Actor, Body, LineError, Parser, Record

Column: TypeAlias = "list[Any] | NDArray[Any]"
MOST_HOSTS: Final = 1_000
PIECE: Final = 512 << 10
_SHORTEST_ID: Final = 8
_MOST_RECALLED: Final = 200_000


class Numbers(dict[Any, int]):
    """Counts up what it is asked for the first time."""

    def __missing__(self, key: object) -> int:
        number = self[key] = len(self)
        return number


@dataclass(slots=True)
class Recall:
    """Texts that a reader has understood before. It saves work and changes no result."""

    requests: dict[bytes, tuple[str, str] | None] = field(default_factory=dict)
    """Request lines to method and target; None for what is no request line."""

    def trim(self) -> None:
        """Forget everything once it is much."""
        if len(self.requests) > _MOST_RECALLED:
            self.requests.clear()


class Extra(msgspec.Struct, gc=False, frozen=True):
    """What a request has beyond its target."""

    body: str = ""
    body_kind: int = Body.UNKNOWN
    media_type: str = ""
    response: bytes | str = ""
    location: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Batch:
    """Rows in the order of the lines."""

    starts: Column = field(default_factory=list)
    statuses: Column = field(default_factory=list)
    lines: Column = field(default_factory=list)
    """Counted from 0."""
    request_ids: Column = field(default_factory=list)
    actor_ids: Column = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and target of distinct requests."""
    actors: list[Actor] = field(default_factory=list)
    extras: dict[int, Extra] = field(default_factory=dict)
    """By number in ``requests``: those with the same target and other extras are distinct."""
    body_kind: Body = Body.UNKNOWN
    """Of requests that have no extra."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """Lines that could not be read, and why."""
    not_requests: int = 0
    lines_read: int = 0
    hosts: dict[str, int] = field(default_factory=dict)
    """Hosts as logged, and how many lines have each; bounded."""
    request_keys: list[int] | None = None
    """By row: a number for the request's own id, 0 for none; None where no line has one."""


def split_lines(data: bytes) -> list[bytes]:
    """The lines of a block; what follows the last line end is a line too, unless it is nothing."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_count(data: bytes) -> int:
    """How many lines ``split_lines`` would give, much quicker than ``bytes.count`` tells."""
    ends = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == 10))
    return ends + (data[-1:] not in (b"", b"\n"))


def pieces(data: bytes, size: int = PIECE) -> Iterator[bytes]:
    """Whole lines of a block, so many bytes at a time that they stay in the processor's cache."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + size) + 1 or data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def parse_lines(parse: Parser, lines: list[bytes]) -> Batch:
    """Every line by a parser."""
    batch = Batch(lines_read=len(lines))
    _collect(batch, _parsed(parse, lines))
    return batch


def parse_documents(records: Iterable[Record | LineError]) -> Batch:
    """The records of a file that has no lines, counted from 0."""
    batch = Batch()

    def counted() -> Iterator[tuple[int, Record | LineError | None]]:
        for number, record in enumerate(records):
            batch.lines_read = number + 1
            yield number, record

    _collect(batch, counted())
    return batch


def _parsed(parse: Parser, lines: list[bytes]) -> Iterator[tuple[int, Record | LineError | None]]:
    for number, line in enumerate(lines):
        try:
            yield number, parse(line)
        except LineError as bad:
            yield number, bad


def _collect(batch: Batch, records: Iterable[tuple[int, Record | LineError | None]]) -> None:
    requests = Numbers()
    actors = Numbers()
    kept: list[tuple[str, str]] = []
    starts: list[float] = []
    statuses: list[int] = []
    lines: list[int] = []
    request_ids: list[int] = []
    actor_ids: list[int] = []
    keys: dict[int, int] = {}
    for number, record in records:
        if record is None:
            batch.not_requests += 1
            continue
        if isinstance(record, LineError):
            batch.bad.append((number, str(record)))
            continue
        starts.append(record.start)
        statuses.append(record.status)
        lines.append(number)
        actor_ids.append(actors[record.actor])
        if record.host and (record.host in batch.hosts or len(batch.hosts) < MOST_HOSTS):
            batch.hosts[record.host] = batch.hosts.get(record.host, 0) + 1
        if len(record.request_id) >= _SHORTEST_ID:
            keys[len(starts) - 1] = _key(record.request_id)
        if len(starts) == 1:
            batch.body_kind = record.body_kind
        request = (record.method, record.target)
        extra: Extra | None = None
        if (
            record.body
            or record.response
            or record.location
            or record.headers
            or record.body_kind != batch.body_kind
        ):
            extra = Extra(
                record.body,
                record.body_kind,
                record.media_type,
                record.response,
                record.location,
                record.headers,
            )
        # An answer hardly ever comes again.
        request_id = len(requests) if record.response else requests.get((request, extra), len(requests))
        if request_id == len(requests):
            requests[len(requests) if record.response else (request, extra)] = request_id
            kept.append(request)
            if extra is not None:
                batch.extras[request_id] = extra
        request_ids.append(request_id)
    batch.starts, batch.statuses, batch.lines = starts, statuses, lines
    batch.request_ids, batch.actor_ids = request_ids, actor_ids
    batch.requests = kept
    batch.actors = list(actors)
    if keys:
        batch.request_keys = [keys.get(row, 0) for row in range(len(starts))]


def _key(request_id: str) -> int:
    """Equal in every process, as ``hash`` is not."""
    digest = hashlib.blake2b(request_id.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1
