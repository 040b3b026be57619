"""Templates of text logs."""

from __future__ import annotations

import pytest

from lobrest.logs.formats.record import LineError, origin_form
from lobrest.logs.formats.text import quoted_words, request_line, unescape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET /a HTTP/1.1", ("GET", "/a")),
        ("get /a b c HTTP/1.0", ("GET", "/a b c")),
        ("GET /a", ("GET", "/a")),
        ("OPTIONS * HTTP/1.1", ("OPTIONS", "*")),
        ("GET https://h/x?y HTTP/2.0", ("GET", "/x?y")),
        ("VERSION-CONTROL /a HTTP/1.1", ("VERSION-CONTROL", "/a")),
    ],
)
def test_request_lines(text, expected):
    assert request_line(text) == expected


@pytest.mark.parametrize(
    "text", ["", "-", "GET", "\x16\x03\x01 /a HTTP/1.1", "GET  HTTP/1.1", "GET nowhere HTTP/1.1"]
)
def test_what_is_no_request_line(text):
    with pytest.raises(LineError):
        request_line(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\\x22b", 'a"b'),
        ("\\xC3\\xBC", "ü"),
        ("\\xFFx", "\ufffdx"),
        ('\\"', '"'),
        ("\\\\n", "\\n"),
        ("ü\\x41", "üA"),
        ("\uf7ffx", "\uf7ffx"),
    ],
)
def test_escapes(text, expected):
    assert unescape(text) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/a", "/a"),
        ("http://h", "/"),
        ("http://h?x", "/?x"),
        ("http://h:80/a?u=http://z/", "/a?u=http://z/"),
        ("odd", "odd"),
    ],
)
def test_targets_in_origin_form(target, expected):
    assert origin_form(target) == expected


def test_words_and_quoted_strings():
    assert quoted_words('a "b c" d"e\\"f" g') == ["a", "b c", "d", 'e\\"f', "g"]
    assert quoted_words('a "never closed b c') == ["a"]
    assert quoted_words('"\\' * 100_000) == [], "in one pass"
    assert quoted_words("a b c", most=2) == ["a", "b"]
