"""What each creation made, where the log lets it be known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.columns import CreationSeen
from lobrest.logs.resolve import InstanceTable, Names, Rows

_MOSTLY = 0.8
_LEAST_SEEN = 3


class Producer:
    """Finds the instance behind a creation.

    From its answer, from its own request, else the first later use by the same user of an identity of that
    resource, in the right scope, that nothing else explains. ``rank`` is the place of each row in time,
    ``first_use`` and ``last_use`` the ranks at which each standing instance is used; -1 for never.
    """

    def __init__(
        self,
        rows: Rows,
        rank: NDArray[np.int64],
        table: InstanceTable,
        names: Names,
        first_use: NDArray[np.int64],
        last_use: NDArray[np.int64],
    ) -> None:
        self._rows = rows
        self._rank = rank
        self._table = table
        self._names = names
        self._first_use = first_use
        self._last_use = last_use
        self._by_value: dict[tuple[int, str], list[int]] = {}
        self._numbers: dict[int, tuple[int, int]] = {}

    def produce(self, creations: Sequence[CreationSeen]) -> dict[int, int]:
        """Row of a creation → what it made. The creations are in time order."""
        self._survey({seen.resource for seen in creations})
        made: dict[int, int] = {}
        pending: list[CreationSeen] = []
        for seen in creations:
            number = self._stated(seen)
            if number >= 0:
                made[seen.row] = number
            else:
                pending.append(seen)
        if pending:
            self._by_first_use(pending, made)
        return made

    def _survey(self, resources: set[int]) -> None:
        """How each resource's instances are named, and by which values."""
        table = self._table
        for number in range(len(self._first_use)):
            resource = table.resources[number]
            if resource not in resources:
                continue
            value = table.values[number]
            self._by_value.setdefault((resource, value), []).append(number)
            if self._first_use[self._names.find(number)] >= 0:
                digits, total = self._numbers.get(resource, (0, 0))
                self._numbers[resource] = (digits + value.isdigit(), total + 1)

    def _believable(self, resource: int, value: str) -> bool:
        """Is the value of the kind that requests name the resource by: a number, or a word?"""
        digits, total = self._numbers.get(resource, (0, 0))
        if total < _LEAST_SEEN:
            return True
        if digits >= _MOSTLY * total:
            return value.isdigit()
        return not value.isdigit() or digits > (1 - _MOSTLY) * total

    def _used_later(self, number: int, row: int) -> bool:
        standing = self._names.find(number)
        return standing < len(self._last_use) and bool(self._last_use[standing] > self._rank[row])

    def _stated(self, seen: CreationSeen) -> int:
        """The instance that the answer or the request names; -1 for none."""
        if seen.names:
            return self._named(seen, seen.names)
        own = [value for value in seen.own if self._believable(seen.resource, value)]
        perhaps = [value for value in seen.perhaps if self._believable(seen.resource, value)]
        for value in (*own, *perhaps):
            for number in self._candidates(seen, value):
                if self._used_later(number, seen.row):
                    return self._names.find(number)
        return self._named(seen, own[:1]) if own else -1

    def _named(self, seen: CreationSeen, values: Sequence[str]) -> int:
        if seen.scope_open:
            for value in values:
                for number in self._candidates(seen, value):
                    if self._used_later(number, seen.row):
                        return self._names.find(number)
        return self._names.find(self._table.intern(seen.resource, values[0], seen.scope))

    def _candidates(self, seen: CreationSeen, value: str) -> Sequence[int]:
        if seen.scope_open:
            return self._by_value.get((seen.resource, value), ())
        number = self._table.numbers.get((seen.resource, value, seen.scope), -1)
        return (number,) if number >= 0 else ()

    def _by_first_use(self, pending: Sequence[CreationSeen], made: dict[int, int]) -> None:
        """Match creations with first uses in time order; the latest open creation is the likeliest."""
        rank, table, names = self._rank, self._table, self._names
        explained = set(made.values())
        row_at = np.empty(len(rank), dtype=np.int64)
        row_at[rank] = np.arange(len(rank))
        resources = {seen.resource for seen in pending}
        events = [(int(rank[seen.row]), 0, place) for place, seen in enumerate(pending)]
        for number in range(len(self._first_use)):
            if (
                table.resources[number] in resources
                and self._first_use[number] >= 0
                and number not in explained
            ):
                events.append((int(self._first_use[number]), 1, number))
        events.sort()
        waiting: dict[tuple[int, int], list[CreationSeen]] = {}
        matched: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for at, is_use, item in events:
            if not is_use:
                seen = pending[item]
                waiting.setdefault((int(self._rows.users[seen.row]), seen.resource), []).append(seen)
                continue
            queue = waiting.get((int(self._rows.users[row_at[at]]), table.resources[item]))
            if not queue:
                continue
            scope = names.find(table.scopes[item]) if table.scopes[item] >= 0 else -1
            for place in range(len(queue) - 1, -1, -1):
                seen = queue[place]
                around = names.find(seen.scope) if seen.scope >= 0 else -1
                if int(rank[seen.row]) < at and (seen.scope_open or around == scope):
                    matched.setdefault((int(self._rows.users[seen.row]), seen.resource, scope), []).append(
                        (seen.row, item)
                    )
                    del queue[place]
                    break
        for pairs in matched.values():
            made.update(self._counted_up(pairs))

    def _counted_up(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The same creations and instances, paired so that numbers grow with time, where they can be."""
        values = [self._table.values[number] for _, number in pairs]
        if len(pairs) < 2 or not all(value.isdigit() and len(value) < 19 for value in values):
            return pairs
        by_time = sorted((row for row, _ in pairs), key=lambda row: int(self._rank[row]))
        by_number = sorted(
            (number for _, number in pairs), key=lambda number: int(self._table.values[number])
        )
        paired = list(zip(by_time, by_number, strict=True))
        possible = all(self._rank[row] < self._first_use[number] for row, number in paired)
        return paired if possible else pairs
