from __future__ import annotations

import gzip
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobrest.transport.wire import (
    decoded,
    is_method,
    outgoing_headers,
    retry_after,
    sendable_headers,
    sendable_target,
    without_secrets,
)


@pytest.mark.parametrize(
    "target", ["/", "/a%2Fb/../c;x=1?q=%00&r=[1]", "//evil.example/", '/a\\b|c^`{}"<>', "/?a?b"]
)
def test_what_can_be_sent_stays(target: str) -> None:
    assert sendable_target(target) == target


@pytest.mark.parametrize(
    ("target", "sent"),
    [
        ("", "/"),
        ("a", "/a"),
        ("/a b\r\nX: y", "/a%20b%0D%0AX:%20y"),
        ("/é#x", "/%C3%A9%23x"),
        ("/\ud800", "/%ED%A0%80"),
        ("http://evil.example/", "/http://evil.example/"),
    ],
)
def test_what_cannot_is_encoded(target: str, sent: str) -> None:
    assert sendable_target(target) == sent


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_target_becomes_one_word_of_ascii(target: str) -> None:
    sent = sendable_target(target)
    assert sent.startswith("/")
    assert sent.isascii()
    assert sent.isprintable()
    assert not set(sent) & set(" #")


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_header_value_becomes_encodable_text_on_one_line(value: str) -> None:
    ((_, sent),) = sendable_headers((("X", value),))
    sent.encode("utf-8")
    assert not set(sent) & set("\r\n\0")


def test_framing_and_impossible_names_are_dropped_and_duplicates_kept() -> None:
    headers = (("Host", "evil"), ("Content-Length", "9"), ("X Y", "1"), ("", "2"), ("A", "1"), ("a", "2"))
    assert sendable_headers(headers) == [("A", "1"), ("a", "2")]


def test_a_users_headers_replace_and_defaults_fill() -> None:
    sent = outgoing_headers(
        (("x-a", "1"), ("X-A", "2"), ("authorization", "mine"), ("Cookie", "a=1"), ("accept", "text/xml")),
        (("Authorization", "theirs"), ("Cookie", "b=2")),
        (("Accept", "*/*"), ("User-Agent", "us")),
    )
    assert sent == (
        ("x-a", "1"),
        ("x-a", "2"),
        ("accept", "text/xml"),
        ("Authorization", "theirs"),
        ("Cookie", "a=1; b=2"),
        ("User-Agent", "us"),
    )


def test_methods() -> None:
    assert is_method("PROPFIND")
    assert not is_method("GET /x")
    assert not is_method("")


@pytest.mark.parametrize(
    ("body", "encodings"),
    [
        (gzip.compress(b"hello"), "gzip"),
        (zlib.compress(b"hello"), "deflate"),
        (zlib.compress(b"hello")[2:-4], "Deflate"),
        (gzip.compress(zlib.compress(b"hello")), "deflate, identity, x-gzip"),
        (b"hello", ""),
    ],
)
def test_encodings_are_undone(body: bytes, encodings: str) -> None:
    assert decoded(body, encodings, limit=100) == (b"hello", False)


def test_a_bomb_is_cut() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 10_000_000))
    assert decoded(bomb, "gzip, gzip", limit=1000) == (b"\0" * 1000, True)


@pytest.mark.parametrize("encodings", ["gzip", "br", "gzip, gzip, gzip, gzip"])
def test_what_is_not_what_it_claims_stays(encodings: str) -> None:
    assert decoded(b"not at all", encodings, limit=100) == (b"not at all", False)


def test_an_encoded_body_that_breaks_off_is_cut() -> None:
    body = gzip.compress(bytes(range(256)) * 4)
    plain, cut = decoded(body[:-20], "gzip", limit=10_000)
    assert cut
    assert (bytes(range(256)) * 4).startswith(plain)


def test_secrets_are_blotted_out() -> None:
    headers, body = without_secrets(
        (("Set-Cookie", "sid=s3cr3t; Path=/"), ("X", "Bearer abcdef!")), b"you sent abcdef", ("abcdef",)
    )
    assert headers == (("Set-Cookie", "sid=[removed]"), ("X", "Bearer [removed]!"))
    assert body == b"you sent [removed]"


NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("soon", None),
        ("", None),
        ("-1", None),
        ("²", None),
        (" 7 ", 7.0),
        ("9" * 5000, 999999999.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 12:00:30 -0000", 30.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=NOW) == seconds
