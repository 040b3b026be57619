"""Values that services trip over."""

from __future__ import annotations

import json
import random

import pytest

from lobrest.fuzz.mutators.odd import nested, odd_value


def many(schema: dict, current: object, count: int = 600) -> list:
    chance = random.Random(1)
    return [odd_value(schema, current, chance) for _ in range(count)]


def test_numbers_at_their_limits_and_beyond():
    made = many({"type": "integer", "minimum": 3, "maximum": 9}, 5)
    assert {2, 3, 4, 8, 9, 10, 0, -1, 2**31, 2**63} <= {one for one in made if type(one) is int}


def test_strings_at_their_lengths_and_hostile_ones():
    made = [
        one for one in many({"type": "string", "minLength": 3, "maxLength": 12}, "x") if isinstance(one, str)
    ]
    assert {2, 4, 11, 13} <= {len(one) for one in made if set(one) == {"x"}}
    assert {"", "\0", "'", "[", "../../..", "2024-02-30"} <= set(made)
    assert any(len(one) > 10_000 for one in made)


@pytest.mark.parametrize(
    ("schema", "current"),
    [
        ({"type": "boolean"}, True),
        ({"type": "boolean"}, None),
        ({"type": ["boolean", "null"]}, False),
        ({}, True),
    ],
)
def test_a_boolean_becomes_something_like_a_boolean(schema: dict, current: object):
    made = many(schema, current)
    assert {"yes", "true"} <= {one for one in made if isinstance(one, str)}


@pytest.mark.parametrize(
    ("schema", "current"),
    [
        ({"type": "array"}, None),
        ({}, [1]),
        ({"type": "object"}, None),
        ({}, {"a": 1}),
        ({"type": 3}, "x"),
        ({}, None),
    ],
)
def test_every_type_is_confused_with_others(schema: dict, current: object):
    kinds = {type(one) for one in many(schema, current)}
    assert {str, int, list, dict, type(None), bool} <= kinds


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": "3"},
        {"maxLength": -5},
        {"maxLength": 10**12},
        {"minLength": True},
        {"type": ["integer", 3]},
    ],
)
def test_schemas_that_are_wrong_do_no_harm(schema: dict):
    for one in many({"type": "string", **schema}, "x", 200):
        assert len(json.dumps(one)) < 500_000


def test_nesting_is_as_deep_as_asked():
    value = nested(60)
    depth = 0
    while value:
        value = value[0]
        depth += 1
    assert depth == 60
