"""One block of lines → ``Columns``. Blocks can be read on several cores, each with a scanner of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.arguments import ArgumentReader
from lobrest.logs.columns import PLACES, Columns, Drop
from lobrest.logs.flows import FlowFinder
from lobrest.logs.formats import by_name
from lobrest.logs.formats.batch import Batch, Recall, parse_documents, parse_lines, split_lines
from lobrest.logs.formats.record import FormatOptions, host_name
from lobrest.logs.formats.wrapping import Wrapping
from lobrest.logs.instances import InstanceReader
from lobrest.logs.mine import CorpusBuilder
from lobrest.logs.plan import Plan
from lobrest.logs.shapes import ShapeRouter
from lobrest.logs.users import Identifier
from lobrest.logs.vocabulary import PathRead, Request, Vocabulary
from lobrest.spec.router import Router

_MOST_PATHS = 100_000
_MOST_UNKNOWN = 5_000
_REDIRECTS = (301, 302, 303, 307, 308)
_VARIABLE = re.compile(
    r"^(?:\d+|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-fA-F]{7,}|.*%2[Ff].*|.{33,}|[^/]*\d[^/]*\d[^/]*\d[^/]*)$"
)
_SAMPLED_BYTES = 8 << 20
_SAMPLES = 64
"""Requests of one operation that a block at the beginning of a log gives to the corpus."""
_SAMPLES_LATE = 1
_LATE_TURN = 8
"""Deep in a long log an operation is looked at in every so many blocks only."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file."""

    number: int
    """Counts blocks over all files."""
    bytes_before: int
    """How much was read before: later blocks give fewer samples to the corpus."""
    data: bytes
    format_name: str
    """A name, because a format does not travel to another process."""
    options: FormatOptions
    wrapping: Wrapping = Wrapping.NONE


class Scanner:
    """Reads blocks. What it keeps between them saves work and decides nothing but numbers of its own."""

    def __init__(self, plan: Plan, router: Router, user_key: bytes) -> None:
        self._plan = plan
        self._router = router
        self._user_key = user_key
        self._shapes = ShapeRouter(plan.spec, router)
        self.arguments = ArgumentReader(plan.spec)
        self.reader = InstanceReader(self.arguments, Identifier(user_key))
        self.recall = Recall()
        self._paths: dict[tuple[str, str], PathRead | str] = {}
        self._vocabulary: Vocabulary | None = None

    def __reduce__(self) -> tuple[type[Scanner], tuple[Plan, Router, bytes]]:
        return Scanner, (self._plan, self._router, self._user_key)

    def scan(self, block: Block) -> Columns:
        """The block's columns; never raises for what is in the lines."""
        if self._vocabulary is None or self._vocabulary.full:
            self._vocabulary = Vocabulary(
                block.number,
                self._plan,
                self._shapes.match,
                self.reader,
                self.arguments,
                Identifier(self._user_key),
            )
        return _BlockScan(self, self._vocabulary, block).run()

    def known(self, request: tuple[str, str]) -> PathRead | str:
        """What the path of a method and target means; a template of it where it is no operation's."""
        found = self._paths.get(request)
        if found is None:
            method, target = request
            path = target.partition("?")[0]
            match = self._shapes.match(method, path)
            if match is None:
                found = f"{method} {templated(path)}"
            else:
                plan = self._plan.operations[self._plan.index_of[match[0].id]]
                found = PathRead(plan, match[1], self.reader.path_values(plan, match[1]))
            if len(self._paths) >= _MOST_PATHS:
                self._paths.clear()
            self._paths[request] = found
        return found


class _BlockScan:
    """One block. Everything that depends on the request alone is done once for each distinct one."""

    def __init__(self, scanner: Scanner, vocabulary: Vocabulary, block: Block) -> None:
        self._scanner = scanner
        self._vocabulary = vocabulary
        self._block = block
        self._samples_left: dict[int, int] = {}
        self._sample_limit = _SAMPLES if block.bytes_before < _SAMPLED_BYTES else 0
        self._corpus = CorpusBuilder()
        self._drops: dict[str, Drop] = {}

    def run(self) -> Columns:
        batch, vocabulary = self._batch(), self._vocabulary
        for number, reason in batch.bad:
            self._drops.setdefault(f"not readable: {reason}", Drop()).add([number])
        statuses = np.asarray(batch.statuses, dtype=np.int16)
        requests = np.asarray(batch.request_ids, dtype=np.int32)
        lines = np.asarray(batch.lines, dtype=np.int32)
        paths = [self._scanner.known(request) for request in batch.requests]
        known = np.asarray([type(path) is not str for path in paths], dtype=bool)
        in_spec = known[requests] if len(requests) else np.zeros(0, dtype=bool)
        kept = in_spec & (((statuses >= 200) & (statuses < 400)) | (statuses >= 500))
        if not kept.all():
            refused = in_spec & (statuses >= 400) & (statuses < 500)
            self._drop("not in the specification", lines[~in_spec])
            self._drop("answered 4XX", lines[refused])
            self._drop("no final answer", lines[in_spec & ~kept & ~refused])
        rows = np.flatnonzero(kept)
        unknown = self._unknown(paths, requests[~in_spec])
        requests, statuses = requests[rows], statuses[rows]
        # What only dropped lines name is nobody and nothing.
        counts = np.bincount(requests, minlength=len(paths))
        good_counts = np.bincount(requests[statuses < 300], minlength=len(paths)).tolist()
        numbers = np.full(len(paths), -1, dtype=np.int32)
        for number in np.flatnonzero(counts).tolist():
            path = paths[number]
            assert isinstance(path, PathRead)
            good = good_counts[number]
            held = numbers[number] = vocabulary.request(
                *batch.requests[number], path, batch.extras.get(number), batch.body_kind, good=good > 0
            )
            if good and self._sampled(path.plan.index):
                self._sample(vocabulary.requests[held], good)
        renames, redirects = self._moved(batch, requests, statuses, numbers)
        flows = self._flows(batch, requests, statuses, numbers)
        return Columns(
            times=np.asarray(batch.starts, dtype=np.float64)[rows],
            actors=self._senders(batch, rows),
            statuses=statuses,
            lines=lines[rows],
            requests=numbers[requests] if len(requests) else requests,
            vocabulary=vocabulary.number,
            additions=vocabulary.additions(),
            renames=renames,
            redirects=redirects,
            drops=self._drops,
            unknown=unknown,
            corpus=self._corpus,
            flows=flows,
            hosts=_host_names(batch.hosts),
            request_keys=(
                None if batch.request_keys is None else np.asarray(batch.request_keys, dtype=np.uint64)[rows]
            ),
            lines_read=batch.lines_read,
            not_requests=batch.not_requests,
        )

    def _senders(self, batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Who sent the kept requests."""
        held = np.asarray(batch.actor_ids, dtype=np.int32)[rows]
        numbers = np.zeros(len(batch.actors), dtype=np.int32)
        for number in np.flatnonzero(np.bincount(held, minlength=len(batch.actors))).tolist():
            numbers[number] = self._vocabulary.sender(batch.actors[number])
        return numbers[held]

    def _batch(self) -> Batch:
        block = self._block
        known = by_name(block.format_name)
        if known.documents is not None:
            return parse_documents(known.documents(block.data))
        if known.batch is not None and block.wrapping is Wrapping.NONE:
            return known.batch(block.options, block.data, self._scanner.recall)
        parse = block.wrapping.unwrapped(known.parser(block.options))
        return parse_lines(parse, split_lines(block.data))

    def _drop(self, reason: str, lines: NDArray[np.int32]) -> None:
        if len(lines):
            drop = self._drops.setdefault(reason, Drop())
            drop.add(lines[:PLACES].tolist())
            drop.count += len(lines) - len(lines[:PLACES])

    @staticmethod
    def _unknown(paths: list[PathRead | str], requests: NDArray[np.int32]) -> dict[str, int]:
        counts = np.bincount(requests, minlength=len(paths))
        unknown: dict[str, int] = {}
        for number in np.flatnonzero(counts).tolist():
            name = paths[number]
            if isinstance(name, str) and (name in unknown or len(unknown) < _MOST_UNKNOWN):
                unknown[name] = unknown.get(name, 0) + int(counts[number])
        return unknown

    def _moved(
        self,
        batch: Batch,
        requests: NDArray[np.int32],
        statuses: NDArray[np.int16],
        numbers: NDArray[np.int32],
    ) -> tuple[list[tuple[int, int, int]], list[tuple[int, tuple[int, ...]]]]:
        """Rows that give a thing another name, and rows that were sent elsewhere."""
        held = self._vocabulary.requests
        renaming = np.asarray(
            [number >= 0 and bool(held[number].renames) for number in numbers.tolist()], bool
        )
        renames: list[tuple[int, int, int]] = []
        if renaming.any():
            for row in np.flatnonzero(renaming[requests] & (statuses < 300)).tolist():
                renames += [(row, old, new) for old, new in held[numbers[requests[row]]].renames]
        redirects: list[tuple[int, tuple[int, ...]]] = []
        if batch.extras:
            for row in np.flatnonzero(np.isin(statuses, _REDIRECTS)).tolist():
                extra = batch.extras.get(int(requests[row]))
                if extra is not None and extra.location:
                    method = batch.requests[requests[row]][0]
                    elsewhere = self._vocabulary.located(method, extra.location)
                    if elsewhere is not None:
                        redirects.append((row, elsewhere))
        return renames, redirects

    def _flows(
        self,
        batch: Batch,
        requests: NDArray[np.int32],
        statuses: NDArray[np.int16],
        numbers: NDArray[np.int32],
    ) -> dict[tuple[int, str, int, str, str], int]:
        """Which answers' values came back in requests; only logs with answers tell."""
        counts: dict[tuple[int, str, int, str, str], int] = {}
        if not any(extra.response for extra in batch.extras.values()):
            return counts
        finder = FlowFinder(counts)
        for number, status in zip(requests.tolist(), statuses.tolist(), strict=True):
            extra = batch.extras.get(number)
            if extra is not None and extra.response and status < 300:
                request = self._vocabulary.requests[numbers[number]]
                finder.request(request.plan, request.arguments, request.detail, self._scanner.arguments)
                finder.response(request.plan, extra.response)
        return counts

    def _sampled(self, operation: int) -> bool:
        """Is it the corpus' turn to look at a request of this operation?"""
        left = self._samples_left.get(operation)
        if left is None:
            left = self._sample_limit
            if not left and (operation + self._block.number) % _LATE_TURN == 0:
                left = _SAMPLES_LATE
        self._samples_left[operation] = max(left - 1, 0)
        return left > 0

    def _sample(self, request: Request, count: int) -> None:
        path = self._scanner.reader.shown_path(request.arguments)
        reading = self._scanner.arguments.read(request.plan.operation, path, request.detail)
        self._corpus.add(request.plan.operation.id, reading.arguments, whole=reading.whole, count=count)


def _host_names(logged: Mapping[str, int]) -> dict[str, int]:
    names: dict[str, int] = {}
    for text, count in logged.items():
        name = host_name(text)
        if name:
            names[name] = names.get(name, 0) + count
    return names


def templated(path: str) -> str:
    """A path with its changing parts left open, to count paths that are not in the specification."""
    parts = path.split("/")
    if len(parts) > 12:
        parts = [*parts[:12], "…"]
    return "/".join([_open(part) for part in parts])[:200]


def _open(part: str) -> str:
    if len(part) < 33 and part.isalpha():
        return part
    return "{}" if part and (part.isdigit() or _VARIABLE.match(part)) else part
