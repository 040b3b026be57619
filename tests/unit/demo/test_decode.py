from __future__ import annotations

import datetime
from enum import StrEnum

import pytest
from msgspec import UNSET, Struct, UnsetType

from lobrest.demo.decode import decode_body, decode_query
from lobrest.demo.refusal import Refusal


class Kind(StrEnum):
    BIG = "big"


class Inner(Struct):
    word: str


class Thing(Struct):
    title: str
    kind: Kind = Kind.BIG
    due: datetime.date | UnsetType = UNSET
    inner: Inner | UnsetType = UNSET


class Question(Struct):
    page: int = 1
    deep: bool = False


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"{}", "title is missing"),
        (b"", "title is missing"),
        (b'{"title": null}', "title is invalid"),
        (b'{"title": "x", "kind": "small"}', "kind does not have a valid value"),
        (b'{"title": "x", "due": "tomorrow"}', "due is invalid"),
        (b'{"title": "x", "inner": {}}', "inner.word is missing"),
        (b"[]", "body is invalid"),
        (b'{"title": ', "Problem parsing JSON"),
        (b"\xff", "Problem parsing JSON"),
        (b'{"title": "\xff"}', "Problem parsing JSON"),
    ],
)
def test_what_does_not_fit_is_told(content, error):
    with pytest.raises(Refusal) as refusal:
        decode_body(content, "application/json", Thing)
    assert (refusal.value.status, refusal.value.payload) == (400, {"error": error})


def test_a_body_is_json_or_nothing():
    assert decode_body(b'{"title": "x", "unknown": 1}', "application/json", Thing) == Thing("x")
    with pytest.raises(Refusal) as refusal:
        decode_body(b"title=x", "application/x-www-form-urlencoded", Thing)
    assert refusal.value.status == 415


def test_a_query_is_read_from_text():
    assert decode_query("page=1&page=3&deep=true&unknown=1", Question) == Question(3, True)
    assert decode_query("", Question) == Question()
    for text, error in (("page=x", "page is invalid"), ("deep=", "deep is invalid")):
        with pytest.raises(Refusal) as refusal:
            decode_query(text, Question)
        assert refusal.value.payload == {"error": error}
