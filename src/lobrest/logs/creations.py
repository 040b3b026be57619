"""What each creation made, where the log lets it be known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.columns import CreationSeen
from lobrest.logs.resolve import InstanceTable, Names, Rows

_MOSTLY = 0.8
_LEAST_SEEN = 3
_ANY = -2
"""Stands for a scope that a request does not show."""


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
        table, names = self._table, self._names
        explained = set(made.values())
        resources = {seen.resource for seen in pending}
        created = np.asarray([seen.row for seen in pending], dtype=np.int64)
        ranks = self._rank[created].tolist()
        creators = self._rows.users[created].tolist()
        used = [
            number
            for number in np.flatnonzero(self._first_use >= 0).tolist()
            if table.resources[number] in resources and number not in explained
        ]
        firsts = self._first_use[used]
        row_at = np.empty(len(self._rank), dtype=np.int64)
        row_at[self._rank] = np.arange(len(self._rank))
        users = self._rows.users[row_at[firsts]].tolist()
        events = [(at, 0, place) for place, at in enumerate(ranks)]
        events += [(at, 1, place) for place, at in enumerate(firsts.tolist())]
        events.sort()
        waiting: dict[tuple[int, int, int], list[int]] = {}
        matched: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for at, is_use, place in events:
            if not is_use:
                seen = pending[place]
                around = _ANY if seen.scope_open else names.find(seen.scope) if seen.scope >= 0 else -1
                waiting.setdefault((creators[place], seen.resource, around), []).append(place)
                continue
            number, user = used[place], users[place]
            resource, scope = table.resources[number], table.scopes[number]
            scope = names.find(scope) if scope >= 0 else -1
            # The rank of a creation is its place in the queue: both lists grow in time.
            candidates = [
                queue
                for queue in (waiting.get((user, resource, scope)), waiting.get((user, resource, _ANY)))
                if queue and ranks[queue[-1]] < at
            ]
            if candidates:
                latest = max(candidates, key=lambda queue: ranks[queue[-1]]).pop()
                matched.setdefault((user, resource, scope), []).append((pending[latest].row, number))
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
