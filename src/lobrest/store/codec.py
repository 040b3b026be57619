"""Domain values as JSON and back, driven by their annotations.

A field that a type gains is kept without a change here, and a value written before it was there
comes back with the field's default. What is read is data, never code, and of the type that was declared.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import operator
import random
import types
import typing
import zlib
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, TypeVar

import msgspec

from lobrest.model.entry import LogEntry

Value = TypeVar("Value")


class _Json:
    """Stands in for the recursive alias ``Json``, whose values are JSON already."""


@dataclasses.dataclass(frozen=True, slots=True)
class Codec:
    """How values of one type become JSON, and come back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def pack(kind: type[Value], value: Value) -> bytes:
    """A dataclass value as compressed JSON, every text in it exactly as it is."""
    return zlib.compress(to_text(kind, value), 1)


def to_text(kind: type[Value], value: Value) -> bytes:
    """What ``pack`` compresses."""
    return to_json(_writing().of(kind).encode(value))


def unpack(kind: type[Value], content: bytes) -> Value:
    """The value of ``pack``."""
    value: Value = _plain().of(kind).decode(json.loads(zlib.decompress(content)))
    return value


def to_json(encoded: Any) -> bytes:
    """Encoded values as bytes; ``msgspec.Raw`` in them is JSON already."""
    try:
        return _encode(encoded)
    except (UnicodeEncodeError, OverflowError):  # lone surrogates and huge numbers need the slower encoder
        return json.dumps(encoded, default=_from_raw).encode("ascii")


def _from_raw(raw: msgspec.Raw) -> Any:
    return json.loads(bytes(raw))


_encode: Final = msgspec.json.Encoder().encode
_REMEMBERED: Final = 4096


class Codecs:
    """Codecs by annotation; ``special`` ones go before those that the annotation asks for."""

    def __init__(self, special: Mapping[Any, Codec] | None = None) -> None:
        self._known: dict[Any, Codec] = dict(special or {})

    def of(self, kind: Any) -> Codec:
        """The codec of a type."""
        known = self._known.get(kind)
        if known is None:
            known = self._known[kind] = self._made(kind)
        return known

    def _made(self, kind: Any) -> Codec:
        origin = typing.get_origin(kind)
        kind = getattr(kind, "__supertype__", kind)
        if kind in _SIMPLE:
            return _SIMPLE[kind]
        if kind is random.Random:
            return _RANDOM
        if isinstance(kind, type) and issubclass(kind, Enum):
            return Codec(lambda value: value.value, kind)
        if dataclasses.is_dataclass(kind):
            return self._dataclass(kind)
        arguments = typing.get_args(kind)
        if origin is tuple:
            return self._tuple(arguments)
        if origin is list:
            return self._sequence(arguments[0], list)
        if origin in (frozenset, set):
            item = self.of(arguments[0])
            return Codec(
                lambda value: sorted((item.encode(member) for member in value), key=str),
                lambda value: origin(item.decode(member) for member in _list(value)),
            )
        if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            return self._mapping(*arguments)
        if origin in (types.UnionType, typing.Union):
            return self._optional(arguments)
        return _SAME

    def _dataclass(self, kind: Any) -> Codec:
        names = tuple(field.name for field in dataclasses.fields(kind))
        # All values in one step: seeds and flows have thousands of small parts.
        values_of = (
            operator.attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
        )

        @functools.cache  # on first use: a type may refer to itself
        def fields() -> tuple[tuple[str, Codec], ...]:
            hints = typing.get_type_hints(kind, localns={"Json": _Json})
            return tuple((name, self.of(hints[name])) for name in names)

        @functools.cache
        def changing() -> tuple[tuple[str, Callable[[Any], Any]], ...]:
            return tuple((name, codec.encode) for name, codec in fields() if codec.encode is not _same)

        def encode(value: Any) -> Any:
            encoded = dict(zip(names, values_of(value), strict=True))
            for name, encoder in changing():
                encoded[name] = encoder(encoded[name])
            return encoded

        def decode(value: Any) -> Any:
            return kind(**{name: codec.decode(value[name]) for name, codec in fields() if name in value})

        return Codec(encode, decode)

    def _tuple(self, items: tuple[Any, ...]) -> Codec:
        if len(items) == 2 and items[1] is ...:
            return self._sequence(items[0], tuple)
        codecs = [self.of(item) for item in items]
        return Codec(
            lambda value: [codec.encode(item) for codec, item in zip(codecs, value, strict=True)],
            lambda value: tuple(codec.decode(item) for codec, item in zip(codecs, _list(value), strict=True)),
        )

    def _sequence(self, item: Any, kind: Callable[[Any], Any]) -> Codec:
        each = self.of(item)
        if each.encode is _same:
            return Codec(list, lambda value: kind(map(each.decode, _list(value))))
        return Codec(
            lambda value: [each.encode(item) for item in value],
            lambda value: kind(each.decode(item) for item in _list(value)),
        )

    def _mapping(self, key: Any, item: Any) -> Codec:
        values = self.of(item)
        named = getattr(key, "__supertype__", key) is str
        if named and values.encode is _same:
            return Codec(dict, lambda value: {name: values.decode(one) for name, one in value.items()})
        if named:
            return Codec(
                lambda value: {name: values.encode(member) for name, member in value.items()},
                lambda value: {name: values.decode(member) for name, member in value.items()},
            )
        keys = self.of(key)
        return Codec(
            lambda value: [[keys.encode(name), values.encode(member)] for name, member in value.items()],
            lambda value: {keys.decode(name): values.decode(member) for name, member in _list(value)},
        )

    def _optional(self, kinds: tuple[Any, ...]) -> Codec:
        others = [kind for kind in kinds if kind is not types.NoneType]
        if len(others) != 1:
            return _SAME
        inner = self.of(others[0])
        if inner.encode is _same:
            return Codec(_same, lambda value: None if value is None else inner.decode(value))
        return Codec(
            lambda value: None if value is None else inner.encode(value),
            lambda value: None if value is None else inner.decode(value),
        )


@functools.cache
def _plain() -> Codecs:
    return Codecs()


@functools.cache
def _writing() -> Codecs:
    """Writes what ``_plain`` reads. An entry of a log is in many seeds, and in each of them twice."""
    plain = _plain().of(LogEntry)
    return Codecs({LogEntry: Codec(_Remembered(plain.encode), plain.decode)})


class _Remembered:
    """An encoder that knows what it has lately encoded; only for values that never change."""

    def __init__(self, encode: Callable[[Any], Any]) -> None:
        self._encode = encode
        self._known: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any) -> Any:
        known = self._known.get(id(value))  # the value is kept beside, so that its number stays its own
        if known is not None:
            return known[1]
        encoded = self._encode(value)
        try:
            encoded = msgspec.Raw(_encode(encoded))
        except (UnicodeEncodeError, OverflowError):
            return encoded  # ``to_json`` knows how
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[id(value)] = (value, encoded)
        return encoded


def _same(value: Any) -> Any:
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"a list was expected, not {type(value).__name__}")
    return value


def _of(*kinds: type) -> Callable[[Any], Any]:
    """Lets pass what is of one of these types."""

    def checked(value: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError(f"{kinds[0].__name__} was expected, not {type(value).__name__}")
        return value

    return checked


def _to_base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _chance_to(value: random.Random) -> Any:
    version, numbers, gauss = value.getstate()
    return [version, list(numbers), gauss]


def _chance_of(value: Any) -> random.Random:
    version, numbers, gauss = _list(value)
    chance = random.Random(0)
    chance.setstate((version, tuple(_list(numbers)), gauss))
    return chance


_SAME: Final = Codec(_same, _same)
_SIMPLE: Final[Mapping[Any, Codec]] = {
    str: Codec(_same, _of(str)),
    int: Codec(_same, _of(int)),
    bool: Codec(_same, _of(bool)),
    float: Codec(_same, _of(float, int)),
    bytes: Codec(_to_base64, base64.b64decode),
}
_RANDOM: Final = Codec(_chance_to, _chance_of)
