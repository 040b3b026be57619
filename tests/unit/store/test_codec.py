from __future__ import annotations

import dataclasses
import json
import random
import types
import typing
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from tests.conformance.samples import bug, seed

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json, Location
from lobrest.model.seed import Seed
from lobrest.store.codec import pack, unpack


def test_a_seed_comes_back_whole() -> None:
    assert unpack(Seed, pack(Seed, seed("a", "b", "c"))) == seed("a", "b", "c")


def test_a_bug_comes_back_whole() -> None:
    assert unpack(Bug, pack(Bug, bug(confirmed=True))) == bug(confirmed=True)


def full(kind: Any, depth: int = 0) -> Any:
    """A value of a type with nothing left at its default, so that a field that is lost is noticed."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, localns={"Json": dict[str, bool]})
        names = [field.name for field in dataclasses.fields(kind)]
        return kind(**{name: full(hints[name], depth + 1) for name in names})
    if origin is tuple:
        return tuple(
            full(item, depth) for item in (arguments[0], arguments[0] if ... in arguments else arguments[1])
        )
    if origin in (types.UnionType, typing.Union):
        return full(arguments[0], depth) if depth < 8 else None
    if origin is not None:
        return {full(arguments[0], depth): full(arguments[1], depth)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[-1]
    simple = {str: "lone \ud800 and \0", bytes: b"\xff", int: 7, float: 1.5, bool: True}
    return simple[getattr(kind, "__supertype__", kind)]


@pytest.mark.parametrize("kind", [Seed, Bug])
def test_every_field_comes_back(kind: Any) -> None:
    value = full(kind)
    assert unpack(kind, pack(kind, value)) == value


@dataclass(frozen=True)
class Earlier:
    name: str


@dataclass(frozen=True)
class Later:
    name: str
    places: frozenset[Location] = frozenset()
    counts: Mapping[Location, int] | None = None


@dataclass(frozen=True)
class Carrier:
    body: Json = None


@pytest.mark.parametrize(
    "body", [10**400, -(2**70), {"a": [1.5, None, "\ud800"]}, {"\ud800": 2**64}, 1e300, ""]
)
def test_any_json_comes_back(body: Json) -> None:
    assert unpack(Carrier, pack(Carrier, Carrier(body))) == Carrier(body)


def test_a_field_that_was_added_since_gets_its_default() -> None:
    assert unpack(Later, pack(Earlier, Earlier("x"))) == Later("x")


def test_a_field_that_is_gone_is_passed_over() -> None:
    assert unpack(Earlier, pack(Later, Later("x"))) == Earlier("x")


def test_sets_and_mappings_with_other_keys() -> None:
    value = Later("x", frozenset({Location.BODY, Location.PATH}), {Location.QUERY: 3})
    assert unpack(Later, pack(Later, value)) == value


@dataclass(frozen=True)
class Nest:
    eggs: set[Earlier]
    order: list[Earlier]
    chance: random.Random


def test_sets_of_values_lists_and_chance() -> None:
    value = Nest({Earlier("b"), Earlier("a")}, [Earlier("b"), Earlier("a")], random.Random(3))
    back = unpack(Nest, pack(Nest, value))
    assert (back.eggs, back.order) == (value.eggs, value.order)
    assert back.chance.random() == value.chance.random()


@pytest.mark.parametrize("name", [1, None, True, 1.5, ["x"], {"a": 1}])
def test_what_is_of_another_type_is_refused(name: object) -> None:
    content = zlib.compress(json.dumps({"name": name}).encode())
    with pytest.raises(TypeError):
        unpack(Earlier, content)


def test_equal_values_give_equal_bytes() -> None:
    one = Later("x", frozenset({Location.BODY, Location.PATH, Location.QUERY}))
    other = Later("x", frozenset({Location.QUERY, Location.PATH, Location.BODY}))
    assert pack(Later, one) == pack(Later, other)


def test_what_is_written_is_json_that_others_can_read() -> None:
    exchange = bug().exchanges[0]
    assert json.loads(zlib.decompress(pack(Exchange, exchange)))["response"]["status"] == 200
