"""Places inside JSON values."""

from __future__ import annotations

import pytest

from lobrest.model import pointer

VALUE = {"a": {"b": [1, None, {"c": "x"}]}, "d/e": 2, "f~g": 3, "": 4, "n": None}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("", [VALUE]), ("a/b/0", [1]), ("a/b/*", [1, None, {"c": "x"}]), ("a/b/*/c", ["x"]), ("d~1e", [2]),
        ("f~0g", [3]), ("a/b/9", []), ("a/x", []), ("a/b/c", []), ("n", [None]), ("a/b/-1", []), ("n/x", []),
    ],
)  # fmt: skip
def test_find(where: str, found: list):
    assert list(pointer.find(VALUE, where)) == found


def test_first_is_the_first_that_is_something():
    assert pointer.first(VALUE, "a/b/*") == 1
    assert pointer.first([None, 2], "*") == 2
    assert pointer.first(VALUE, "n") is None


def test_parts_and_join_are_inverse():
    for names in ((), ("a",), ("a/b", "c~d"), ("~1", "/")):
        assert pointer.parts(pointer.join(*names)) == names


@pytest.mark.parametrize(
    ("value", "where", "new"),
    [
        ({"a": 1}, "a", {"a": 9}), ({"a": 1}, "b", {"a": 1, "b": 9}), (None, "a/b", {"a": {"b": 9}}),
        ({"a": [1, 2]}, "a/1", {"a": [1, 9]}), ({"a": [1, 2]}, "a/*", {"a": [9, 2]}), ({}, "a/*/b", {"a": [{"b": 9}]}),
        ({"a": 1}, "", 9), ({"a": "text"}, "a/b", {"a": {"b": 9}}), ([1], "5", [1, 9]),
    ],
)  # fmt: skip
def test_replaced_is_a_copy(value: object, where: str, new: object):
    before = repr(value)
    assert pointer.replaced(value, where, 9) == new
    assert repr(value) == before


@pytest.mark.parametrize(
    ("value", "where", "left"),
    [
        ({"a": 1, "b": 2}, "a", {"b": 2}), ({"a": {"b": 1}}, "a/b", {"a": {}}), ({"a": 1}, "x", {"a": 1}),
        ({"a": [1, 2]}, "a/0", {"a": [2]}), ({"a": [1, 2]}, "a/*", {"a": [2]}), ({"a": 1}, "a/b/c", {"a": 1}),
        ({"a": 1}, "", None), ([1], "7", [1]), ([1], "x", [1]),
    ],
)  # fmt: skip
def test_removed_is_a_copy(value: object, where: str, left: object):
    before = repr(value)
    assert pointer.removed(value, where) == left
    assert repr(value) == before


def test_leaves_are_scalars_with_pointers_that_lead_to_them():
    found = dict(pointer.leaves(VALUE))
    assert found["a/b/2/c"] == "x"
    assert found["d~1e"] == 2
    for where, value in found.items():
        assert list(pointer.find(VALUE, where)) == [value] or where.endswith("/") or where == ""
    assert len(list(pointer.leaves(list(range(100)), limit=7))) == 7
