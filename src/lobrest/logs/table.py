"""A read log as columns; single requests are made from them when asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.arguments import ArgumentReader, Detail
from lobrest.logs.columns import SEGMENT, unpack
from lobrest.logs.instances import InstanceReader
from lobrest.logs.plan import Plan
from lobrest.logs.statistics import Flow, LogStatistics
from lobrest.model.corpus import Corpus
from lobrest.model.entry import LogEntry, Place, UserId
from lobrest.model.operation import OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.spec.router import Router

_SEGMENTS_HELD = 64


class Instances(Sequence[ResourceInstance]):
    """All instances of a log by their number, made when asked for."""

    def __init__(
        self,
        names: Sequence[ResourceName],
        resources: NDArray[np.int32],
        values: Sequence[str],
        parents: NDArray[np.int32],
    ) -> None:
        self._names = names
        self.resources = resources
        """Number of the resource of each instance."""
        self._values = values
        self.parents = parents
        """Number of the instance that each is inside; -1 for none."""
        self._made: dict[int, ResourceInstance] = {}

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> ResourceInstance: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ResourceInstance]: ...
    def __getitem__(self, index: int | slice) -> ResourceInstance | Sequence[ResourceInstance]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        number = index % len(self)
        known = self._made.get(number)
        if known is None:
            above = int(self.parents[number])
            known = ResourceInstance(
                self._names[int(self.resources[number])],
                self._values[number],
                self[above] if above >= 0 else None,
            )
            self._made[number] = known
        return known

    def __iter__(self) -> Iterator[ResourceInstance]:
        return (self[number] for number in range(len(self)))

    def resource_name(self, number: int) -> ResourceName:
        """The resource of an instance, without making it."""
        return self._names[int(self.resources[number])]


class PackedStore:
    """Compressed requests of all blocks, one after the other."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._segments: list[list[bytes]] = []
        self._count = 0
        self._held: OrderedDict[tuple[int, int], list[Detail]] = OrderedDict()

    def add(self, segments: list[bytes], count: int) -> int:
        """Take a block's requests; gives the number of the first."""
        first = self._count
        self._starts.append(first)
        self._segments.append(segments)
        self._count += count
        return first

    def get(self, number: int) -> Detail:
        """One request."""
        block = bisect_right(self._starts, number) - 1
        segment, place = divmod(number - self._starts[block], SEGMENT)
        key = (block, segment)
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = unpack(self._segments[block][segment])
            if len(self._held) > _SEGMENTS_HELD:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(key)
        return held[place]

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(len(segment) for segments in self._segments for segment in segments)


@dataclass(frozen=True, slots=True)
class RowSources:
    """From where single requests are made again, by row."""

    request_ids: NDArray[np.int32]
    set_ids: NDArray[np.int32]
    set_offsets: NDArray[np.int64]
    set_members: NDArray[np.int32]
    """The instances of each set in the order in which parameters name them."""
    requests: PackedStore

    def detail(self, row: int) -> Detail:
        """What the log tells of a request."""
        return self.requests.get(int(self.request_ids[row]))

    def members(self, row: int) -> list[int]:
        """The instances that a request's parameters name, each once."""
        number = int(self.set_ids[row])
        held: list[int] = self.set_members[self.set_offsets[number] : self.set_offsets[number + 1]].tolist()
        return held

    @property
    def memory(self) -> int:
        """Bytes held."""
        arrays = (self.request_ids, self.set_ids, self.set_offsets, self.set_members)
        return sum(array.nbytes for array in arrays) + self.requests.size


class LogTable:
    """Kept requests in the order of the files. Columns are parallel; numbers point into the tables."""

    def __init__(
        self,
        *,
        times: NDArray[np.float64],
        user_ids: NDArray[np.int32],
        operation_ids: NDArray[np.int32],
        statuses: NDArray[np.int16],
        file_ids: NDArray[np.int32],
        lines: NDArray[np.int32],
        instance_offsets: NDArray[np.int64],
        instance_ids: NDArray[np.int32],
        created_ids: NDArray[np.int32],
        users: tuple[UserId, ...],
        operations: tuple[OperationId, ...],
        files: tuple[str, ...],
        instances: Instances,
        corpus: Corpus,
        statistics: LogStatistics,
        value_flows: tuple[Flow, ...],
        sources: RowSources,
        reader: InstanceReader,
        arguments: ArgumentReader,
        plan: Plan,
        router: Router,
    ) -> None:
        self.times = times
        """Start of each request, seconds since the epoch."""
        self.user_ids = user_ids
        self.operation_ids = operation_ids
        self.statuses = statuses
        self.file_ids = file_ids
        self.lines = lines
        self.instance_offsets = instance_offsets
        """The instances of request ``i`` are ``instance_ids[instance_offsets[i] : instance_offsets[i +
        1]]``.
        """
        self.instance_ids = instance_ids
        """Each at most once a request; what a request creates is among them."""
        self.created_ids = created_ids
        """The instance that each request made; -1 for none or unknown."""
        self.users = users
        self.operations = operations
        self.files = files
        self.instances = instances
        self.corpus = corpus
        self.statistics = statistics
        self.value_flows = value_flows
        self.router = router
        """The router with the prefix that the log showed."""
        self._sources = sources
        self._reader = reader
        self._arguments = arguments
        self._plan = plan
        self._order: NDArray[np.int64] | None = None
        self._starts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.times)

    @property
    def queue_order(self) -> NDArray[np.int64]:
        """All requests, one user after the other, each user's by time; ties keep the order of the files."""
        if self._order is None:
            self._order = np.lexsort((self.times, self.user_ids)).astype(np.int64)
        return self._order

    @property
    def queue_starts(self) -> NDArray[np.int64]:
        """Where in ``queue_order`` each user begins, and its length at the end."""
        if self._starts is None:
            counts = np.bincount(self.user_ids, minlength=len(self.users))
            self._starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return self._starts

    def queues(self) -> tuple[NDArray[np.int64], ...]:
        """For each user the numbers of their requests, by time."""
        order, starts = self.queue_order, self.queue_starts
        return tuple(order[starts[user] : starts[user + 1]] for user in range(len(self.users)))

    def instance_set(self, index: int) -> tuple[int, ...]:
        """Numbers of the instances of one request."""
        start, end = self.instance_offsets[index], self.instance_offsets[index + 1]
        return tuple(self.instance_ids[start:end].tolist())

    def entry(self, index: int) -> LogEntry:
        """One request with its arguments, what it uses and what it makes."""
        plan = self._plan.operations[int(self.operation_ids[index])]
        detail = self._sources.detail(index)
        match = self.router.match(plan.operation.method.value, detail.target.partition("?")[0])
        path = match.path_arguments if match is not None else {}
        reading = self._arguments.read(plan.operation, self._reader.shown_path(path), detail)
        uses: dict[ParameterRef, ResourceInstance] = {}
        held = self._sources.members(index)
        for ref, place in self._reader.places(plan, path, detail):
            if place < len(held):
                uses.setdefault(ref, self.instances[held[place]])
        created = int(self.created_ids[index])
        return LogEntry(
            at=float(self.times[index]),
            operation=plan.operation.id,
            arguments=reading.arguments,
            user=self.users[int(self.user_ids[index])],
            status=int(self.statuses[index]),
            uses=uses,
            creates=self.instances[created] if created >= 0 else None,
            source=Place(self.files[int(self.file_ids[index])], int(self.lines[index])),
        )

    @property
    def memory(self) -> int:
        """Bytes of the columns and the compressed requests."""
        columns = (
            self.times, self.user_ids, self.operation_ids, self.statuses, self.file_ids, self.lines,
            self.instance_offsets, self.instance_ids, self.created_ids,
        )  # fmt: skip
        return sum(column.nbytes for column in columns) + self._sources.memory
