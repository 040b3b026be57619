"""What each creation made, where the log lets it be known."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.columns import CreationSeen
from lobrest.logs.resolve import InstanceTable, Names, Rows, present

_MOSTLY = 0.8
_LEAST_SEEN = 3
_ANY = -2
"""Stands for a scope that a request does not show."""


@dataclass(frozen=True, slots=True)
class Created:
    """Rows that made something, and which of ``seen`` tells of it."""

    rows: NDArray[np.int64]
    templates: NDArray[np.int32]
    seen: Sequence[CreationSeen]

    def among(self, keep: NDArray[np.bool_], rank: NDArray[np.int64]) -> Created:
        """The kept ones in time order."""
        kept = np.flatnonzero(keep[self.rows])
        kept = kept[np.argsort(rank[self.rows[kept]], kind="stable")]
        return Created(self.rows[kept], self.templates[kept], self.seen)


@dataclass(slots=True)
class _Statement:
    """What a creation's request or answer says of the new instance."""

    candidates: list[tuple[int, int]]
    """Standing number and last use of known instances, best first: the first that is used later is it."""
    otherwise: str
    """The name of a new instance where none is used later; empty for none."""
    number: int = -1
    """That instance, once it was asked for."""


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

    def produce(self, created: Created) -> dict[int, int]:
        """Row of a creation → what it made. The creations are in time order."""
        used = {number: created.seen[number] for number in present(created.templates).tolist()}
        self._survey(used.values())
        statements = {number: self._statement(seen) for number, seen in used.items()}
        made: dict[int, int] = {}
        pending: list[int] = []
        rows, templates = created.rows.tolist(), created.templates.tolist()
        ranks = self._rank[created.rows].tolist()
        for place, (row, template, at) in enumerate(zip(rows, templates, ranks, strict=True)):
            statement = statements[template]
            for number, last in statement.candidates:
                if last > at:
                    made[row] = number
                    break
            else:
                if statement.otherwise:
                    if statement.number < 0:
                        seen = used[template]
                        new = self._table.intern(seen.resource, statement.otherwise, seen.scope)
                        statement.number = self._names.find(new)
                    made[row] = statement.number
                else:
                    pending.append(place)
        if pending:
            places = np.asarray(pending, dtype=np.int64)
            self._by_first_use(Created(created.rows[places], created.templates[places], created.seen), made)
        return made

    def _survey(self, creations: Collection[CreationSeen]) -> None:
        """How each resource's instances are named, and by which values."""
        table = self._table
        named = {seen.resource for seen in creations if not seen.names and (seen.own or seen.perhaps)}
        open_ended = {seen.resource for seen in creations if seen.scope_open}
        standing = self._names.column()
        used = (self._first_use[standing] >= 0).tolist()
        for number, (resource, value, is_used) in enumerate(
            zip(table.resources, table.values, used, strict=True)
        ):
            if is_used and resource in named:
                digits, total = self._numbers.get(resource, (0, 0))
                self._numbers[resource] = (digits + value.isdigit(), total + 1)
            if resource in open_ended:
                self._by_value.setdefault((resource, value), []).append(number)

    def _believable(self, resource: int, value: str) -> bool:
        """Is the value of the kind that requests name the resource by: a number, or a word?"""
        digits, total = self._numbers.get(resource, (0, 0))
        if total < _LEAST_SEEN:
            return True
        if digits >= _MOSTLY * total:
            return value.isdigit()
        return not value.isdigit() or digits > (1 - _MOSTLY) * total

    def _statement(self, seen: CreationSeen) -> _Statement:
        """From the answer or the client's choice, else from the request."""
        if seen.names:
            values: Sequence[str] = seen.names if seen.scope_open else ()
            otherwise = seen.names[0]
        else:
            own = [value for value in seen.own if self._believable(seen.resource, value)]
            perhaps = [value for value in seen.perhaps if self._believable(seen.resource, value)]
            values, otherwise = (*own, *perhaps), own[0] if own else ""
        candidates: list[tuple[int, int]] = []
        for value in values:
            for number in self._candidates(seen, value):
                standing = self._names.find(number)
                candidates.append((standing, int(self._last_use[standing])))
        return _Statement(candidates, otherwise)

    def _candidates(self, seen: CreationSeen, value: str) -> Sequence[int]:
        if seen.scope_open:
            return self._by_value.get((seen.resource, value), ())
        number = self._table.numbers.get((seen.resource, value, seen.scope), -1)
        return (number,) if number >= 0 else ()

    def _by_first_use(self, pending: Created, made: dict[int, int]) -> None:
        """Match creations with first uses in time order; the latest open creation is the likeliest."""
        table, names = self._table, self._names
        explained = set(made.values())
        rows, templates = pending.rows.tolist(), pending.templates.tolist()
        resources = {pending.seen[number].resource for number in set(templates)}
        ranks = self._rank[pending.rows].tolist()
        creators = self._rows.users[pending.rows].tolist()
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
                seen = pending.seen[templates[place]]
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
                matched.setdefault((user, resource, scope), []).append((rows[latest], number))
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
