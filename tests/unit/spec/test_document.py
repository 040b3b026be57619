"""Syntax: JSON and YAML, and what is hostile in either."""

from __future__ import annotations

import tracemalloc

import pytest

from lobrest.errors import SpecError
from lobrest.spec.document import MAX_DEPTH, parse_document


def test_json_and_yaml_give_the_same_values() -> None:
    text = b'{"a": [1, 2.5, true, null, "x"], "b": {"c": "2020-01-01"}}'
    yaml = b"a:\n- 1\n- 2.5\n- true\n-\n- x\nb:\n  c: 2020-01-01\n"
    assert parse_document(text).value == parse_document(yaml).value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("True", True),
        ("'true'", "true"),
        ("0x1F", 31),
        ("010", 10),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("~", None),
        ("!!str 12", "12"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
    ],
)
def test_plain_scalars_follow_the_json_like_rules(written: str, value: object) -> None:
    assert parse_document(f"k: {written}\n".encode()).value == {"k": value}


def test_keys_that_are_no_text_become_text() -> None:
    assert parse_document(b"200: ok\ntrue: y\nnull: z\n").value == {"200": "ok", "true": "y", "null": "z"}


def test_merge_keys_and_aliases() -> None:
    document = parse_document(b"base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n")
    assert document.value == {"base": {"x": 1, "y": 2}, "use": {"x": 1, "y": 3}}


def test_a_repeated_key_is_a_warning_with_its_line() -> None:
    document = parse_document(b"a: 1\nb: 2\na: 3\n")
    assert document.value == {"a": 3, "b": 2}
    assert [(w.place, w.message) for w in document.warnings] == [
        ("line 3", "key 'a' is written more than once")
    ]


def test_a_path_written_twice_keeps_both_halves() -> None:
    document = parse_document(b'{"/x": {"get": {}}, "/x": {"post": {}}}')
    assert document.value == {"/x": {"get": {}, "post": {}}}
    assert len(document.warnings) == 1


def test_a_byte_order_mark_is_no_error() -> None:
    assert parse_document(b'\xef\xbb\xbf{"a": 1}').value == {"a": 1}


def test_flow_yaml_that_is_no_json_is_still_read() -> None:
    assert parse_document(b"{a: 1, b: [x, y]}").value == {"a": 1, "b": ["x", "y"]}


@pytest.mark.parametrize("data", [b"", b"  \n", b'{"a": ', b"a: [1, 2", b"\xff\xfe\xfa", b"a: \x00"])
def test_what_cannot_be_read_is_a_clear_error(data: bytes) -> None:
    with pytest.raises(SpecError) as caught:
        parse_document(data, name="api.json")
    assert "api.json" in str(caught.value)


def test_broken_json_names_its_line() -> None:
    with pytest.raises(SpecError) as caught:
        parse_document(b'{\n"a": 1,\n"b": [1, 2}\n', name="api.json")
    assert str(caught.value).startswith("api.json:3: not valid JSON")


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 5_000_000 + b"]" * 5_000_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"- " * 10_000 + b"x",
        b"".join(b" " * depth + b"a:\n" for depth in range(MAX_DEPTH + 50)),
    ],
    ids=["ten megabytes of brackets", "objects", "block sequence", "block mapping"],
)
def test_deep_nesting_ends_in_an_error(data: bytes) -> None:
    with pytest.raises(SpecError, match=r"nested|not valid"):
        parse_document(data)


def test_a_billion_laughs_is_refused_and_costs_little() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 30):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    tracemalloc.start()
    with pytest.raises(SpecError, match="unfold"):
        parse_document("\n".join(lines).encode())
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_an_alias_inside_itself_is_refused() -> None:
    with pytest.raises(SpecError, match="contains itself"):
        parse_document(b"a: &a\n  b: *a\n")


def test_an_alias_of_nothing_is_refused() -> None:
    with pytest.raises(SpecError):
        parse_document(b"a: *missing\n")


def test_no_object_is_built_from_a_tag() -> None:
    document = parse_document(b'a: !!python/object/apply:os.system ["true"]\n')
    assert document.value == {"a": ["true"]}
