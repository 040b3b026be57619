"""Over the whole log: which names are one thing, and which lines are copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_REDIRECTS = (301, 302, 307, 308)
_REDIRECT_SECONDS = 10.0
_REDIRECT_STEPS = 3
_OVERLAP_SHARE = 0.5


@dataclass(slots=True)
class InstanceTable:
    """All instances of a log: resource, value, and the number of the one each is inside."""

    resources: list[int] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    scopes: list[int] = field(default_factory=list)
    numbers: dict[tuple[int, str, int], int] = field(default_factory=dict)

    def intern(self, resource: int, value: str, scope: int) -> int:
        """The number of an instance; a new one where it is not known yet."""
        key = (resource, value, scope)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.values)
            self.resources.append(resource)
            self.values.append(value)
            self.scopes.append(scope)
        return number

    def __len__(self) -> int:
        return len(self.values)


class Names:
    """Instances that are one thing: union of numbers, and of what is inside them."""

    def __init__(self, table: InstanceTable) -> None:
        self._table = table
        self._parent: dict[int, int] = {}
        self._joined = False

    def find(self, number: int) -> int:
        """The number that stands for all names of an instance."""
        parent = self._parent
        while number in parent:
            above = parent[number]
            if above in parent:
                parent[number] = parent[above]
            number = above
        return number

    def join(self, left: int, right: int) -> None:
        """Two names of one thing; the one met first stands for both."""
        a, b = self.find(left), self.find(right)
        if a != b and self._table.resources[a] == self._table.resources[b]:
            self._parent[max(a, b)] = min(a, b)
            self._joined = True

    def close(self) -> None:
        """What has the same name inside one thing is one thing."""
        table = self._table
        while self._joined:
            self._joined = False
            seen: dict[tuple[int, str, int], int] = {}
            for number in range(len(table)):
                scope = table.scopes[number]
                key = (table.resources[number], table.values[number], self.find(scope) if scope >= 0 else -1)
                first = seen.setdefault(key, number)
                if first != number:
                    self.join(first, number)

    def column(self) -> NDArray[np.int32]:
        """The standing number of every number."""
        column = np.arange(len(self._table), dtype=np.int32)
        for number in self._parent:
            column[number] = self.find(number)
        return column


def join_unscoped(table: InstanceTable, names: Names) -> None:
    """A thing named once inside another and once alone is one thing, where its name is telling and unique."""
    alone = [
        number for number in range(len(table)) if table.scopes[number] < 0 and _telling(table.values[number])
    ]
    wanted = {(table.resources[number], table.values[number]): number for number in alone}
    inside: dict[tuple[int, str], set[int]] = {}
    for number in range(len(table)):
        key = (table.resources[number], table.values[number])
        if table.scopes[number] >= 0 and key in wanted:
            inside.setdefault(key, set()).add(names.find(number))
    for key, found in inside.items():
        if len(found) == 1:
            names.join(next(iter(found)), wanted[key])


def _telling(value: str) -> bool:
    return len(value) >= 5 and not value.isdigit()


def copies(
    times: NDArray[np.float64], files: NDArray[np.int32], keys: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Rows that repeat a line of another file, as rotated and overlapping files do.

    Two files overlap when in the span they share at least half of the lines of one are in the other. Equal
    lines
    within one file are separate requests.
    """
    count = int(files.max()) + 1 if len(files) else 0
    dropped = np.zeros(len(times), dtype=bool)
    if count < 2:
        return dropped
    order = np.argsort(files, kind="stable")
    bounds = np.searchsorted(files[order], np.arange(count + 1))
    rows_of = [order[bounds[number] : bounds[number + 1]] for number in range(count)]
    spans = [(times[rows].min(), times[rows].max()) if len(rows) else (np.inf, -np.inf) for rows in rows_of]
    for later in range(1, count):
        for earlier in range(later):
            low = max(spans[earlier][0], spans[later][0])
            high = min(spans[earlier][1], spans[later][1])
            if low > high:
                continue
            mine = rows_of[later][(times[rows_of[later]] >= low) & (times[rows_of[later]] <= high)]
            mine = mine[~dropped[mine]]
            theirs = rows_of[earlier][(times[rows_of[earlier]] >= low) & (times[rows_of[earlier]] <= high)]
            repeated = _repeated(keys[theirs], keys[mine])
            if len(mine) and repeated.sum() >= max(1.0, _OVERLAP_SHARE * min(len(mine), len(theirs))):
                dropped[mine[repeated]] = True
    return dropped


def _repeated(known: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of the keys are among the known, each known one explaining one."""
    left: dict[int, int] = {}
    for key in known.tolist():
        left[key] = left.get(key, 0) + 1
    found = np.zeros(len(keys), dtype=bool)
    for place, key in enumerate(keys.tolist()):
        if left.get(key, 0) > 0:
            left[key] -= 1
            found[place] = True
    return found


@dataclass(slots=True)
class Rows:
    """The columns that resolution looks at, in the order of the files."""

    times: NDArray[np.float64]
    users: NDArray[np.int32]
    operations: NDArray[np.int32]
    statuses: NDArray[np.int16]
    set_ids: NDArray[np.int32]
    set_offsets: NDArray[np.int64]
    set_members: NDArray[np.int32]
    request_keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    """A number for each request's own id, 0 for none; empty where no line has one."""

    def of(self, row: int) -> list[int]:
        """The instances of one row."""
        number = int(self.set_ids[row])
        held: list[int] = self.set_members[self.set_offsets[number] : self.set_offsets[number + 1]].tolist()
        return held


def first_and_last_use(
    rows: Rows, rank: NDArray[np.int64], keep: NDArray[np.bool_], count: int, standing: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last rank at which each of ``count`` instances is used by a kept row; -1 for
    never.
    """
    sets = len(rows.set_offsets) - 1
    alive = np.flatnonzero(keep)
    alive = alive[np.argsort(rank[alive], kind="stable")]
    # Of equal places the last one written stays: backwards that is the first use.
    first_of_set = np.full(sets, -1, dtype=np.int64)
    first_of_set[rows.set_ids[alive[::-1]]] = rank[alive[::-1]]
    last_of_set = np.full(sets, -1, dtype=np.int64)
    last_of_set[rows.set_ids[alive]] = rank[alive]
    sizes = np.diff(rows.set_offsets)
    numbers = standing[rows.set_members] if len(rows.set_members) else rows.set_members
    firsts, lasts = np.repeat(first_of_set, sizes), np.repeat(last_of_set, sizes)
    used = firsts >= 0
    never = np.iinfo(np.int64).max
    first = np.full(count, never, dtype=np.int64)
    last = np.full(count, -1, dtype=np.int64)
    np.minimum.at(first, numbers[used], firsts[used])
    np.maximum.at(last, numbers[used], lasts[used])
    first[first == never] = -1
    return first, last


def line_keys(rows: Rows) -> NDArray[np.uint64]:
    """A number for each row that equal lines share: when, who, what, how it went, and on what."""
    return _mixed(rows, (rows.times.view(np.uint64), rows.users, rows.operations, rows.statuses))


def _mixed(rows: Rows, columns: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """A number for each row from its instances and some columns."""
    prime = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        mixed = (rows.set_members.astype(np.uint64) + np.uint64(1)) * prime
        mixed ^= mixed >> np.uint64(29)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
        of_set = sums[rows.set_offsets[1:]] - sums[rows.set_offsets[:-1]]
        keys = of_set[rows.set_ids]
        for column in columns:
            keys = (keys ^ column.astype(np.uint64)) * prime
            keys ^= keys >> np.uint64(31)
    return keys


def logged_again(rows: Rows, keep: NDArray[np.bool_], seconds: float) -> NDArray[np.bool_]:
    """Rows of requests that another proxy on the way logged too: the earliest line of each stays.

    One request has one id, operation, answer and place in all of them, and they log it within ``seconds``.
    """
    again = np.zeros(len(rows.times), dtype=bool)
    if not len(rows.request_keys):
        return again
    held = np.flatnonzero(keep & (rows.request_keys != 0))
    keys = _mixed(rows, (rows.operations, rows.statuses, rows.request_keys))[held]
    held = held[np.lexsort((rows.times[held], keys))]
    keys = np.sort(keys)
    first = np.concatenate((np.ones(min(len(held), 1), dtype=bool), keys[1:] != keys[:-1]))
    # Each is compared with the first of its group: a client that uses an id for ever sends many requests.
    opening = np.maximum.accumulate(np.where(first, np.arange(len(held)), 0))
    again[held] = ~first & (rows.times[held] - rows.times[held[opening]] <= seconds)
    return again


def involved(
    rows: Rows, made: NDArray[np.int32], kept: NDArray[np.int64], standing: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For the kept rows, what each uses and makes, each instance once: offsets and numbers."""
    sizes = np.diff(rows.set_offsets)
    members = standing[rows.set_members] if len(rows.set_members) else rows.set_members
    set_numbers, set_offsets = _distinct(np.repeat(np.arange(len(sizes)), sizes), members, len(sizes))
    of_row = rows.set_ids[kept]
    created = made[kept]
    makes = np.flatnonzero(created >= 0)
    # What a request makes is put beside what it uses: such rows get sets of their own.
    counts = np.diff(set_offsets)
    owners = np.concatenate((np.repeat(np.arange(len(makes)), counts[of_row[makes]]), np.arange(len(makes))))
    places = _places(set_offsets, of_row[makes])
    own, own_offsets = _distinct(owners, np.concatenate((set_numbers[places], created[makes])), len(makes))
    all_offsets = np.concatenate((set_offsets, own_offsets[1:] + set_offsets[-1]))
    all_numbers = np.concatenate((set_numbers, own))
    of_row = of_row.astype(np.int64)
    of_row[makes] = len(sizes) + np.arange(len(makes))
    offsets = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(np.diff(all_offsets)[of_row], out=offsets[1:])
    return offsets, all_numbers[_places(all_offsets, of_row)].astype(np.int32)


def present(numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """The distinct ones of some small numbers, in order."""
    return np.flatnonzero(np.bincount(numbers)) if len(numbers) else np.zeros(0, dtype=np.int64)


def _places(offsets: NDArray[np.int64], rows: NDArray[np.integer]) -> NDArray[np.int64]:
    """Places of all items of some rows, one row after the other."""
    begins = offsets[:-1][rows]
    sizes = offsets[1:][rows] - begins
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    places: NDArray[np.int64] = np.arange(total, dtype=np.int64)
    places += np.repeat(begins - (ends - sizes), sizes)
    return places


def _distinct(
    owners: NDArray[np.int64], numbers: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each owner's numbers once: numbers and offsets."""
    width = int(numbers.max()) + 1 if len(numbers) else 1
    pairs = np.sort(owners * width + numbers)
    if len(pairs):
        pairs = pairs[np.concatenate(([True], pairs[1:] != pairs[:-1]))]
    owner, number = np.divmod(pairs, width)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=offsets[1:])
    return number, offsets


def follow_redirects(
    rows: Rows,
    order: NDArray[np.int64],
    located: Iterable[tuple[int, tuple[int, ...]]],
    table: InstanceTable,
    names: Names,
    acting: frozenset[int],
) -> list[int]:
    """Rows that were only sent elsewhere: the same call follows. Both names are one thing.

    ``order`` is the queues of all users, one after the other, by time.
    """
    for row, elsewhere in located:
        join_places(rows.of(row), [number for number in elsewhere if number >= 0], table, names, acting)
    followed: list[int] = []
    sent_on = np.isin(rows.statuses[order], _REDIRECTS)
    for place in np.flatnonzero(sent_on).tolist():
        row = int(order[place])
        for ahead in order[place + 1 : place + 1 + _REDIRECT_STEPS].tolist():
            if (
                rows.users[ahead] != rows.users[row]
                or rows.times[ahead] - rows.times[row] > _REDIRECT_SECONDS
            ):
                break
            if rows.operations[ahead] == rows.operations[row]:
                join_places(rows.of(row), rows.of(ahead), table, names, acting)
                followed.append(row)
                break
    return followed


def join_places(
    left: Sequence[int], right: Sequence[int], table: InstanceTable, names: Names, acting: frozenset[int]
) -> None:
    """The same call on two paths: what stands at the same place is one thing, but for people who act.

    A repository that went from one owner to another is the same repository; the owners stay two.
    """
    for a, b in zip(left, right, strict=False):
        if a == b or table.resources[a] != table.resources[b] or table.resources[a] in acting:
            continue
        same_value = table.values[a] == table.values[b]
        scopes = table.scopes[a], table.scopes[b]
        congruent = min(scopes) >= 0 and names.find(scopes[0]) == names.find(scopes[1])
        if not (same_value and congruent):
            names.join(a, b)
