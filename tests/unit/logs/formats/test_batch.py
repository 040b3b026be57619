"""Records to columns."""

from __future__ import annotations

from lobrest.logs.formats.batch import (
    Numbers,
    Recall,
    line_count,
    parse_documents,
    parse_lines,
    pieces,
    split_lines,
)
from lobrest.logs.formats.record import Actor, Body, LineError, Record


def parse(line):
    if not line:
        return None
    if line == b"bad":
        raise LineError("why")
    kind = Body.TEXT if line.startswith(b"b") else Body.UNKNOWN
    return Record(1.0, "GET", line.decode(), 200, Actor(name="a"), "body" if kind else "", kind)


def test_distinct_requests_and_senders_are_held_once():
    batch = parse_lines(parse, [b"/x", b"", b"bad", b"/y", b"/x"])
    assert batch.requests == [("GET", "/x"), ("GET", "/y")]
    assert batch.request_ids == [0, 1, 0]
    assert batch.actor_ids == [0, 0, 0]
    assert batch.lines == [0, 3, 4]
    assert batch.bad == [(2, "why")]
    assert (batch.not_requests, batch.lines_read) == (1, 5)
    assert batch.extras == {}


def test_only_what_is_beyond_the_columns_is_extra():
    batch = parse_lines(parse, [b"/x", b"b/y"])
    assert batch.body_kind is Body.UNKNOWN
    assert list(batch.extras) == [1]
    assert batch.extras[1].body == "body"


def test_documents_count_their_records():
    batch = parse_documents([parse(b"/x"), LineError("broken"), parse(b"/x")])
    assert (batch.lines_read, batch.lines, batch.bad) == (3, [0, 2], [(1, "broken")])


def test_lines_of_a_block():
    assert split_lines(b"a\nb\n") == split_lines(b"a\nb") == [b"a", b"b"]
    assert split_lines(b"") == []
    assert split_lines(b"\n\n") == [b"", b""]


def test_lines_are_counted_as_they_are_split():
    for data in (b"", b"a", b"a\n", b"a\nb", b"\n\n"):
        assert line_count(data) == len(split_lines(data))


def test_pieces_are_whole_lines():
    data = b"one\ntwo\n" + b"x" * 50 + b"\nthree"
    found = list(pieces(data, 10))
    assert b"".join(found) == data
    assert found == [b"one\ntwo\n", b"x" * 50 + b"\n", b"three"]
    assert list(pieces(b"")) == []


def test_equal_bodies_are_one_request_and_answers_are_not():
    def told(line):
        return Record(1.0, "POST", "/x", 200, body=line.decode()[:1], body_kind=Body.TEXT, response=line[1:])

    batch = parse_lines(told, [b"a", b"a", b"b", b"a{}", b"a{}"])
    assert batch.request_ids == [0, 0, 1, 2, 3]
    assert [batch.extras[number].body for number in range(4)] == ["a", "b", "a", "a"]


def test_numbers_count_up():
    numbers = Numbers()
    assert [numbers["a"], numbers["b"], numbers["a"]] == [0, 1, 0]


def test_what_is_recalled_is_bounded():
    recall = Recall(
        {bytes([number % 256, number // 256 % 256, number >> 16]): None for number in range(200_001)}
    )
    recall.trim()
    assert not recall.requests
