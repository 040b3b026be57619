"""Domain values as JSON and back, driven by their annotations.

A field that a type gains is kept without a change here, and a value written before it was there
comes back with the field's default.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import types
import typing
import zlib
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeVar

import msgspec

Value = TypeVar("Value")


class _Json:
    """Stands in for the recursive alias ``Json``, whose values are JSON already."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Codec:
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def pack(kind: type[Value], value: Value) -> bytes:
    """A dataclass value as compressed JSON, every text in it exactly as it is."""
    encoded = _codec(kind).encode(value)
    try:
        text = msgspec.json.encode(encoded)
    except (UnicodeEncodeError, OverflowError):  # lone surrogates and huge numbers need the slower encoder
        text = json.dumps(encoded).encode("ascii")
    return zlib.compress(text, 1)


def unpack(kind: type[Value], content: bytes) -> Value:
    """The value of ``pack``."""
    value: Value = _codec(kind).decode(json.loads(zlib.decompress(content)))
    return value


def _same(value: Any) -> Any:
    return value


def _to_base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


_SAME = _Codec(_same, _same)


def _codec(kind: Any) -> _Codec:
    codec: _Codec = _made(kind)
    return codec


@functools.cache
def _made(kind: Any) -> _Codec:
    origin = typing.get_origin(kind)
    if kind is bytes:
        return _Codec(_to_base64, base64.b64decode)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Codec(lambda value: value.value, kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind)
    if origin is tuple:
        return _tuple(typing.get_args(kind))
    if origin is frozenset:
        item = _codec(typing.get_args(kind)[0])
        return _Codec(
            lambda value: sorted(item.encode(member) for member in value),
            lambda value: frozenset(item.decode(member) for member in value),
        )
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*typing.get_args(kind))
    if origin in (types.UnionType, typing.Union):
        return _optional(typing.get_args(kind))
    return _SAME


def _dataclass(kind: Any) -> _Codec:
    @functools.cache  # on first use: a type may refer to itself
    def fields() -> tuple[tuple[str, _Codec], ...]:
        hints = typing.get_type_hints(kind, localns={"Json": _Json})
        return tuple((field.name, _codec(hints[field.name])) for field in dataclasses.fields(kind))

    def encode(value: Any) -> Any:
        return {
            name: getattr(value, name) if codec is _SAME else codec.encode(getattr(value, name))
            for name, codec in fields()
        }

    def decode(value: Any) -> Any:
        return kind(**{name: codec.decode(value[name]) for name, codec in fields() if name in value})

    return _Codec(encode, decode)


def _tuple(items: tuple[Any, ...]) -> _Codec:
    if len(items) == 2 and items[1] is ...:
        each = _codec(items[0])
        if each is _SAME:
            return _Codec(list, tuple)
        return _Codec(
            lambda value: [each.encode(item) for item in value],
            lambda value: tuple(each.decode(item) for item in value),
        )
    codecs = [_codec(item) for item in items]
    return _Codec(
        lambda value: [codec.encode(item) for codec, item in zip(codecs, value, strict=True)],
        lambda value: tuple(codec.decode(item) for codec, item in zip(codecs, value, strict=True)),
    )


def _mapping(key: Any, item: Any) -> _Codec:
    values = _codec(item)
    named = getattr(key, "__supertype__", key) is str
    if named and values is _SAME:
        return _Codec(dict, _same)
    if named:
        return _Codec(
            lambda value: {name: values.encode(member) for name, member in value.items()},
            lambda value: {name: values.decode(member) for name, member in value.items()},
        )
    keys = _codec(key)
    return _Codec(
        lambda value: [[keys.encode(name), values.encode(member)] for name, member in value.items()],
        lambda value: {keys.decode(name): values.decode(member) for name, member in value},
    )


def _optional(kinds: tuple[Any, ...]) -> _Codec:
    (kind,) = (kind for kind in kinds if kind is not types.NoneType)
    inner = _codec(kind)
    if inner is _SAME:
        return _SAME
    return _Codec(
        lambda value: None if value is None else inner.encode(value),
        lambda value: None if value is None else inner.decode(value),
    )
