"""Where two services answer the same play differently: status, shape, values.

Each play has its own run-time identities. What both were sent in the same place, or what names a thing, a moment
or a host, corresponds; lists that have the same items are the same list. What differs between two plays on the
*same* service is volatile and tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from lobrest.fuzz.judge import parsed
from lobrest.fuzz.play import Performance, StepResult
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Response
from lobrest.model.operation import Json, OperationId

_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} .*")
_OPAQUE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[a-z]*\d)[0-9a-f]{12,}", re.IGNORECASE
)
_HOST = re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s\"'<>]*")
_FRESH = re.compile(r"-x[0-9a-z]{4,}|_x(?=[a-z]*\d)[0-9a-z]{4,}|_X(?=[A-Z]*\d)[0-9A-Z]{4,}")
_IDENTITY = re.compile(r"^_?u?u?id$|[_-]id$|[a-z]Id$|ID$")
_SECONDS, _MILLISECONDS = (1e9, 4e9), (1e12, 4e12)
_MOST_ITEMS = 60
_DEEPEST = 24
_LEAST_WORTH = 3
"""Sent values shorter than this are not looked for inside texts."""
_SHOWN = 120


class Aspect(StrEnum):
    """What is different."""

    STATUS = "status"
    SHAPE = "shape"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two answers to the same step differ."""

    operation: OperationId
    aspect: Aspect
    pointer: str
    """JSON pointer without the first slash; ``*`` stands for any item of a list."""
    here: str
    there: str
    step: int

    @property
    def key(self) -> Key:
        """What makes two differences the same one."""
        texts = (self.here, self.there) if self.aspect is not Aspect.VALUE else ("", "")
        return self.operation, self.aspect, self.pointer, *texts


Key: TypeAlias = tuple[str, ...]
Found: TypeAlias = Iterator[tuple[Aspect, str, str, str]]


@dataclass(slots=True)
class Volatility:
    """Places that differ from one play to the next on one service."""

    places: set[tuple[OperationId, Aspect, str]] = field(default_factory=set)

    def learn(self, differences: Sequence[Difference]) -> None:
        """Take in what differed between two plays on the same service. A status that changed is no custom."""
        self.places.update(
            (one.operation, one.aspect, one.pointer) for one in differences if one.aspect is not Aspect.STATUS
        )

    def knows(self, operation: OperationId, aspect: Aspect, pointer: str) -> bool:
        """Is a place, or something it is inside, volatile?"""
        if (operation, aspect, pointer) in self.places:
            return True
        # Where whole lists or objects come and go, so does everything in them.
        parts = pointer.split("/")
        return any(
            (operation, Aspect.SHAPE, "/".join(parts[:depth])) in self.places
            for depth in range(1, len(parts))
        )


def differences(
    here: Performance, there: Performance, volatility: Volatility | None = None
) -> list[Difference]:
    """What differs between two performances of the same seed, step by step, without what is volatile."""
    known = volatility or Volatility()
    pairs = _correspondence(here.results, there.results)
    found: list[Difference] = []
    for index, (left, right) in enumerate(zip(here.results, there.results, strict=False)):
        operation = here.plan.seed.steps[index].entry.operation

        def is_volatile(aspect: Aspect, pointer: str, operation: OperationId = operation) -> bool:
            return known.knows(operation, aspect, pointer)

        comparison = _Comparison(pairs, is_volatile)
        for aspect, pointer, one, other in comparison.answers(left, right):
            if not is_volatile(aspect, pointer):
                found.append(Difference(operation, aspect, pointer, one, other, index))
    return found


def confirmed(first: Sequence[Difference], again: Sequence[Difference]) -> list[Difference]:
    """Differences of the first round that the second shows as well."""
    seen = {(*one.key, str(one.step)) for one in again}
    return [one for one in first if (*one.key, str(one.step)) in seen]


class _Comparison:
    """Compares the answers to one step."""

    def __init__(self, pairs: _Pairs, is_volatile: Callable[[Aspect, str], bool]) -> None:
        self._pairs = pairs
        self._volatile = is_volatile

    def answers(self, left: StepResult, right: StepResult) -> Found:
        one, other = left.exchange, right.exchange
        if one.status != other.status:
            yield Aspect.STATUS, "", _status(left), _status(right)
            return
        if one.response is None or other.response is None:
            return
        mine, yours = _media(one.response), _media(other.response)
        if mine != yours:
            yield Aspect.SHAPE, "Content-Type", mine or "none", yours or "none"
            return
        if one.response.body == other.response.body:
            return
        first, second = parsed(one.response), parsed(other.response)
        if first is None and second is None:
            yield from self._texts(one.response, other.response)
        else:
            yield from self._values(first, second, "", "", 0)

    def _texts(self, left: Response, right: Response) -> Found:
        if left.truncated or right.truncated:
            return
        try:
            one, other = left.body.decode(), right.body.decode()
        except UnicodeDecodeError:
            return  # archives and pictures are not read
        if not self._same(one, other, ""):
            yield Aspect.VALUE, "", _shown(one), _shown(other)

    def _values(self, left: Json, right: Json, pointer: str, name: str, depth: int) -> Found:
        if depth > _DEEPEST:
            return
        if isinstance(left, dict) and isinstance(right, dict):
            yield from self._objects(left, right, pointer, depth)
        elif isinstance(left, list) and isinstance(right, list):
            yield from self._lists(left, right, pointer, name, depth)
        elif _kind(left) != _kind(right):
            yield Aspect.SHAPE, pointer, _kind(left), _kind(right)
        elif not self._same(left, right, name):
            yield Aspect.VALUE, pointer, _shown(left), _shown(right)

    def _objects(self, left: dict[str, Json], right: dict[str, Json], pointer: str, depth: int) -> Found:
        for key in dict.fromkeys([*left, *right]):
            inner = f"{pointer}/{_escaped(key)}".removeprefix("/")
            if key not in right:
                if not self._renamed(key, right):
                    yield Aspect.SHAPE, inner, _kind(left[key]), "absent"
            elif key not in left:
                if not self._renamed(key, left, back=True):
                    yield Aspect.SHAPE, inner, "absent", _kind(right[key])
            else:
                yield from self._values(left[key], right[key], inner, key, depth + 1)

    def _renamed(self, key: str, others: Mapping[str, Json], *, back: bool = False) -> bool:
        """Is a key a run-time identity that is another one over there?"""
        return any(self._pairs.same(other, key) if back else self._pairs.same(key, other) for other in others)

    def _lists(self, left: list[Json], right: list[Json], pointer: str, name: str, depth: int) -> Found:
        inner = f"{pointer}/*".removeprefix("/")
        if len(left) != len(right) or self._volatile(Aspect.VALUE, f"{inner}/length"):
            if len(left) != len(right):
                yield Aspect.VALUE, f"{inner}/length", str(len(left)), str(len(right))
            # Not the same items: then at least of the same form.
            if left and right:
                yield from (
                    one for one in self._values(left[0], right[0], inner, name, depth + 1)
                    if one[0] is Aspect.SHAPE
                )  # fmt: skip
            return
        rest = list(right[:_MOST_ITEMS])
        unmatched: list[Json] = []
        for item in left[:_MOST_ITEMS]:
            match = next(
                (at for at, other in enumerate(rest) if self._equal(item, other, inner, name, depth)), None
            )
            if match is None:
                unmatched.append(item)
            else:
                del rest[match]
        for item, other in zip(unmatched, rest, strict=False):
            yield from self._values(item, other, inner, name, depth + 1)

    def _equal(self, left: Json, right: Json, pointer: str, name: str, depth: int) -> bool:
        """Items are the same but for what is volatile in them."""
        return all(
            self._volatile(aspect, where)
            for aspect, where, _, _ in self._values(left, right, pointer, name, depth + 1)
        )

    def _same(self, left: Json, right: Json, name: str) -> bool:
        if left == right or self._pairs.same(left, right):
            return True
        if isinstance(left, str) and isinstance(right, str):
            return _same_text(left, right, self._pairs)
        if isinstance(left, bool) or isinstance(right, bool):
            return False
        if isinstance(left, int | float) and isinstance(right, int | float):
            return bool(_IDENTITY.search(name)) or any(
                low < left < high and low < right < high for low, high in (_SECONDS, _MILLISECONDS)
            )
        return False


class _Pairs:
    """Values of one play and what stands for them in the other."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()
        self.texts: list[tuple[str, str]] = []

    def add(self, left: Json, right: Json) -> None:
        one, other = str(left), str(right)
        if one == other or (one, other) in self._known:
            return
        self._known.add((one, other))
        if min(len(one), len(other)) >= _LEAST_WORTH:
            self.texts.append((one, other))
            self.texts.sort(key=lambda pair: -len(pair[0]))  # the longest first: names inside names

    def same(self, left: Json, right: Json) -> bool:
        if isinstance(left, dict | list) or isinstance(right, dict | list):
            return False
        return (str(left), str(right)) in self._known


def _correspondence(here: Sequence[StepResult], there: Sequence[StepResult]) -> _Pairs:
    """Whatever was sent in the same place of the same step corresponds: it was bound, fresh, or somebody's name."""
    pairs = _Pairs()
    for left, right in zip(here, there, strict=False):
        for one, other in _sent_pairs(left.arguments, right.arguments):
            pairs.add(one, other)
    return pairs


def _sent_pairs(left: Arguments, right: Arguments) -> Iterator[tuple[Json, Json]]:
    for mine, yours in ((left.path, right.path), (left.query, right.query), (left.header, right.header)):
        yield from _leaf_pairs(dict(mine), dict(yours), 0)
    yield from _leaf_pairs(left.body, right.body, 0)


def _leaf_pairs(left: Json, right: Json, depth: int) -> Iterator[tuple[Json, Json]]:
    if depth > _DEEPEST:
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in left.keys() & right.keys():
            yield from _leaf_pairs(left[key], right[key], depth + 1)
    elif isinstance(left, list) and isinstance(right, list):
        for one, other in zip(left, right, strict=False):
            yield from _leaf_pairs(one, other, depth + 1)
    elif isinstance(left, str | int) and isinstance(right, str | int) and not isinstance(left, bool):
        yield left, right


def _same_text(left: str, right: str, pairs: _Pairs) -> bool:
    one, other = _settled(left), _settled(right)
    if one == other:
        return True
    if (_TIME.fullmatch(one) and _TIME.fullmatch(other)) or (
        _OPAQUE.fullmatch(one) and _OPAQUE.fullmatch(other)
    ):
        return True
    for mine, yours in pairs.texts:
        one = one.replace(_settled(mine), _settled(yours))
    return one == other


def _settled(text: str) -> str:
    """A text without hosts and without the endings that make names new."""
    return _FRESH.sub("-x", _HOST.sub("//", text))


def _status(result: StepResult) -> str:
    failure = result.exchange.failure
    return f"none ({failure})" if failure is not None else str(result.exchange.status)


def _media(response: Response) -> str:
    return (response.header("Content-Type") or "").partition(";")[0].strip().lower() if response.body else ""


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _shown(value: Json) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


@dataclass(slots=True)
class Disagreement:
    """A difference that was seen twice, in how many flows, and the first of them."""

    difference: Difference
    here: Performance
    there: Performance
    flows: int = 1


@dataclass(slots=True)
class Comparison:
    """What came of playing the same flows on two services."""

    volatility: Volatility = field(default_factory=Volatility)
    found: dict[Key, Disagreement] = field(default_factory=dict)
    flows: int = 0
    different: int = 0
    """Flows with a difference that was confirmed."""
    steps: int = 0
    repeated: int = 0
    """Flows played again because something differed."""
    unconfirmed: int = 0
    """Differences that did not show again, or that one service shows by itself."""
    following: int = 0
    """Differences after the first changed status of a flow: what follows from it."""

    def settled(self, here: Performance, there: Performance, certain: Sequence[Difference]) -> None:
        """Count a flow and the differences that are certain."""
        self.flows += 1
        self.steps += min(len(here.results), len(there.results))
        self.different += bool(certain)
        broken = min((one.step for one in certain if one.aspect is Aspect.STATUS), default=None)
        counted: set[Key] = set()
        for one in certain:
            if broken is not None and one.step > broken:
                self.following += 1
            elif one.key in self.found:
                self.found[one.key].flows += one.key not in counted
            else:
                self.found[one.key] = Disagreement(one, here, there)
            counted.add(one.key)

    def ranked(self) -> list[Disagreement]:
        """A changed status before a changed shape before changed values; then what is seen most."""
        order = list(Aspect)
        return sorted(
            self.found.values(),
            key=lambda one: (order.index(one.difference.aspect), -one.flows, one.difference.key),
        )
