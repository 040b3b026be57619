"""A parsed line."""

from __future__ import annotations

from lobrest.logs.formats.record import ANONYMOUS, Actor, Body, Record


def test_a_record_knows_nothing_it_was_not_told():
    record = Record(1.0, "GET", "/a", 200)
    assert record.actor is ANONYMOUS
    assert record.body_kind is Body.UNKNOWN
    assert (record.body, record.response, record.location, record.headers) == ("", "", "", ())


def test_senders_are_equal_by_content():
    assert Actor(name="a") == Actor(name="a")
    assert len({Actor(name="a"), Actor(name="a"), Actor(token="a")}) == 2
