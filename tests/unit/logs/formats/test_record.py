"""A parsed line."""

from __future__ import annotations

import pytest

from lobrest.logs.formats.record import ANONYMOUS, Actor, Body, Record, host_name, url_host


def test_a_record_knows_nothing_it_was_not_told():
    record = Record(1.0, "GET", "/a", 200)
    assert record.actor is ANONYMOUS
    assert record.body_kind is Body.UNKNOWN
    assert (record.body, record.response, record.location, record.headers) == ("", "", "", ())


def test_senders_are_equal_by_content():
    assert Actor(name="a") == Actor(name="a")
    assert len({Actor(name="a"), Actor(name="a"), Actor(token="a")}) == 2


@pytest.mark.parametrize(
    ("logged", "name"),
    [
        ("Shop.Example.org:443", "shop.example.org"),
        ("localhost", "localhost"),
        ("10.0.0.1:8080", "10.0.0.1"),
        ("[::1]:3000", "::1"),
        ("shop.example.", "shop.example"),
        ("service_a", "service_a"),
        ("", ""),
        ("-", ""),
        ("a b", ""),
        ("<script>", ""),
        ("x" * 300, ""),
        ("[not an address]", ""),
    ],
)
def test_a_host_without_its_port(logged, name):
    assert host_name(logged) == name


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("/a", ""),
        ("/a?to=http://x/", ""),
        ("https://ann:pw@x.example:8443/a", "x.example:8443"),
        ("http://x.example?q=1", "x.example"),
        ("://x", ""),
    ],
)
def test_the_host_of_a_url(target, host):
    assert url_host(target) == host
