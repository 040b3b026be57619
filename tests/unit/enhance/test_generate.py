"""Values over schemas, hostile ones included."""

from __future__ import annotations

import base64
import random
import re
from datetime import UTC, datetime

import pytest

from lobrest.enhance.generate import Generator
from lobrest.model.operation import ApiSpec

NOW = 1_700_000_000.0


def generator(number: int = 0, **schemas: dict) -> Generator:
    return Generator(ApiSpec("t", "1", {}, schemas=schemas), random.Random(number), now=NOW)


def many(schema: dict, *, name: str = "", count: int = 60, **schemas: dict) -> list:
    made = generator(**schemas)
    return [made.value(schema, name=name) for _ in range(count)]


def test_declared_values_come_first():
    assert set(many({"const": 7})) == {7}
    assert set(many({"enum": ["a", "b", None]})) == {"a", "b"}
    assert many({"type": "string", "examples": ["given"]}).count("given") > 30
    assert many({"type": "integer", "default": 99}).count(99) > 20


def test_types_are_kept():
    assert all(type(one) is int for one in many({"type": "integer"}))
    assert all(type(one) is float for one in many({"type": "number"}))
    assert set(many({"type": "boolean"})) == {True, False}
    assert set(many({"type": "null"})) == {None}
    assert all(isinstance(one, str) for one in many({"type": ["null", "string"]}))
    assert all(isinstance(one, list) for one in many({"items": {"type": "string"}}))
    assert all(isinstance(one, dict) for one in many({"properties": {"a": {"type": "string"}}}))


@pytest.mark.parametrize(
    ("schema", "least", "most"),
    [
        ({"minimum": 5, "maximum": 7}, 5, 7),
        ({"minimum": -3, "maximum": -3}, -3, -3),
        ({"maximum": -5}, -(10**9), -5),
        ({"maximum": 0}, -(10**9), 0),
        ({"exclusiveMinimum": 100}, 101, 10**9),
        ({"exclusiveMinimum": 4, "exclusiveMaximum": 6}, 5, 5),
        ({"exclusiveMaximum": -7}, -(10**9), -8),
    ],
)
def test_whole_numbers_keep_their_limits(schema: dict, least: int, most: int):
    for one in many({"type": "integer", **schema}):
        assert least <= one <= most


@pytest.mark.parametrize("limit", [float("inf"), float("-inf"), float("nan"), True, "9"])
def test_limits_that_are_none_do_no_harm(limit: object):
    assert many({"type": "integer", "minimum": limit}, count=3)
    assert many({"type": "integer", "maximum": limit}, count=3)


def test_lengths_are_kept():
    assert all(len(one) >= 30 for one in many({"type": "string", "minLength": 30}))
    assert all(len(one) <= 3 for one in many({"type": "string", "maxLength": 3}))
    assert all(len(one) < 1000 for one in many({"type": "string", "minLength": 10**9}))


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ("date", r"\d{4}-\d\d-\d\d"),
        ("date-time", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ("email", r"[a-z]+@example\.org"),
        ("uuid", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}"),
        ("uri", r"http://127\.0\.0\.1:9/\w+"),
        ("ipv4", r"127\.0\.0\.1"),
        ("hostname", r"[a-z]+\.example\.org"),
        ("byte", r"[A-Za-z0-9+/]+=*"),
        ("time", r"\d\d:\d\d:\d\dZ"),
        ("duration", r"PT1H"),
        ("password", r".{8,}"),
    ],
)
def test_formats(form: str, pattern: str):
    for one in many({"type": "string", "format": form}, count=10):
        assert re.fullmatch(pattern, one), one


def test_moments_are_after_now():
    for one in many({"type": "string", "format": "date-time"}, count=10):
        assert datetime.strptime(one, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp() > NOW


@pytest.mark.parametrize("pattern", ["^[a-z]{3}-[0-9]{2}$", "^(foo|bar)+$", r"^\w+@\w+\.org$"])
def test_patterns(pattern: str):
    for one in many({"type": "string", "pattern": pattern}, count=20):
        assert re.search(pattern, one), one


@pytest.mark.parametrize(
    "pattern",
    ["(", "[", "(?<name", r"\p{L}+", "a{5000}", "x" * 400, "((a{999}){999}){999}", "((((.*)*)*)*)*"],
)
def test_patterns_that_are_none_of_ours_cost_nothing(pattern: str):
    for one in many({"type": "string", "pattern": pattern}, count=2):
        assert isinstance(one, str)
        assert len(one) <= 10_000


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("email", r".+@.+"),
        ("Website", r"http://.+"),
        ("callback_url", r"http://.+"),
        ("color", r"#[0-9a-f]{6}"),
        ("due_date", r"\d{4}-\d\d-\d\dT.*"),
        ("created_at", r"\d{4}-\d\d-\d\dT.*"),
        ("uuid", r"[0-9a-f-]{36}"),
        ("file_path", r".+\.txt"),
        ("title", r"[a-z]+-[a-z0-9]{4}"),
    ],
)
def test_a_name_says_what_a_plain_string_is(name: str, pattern: str):
    for one in many({"type": "string"}, name=name, count=5):
        assert re.fullmatch(pattern, one), one


def test_objects_have_what_is_required_and_nothing_that_is_read_only():
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "id": {"type": "integer", "readOnly": True},
            "extra": {"type": "string"},
        },
        "required": ["name", "id"],
    }
    made = many(schema)
    assert all("name" in one and "id" not in one for one in made)
    assert 0 < sum("extra" in one for one in made) < len(made)


def test_all_of_is_one_object_and_one_of_one_of_them():
    schema = {
        "allOf": [
            {"$ref": "#/schemas/Named"},
            {"properties": {"size": {"type": "integer"}}, "required": ["size"]},
        ]
    }
    named = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    assert all({"name", "size"} <= set(one) for one in many(schema, Named=named))
    one_of = {"oneOf": [{"type": "integer"}, {"type": "null"}, {"type": "boolean"}]}
    assert {type(one) for one in many(one_of)} == {int, bool}


def test_schemas_in_circles_end():
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/schemas/Node"}, "kids": {"items": {"$ref": "#/schemas/Node"}}},
        "required": ["next", "kids"],
    }
    assert isinstance(generator(Node=node).value({"$ref": "#/schemas/Node"}), dict)
    circle = {"allOf": [{"$ref": "#/schemas/Circle"}]}
    generator(Circle=circle).value({"$ref": "#/schemas/Circle"})
    either = {"oneOf": [{"$ref": "#/schemas/Either"}]}
    generator(Either=either).value({"$ref": "#/schemas/Either"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": [{"a": 1}, ["b"]]},
        {"type": "object", "properties": ["a"]},
        {"type": "object", "properties": {"a": 3}, "required": ["a"]},
        {"type": "array", "items": [{"type": "string"}], "minItems": "many"},
        {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
        {"type": "string", "minLength": "3", "maxLength": -1},
        {"type": "string", "format": 3, "pattern": 3},
        {"type": []},
        {"type": "strnig"},
        {"enum": []},
        {"oneOf": []},
        {"anyOf": [3]},
        {"allOf": [3, None, {"required": "name"}]},
    ],
)
def test_schemas_that_are_wrong_give_some_value(schema: dict):
    many(schema, count=3)


def test_the_same_chance_gives_the_same_values():
    schema = {"type": "object", "properties": {"a": {"pattern": "[a-z]{9}"}, "b": {"type": "integer"}}}
    assert [generator(3).value(schema) for _ in range(5)] == [generator(3).value(schema) for _ in range(5)]


def test_a_description_says_what_no_format_does():
    key = generator().value({"type": "string", "description": "An armored SSH key to add"}, name="key")
    kind, coded, _ = key.split()
    blob = base64.b64decode(coded)
    assert kind == "ssh-ed25519"
    assert blob[4:15] == b"ssh-ed25519"
    assert len(blob) == 4 + 11 + 4 + 32
    other = generator(1).value({"type": "string", "description": "An armored SSH key to add"}, name="key")
    assert other != key
    picture = {"type": "string", "description": "image must be base64 encoded"}
    assert base64.b64decode(generator().value(picture, name="image")).startswith(b"\x89PNG")
    text = generator().value({"type": "string", "description": "base64 encoded text"}, name="x")
    assert base64.b64decode(text)


@pytest.mark.parametrize("file", [{"type": "file"}, {"type": "string", "format": "binary"}])
def test_an_upload_has_its_file(file: dict):
    schema = {"type": "object", "properties": {"attachment": file, "note": {"type": "string"}}}
    assert all("attachment" in one for one in many(schema))
    assert not all("note" in one for one in many(schema))
