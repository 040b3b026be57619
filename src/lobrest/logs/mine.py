"""2XX requests → ``Corpus``: combinations and values, bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import Json, Location, OperationId, ParameterRef
from lobrest.model.pointer import join

EXAMPLES = 48
"""Whole requests kept per operation."""
VALUES = 64
"""Values kept per parameter."""
_COUNTED = 4 * VALUES
_LARGEST_VALUE = 4096
_LARGEST_EXAMPLE = 1 << 16
_DEPTH = 5
_FIELDS = 200

Combination = frozenset[str]
_Key = tuple[OperationId, str, str]
"""Operation, place and pointer: what a ``ParameterRef`` says, cheaper to make by the million."""


class CorpusBuilder:
    """Collects examples and values; two builders can be joined, in the order of the log."""

    def __init__(self) -> None:
        self._examples: dict[OperationId, dict[Combination, dict[bytes, Arguments]]] = {}
        self._values: dict[_Key, dict[bytes, int]] = {}

    def add(self, operation: OperationId, arguments: Arguments, *, whole: bool, count: int = 1) -> None:
        """A request that was answered 2XX, so many times.

        One that is not whole gives values, but no combination.
        """
        encode = msgspec.json.encode
        for key, value in _values(operation, arguments):
            encoded = encode(value)
            if len(encoded) <= _LARGEST_VALUE:
                self._count(key, encoded, count)
        if not whole or not arguments.body_known:
            return
        encoded = encode(
            (arguments.path, arguments.query, arguments.header, arguments.body, arguments.hidden)
        )
        if len(encoded) <= _LARGEST_EXAMPLE:
            self._keep(operation, combination(arguments), encoded, arguments)

    def join(self, later: CorpusBuilder) -> None:
        """Take in what a later part of the log showed."""
        for operation, groups in later._examples.items():
            for names, held in groups.items():
                for encoded, arguments in held.items():
                    self._keep(operation, names, encoded, arguments)
        for key, counts in later._values.items():
            for encoded, count in counts.items():
                self._count(key, encoded, count)

    def combinations(self, operation: OperationId) -> int:
        """How many combinations of an operation are known."""
        return len(self._examples.get(operation, ()))

    def build(self) -> Corpus:
        """The corpus so far."""
        examples = {operation: _interleaved(groups) for operation, groups in self._examples.items()}
        values: dict[ParameterRef, tuple[Json, ...]] = {}
        for (operation, place, name), counts in self._values.items():
            ranked = sorted(counts.items(), key=lambda item: -item[1])[:VALUES]
            ref = ParameterRef(operation, Location(place), name)
            values[ref] = tuple(msgspec.json.decode(encoded) for encoded, _ in ranked)
        return Corpus(examples, values)

    def _keep(self, operation: OperationId, names: Combination, encoded: bytes, arguments: Arguments) -> None:
        groups = self._examples.setdefault(operation, {})
        held = groups.get(names)
        if held is not None:
            if encoded in held:
                return
            if sum(map(len, groups.values())) < EXAMPLES:
                held[encoded] = arguments
            return
        if sum(map(len, groups.values())) >= EXAMPLES:
            crowded = max(groups.values(), key=len)
            if len(crowded) < 2:
                return
            crowded.popitem()
        groups[names] = {encoded: arguments}

    def _count(self, key: _Key, encoded: bytes, count: int) -> None:
        counts = self._values.get(key)
        if counts is None:
            counts = self._values[key] = {}
        if encoded in counts:
            counts[encoded] += count
        elif len(counts) < _COUNTED:
            counts[encoded] = count


def combination(arguments: Arguments) -> Combination:
    """The names of what a request carried, by place; of a body its top-level fields."""
    names = [f"path/{name}" for name in arguments.path]
    names += [f"query/{name}" for name in arguments.query]
    names += [f"header/{name}" for name in arguments.header]
    if isinstance(arguments.body, dict):
        names += [f"body/{name}" for name in arguments.body]
    elif arguments.has_body:
        names.append("body")
    names += arguments.hidden
    return frozenset(names)


def _interleaved(groups: Mapping[Combination, Mapping[bytes, Arguments]]) -> tuple[Arguments, ...]:
    """One example of each combination, then the second of each, and so on."""
    columns = [list(held.values()) for held in groups.values()]
    longest = max(map(len, columns), default=0)
    return tuple(held[row] for row in range(longest) for held in columns if row < len(held))


def _values(operation: OperationId, arguments: Arguments) -> Iterator[tuple[_Key, Json]]:
    for name, value in arguments.path.items():
        yield (operation, "path", name), value
    for name, held in arguments.query.items():
        for item in held if isinstance(held, list) else (held,):
            yield (operation, "query", name), item
    for name, value in arguments.header.items():
        yield (operation, "header", name), value
    if arguments.has_body:
        hidden = {place.removeprefix("body/") for place in arguments.hidden if place.startswith("body/")}
        left = [_FIELDS]
        for pointer, inner in _fields(arguments.body, (), left):
            # An object that lost something is no value of its own; what is left inside still is.
            if isinstance(inner, dict | list) and hidden and any(_inside(place, pointer) for place in hidden):
                continue
            yield (operation, "body", pointer), inner


def _inside(place: str, pointer: str) -> bool:
    parts, outer = place.split("/"), pointer.split("/") if pointer else []
    return len(parts) >= len(outer) and all(b in ("*", a) for a, b in zip(parts, outer, strict=False))


def _fields(value: Json, above: tuple[str, ...], left: list[int]) -> Iterator[tuple[str, Json]]:
    """Fields with their pointers, ``*`` for elements of arrays."""
    if len(above) > _DEPTH or left[0] <= 0:
        return
    if above or not isinstance(value, dict):
        left[0] -= 1
        yield join(*above) if above else "", value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _fields(inner, (*above, name), left)
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _fields(inner, (*above, "*"), left)
