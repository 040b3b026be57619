"""Values that services trip over, by type."""

from __future__ import annotations

import random
from typing import Final

from lobrest.model.operation import Json, Schema

_TEXTS: Final[tuple[str, ...]] = (
    "", " ", "\u0000", "null", "undefined", "true", "0", "-1", "[", "(", "*", "%", "%00", "%s%n", "\\", "'",
    '"',     "../../..", "a" * 256, "b" * 5000, "é😀𝕏", "\u202egnirts", "<b>x</b>", "{{7*7}}", "1e309", "2147483648",
    "0001-01-01", "9999-12-31T23:59:59Z", "2024-02-30", "a b", "a/b", "A" * 70_000, "#", "@",
)  # fmt: skip
_NUMBERS: Final[tuple[Json, ...]] = (
    0, -1, 1, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 0.1, -0.0, 1e308,
)  # fmt: skip
_OTHERS: Final[tuple[Json, ...]] = (None, True, False, [], {}, [[]], [None], {"a": {"b": []}}, "x", 7, 1.5)


def odd_value(schema: Schema, current: Json, chance: random.Random) -> Json:
    """A value that a careless service does not expect: at a limit, of another type, of an odd form."""
    if chance.random() < 0.35:
        return chance.choice(_OTHERS)
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "boolean" in kinds or isinstance(current, bool):
        return chance.choice(("true", "yes", 2, -1, None, [], "", 0))
    if "integer" in kinds or "number" in kinds or isinstance(current, int | float):
        return chance.choice((*_at_limits(schema), *_NUMBERS))
    if "array" in kinds or isinstance(current, list):
        arrays: tuple[Json, ...] = ([], [None], [current], ["x"] * 200, {}, "x", [[["x"]]])
        return chance.choice(arrays)
    if "object" in kinds or isinstance(current, dict):
        objects: tuple[Json, ...] = ({}, None, [], "x", {"": ""}, {"a": nested(60)})
        return chance.choice(objects)
    return chance.choice((*_at_lengths(schema), *_TEXTS))


def odd_values(schema: Schema) -> list[Json]:
    """The same in order: what services trip over most often first."""
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    found: list[Json]
    if "enum" in schema:
        found = [None, "x", "", 0, []]
    elif "boolean" in kinds:
        found = [None, "x", 2]
    elif "integer" in kinds or "number" in kinds:
        found = [0, *_at_limits(schema), -1, None, 2**31, "x", 2**63, 1.5, [], 10**30]
    elif "array" in kinds:
        found = [[], None, [None], "x", {}, [[["x"]]], ["x"] * 200]
    elif "object" in kinds or "properties" in schema:
        found = [None, {}, "x", [], {"": ""}, {"a": nested(60)}]
    else:
        found = [
            None,
            *_at_lengths(schema),
            "[",
            "é😀𝕏",
            "x" * 300,
            "",
            0,
            [],
            "\u0000",
            {},
            "%",
            "a/b",
            "-1",
        ]
    return _distinct(found)


def _distinct(values: list[Json]) -> list[Json]:
    kept: list[Json] = []
    for value in values:
        if not any(type(one) is type(value) and one == value for one in kept):
            kept.append(value)
    return kept


def nested(depth: int) -> Json:
    """An array in an array in an array."""
    value: Json = []
    for _ in range(depth):
        value = [value]
    return value


def _at_limits(schema: Schema) -> list[Json]:
    found: list[Json] = []
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        limit = schema.get(key)
        if isinstance(limit, int) and not isinstance(limit, bool):
            found.extend((limit - 1, limit, limit + 1))
    return found


def _at_lengths(schema: Schema) -> list[str]:
    found: list[str] = []
    for key in ("minLength", "maxLength"):
        limit = schema.get(key)
        if isinstance(limit, int) and 0 <= limit < 100_000:
            found.extend("x" * length for length in (limit - 1, limit + 1) if length >= 0)
    return found
