"""Records to columns."""

from __future__ import annotations

from lobrest.logs.formats.batch import parse_documents, parse_lines, split_lines
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
