from __future__ import annotations

import pytest

from lobrest.model.exchange import Response
from lobrest.transport.login import Grant, Login, Place, TokenRule, grant_of

BEARER = TokenRule(Place.BODY, "/data/0/token", Place.HEADER, "Authorization", "Bearer {token}")


def test_a_token_in_the_body_becomes_a_header() -> None:
    answer = Response(200, body=b'{"data": [{"token": "abc"}]}')
    assert grant_of(Login("POST", "/l", token=BEARER), answer) == Grant((("Authorization", "Bearer abc"),))


def test_a_token_in_a_header_becomes_a_query_parameter() -> None:
    rule = TokenRule(Place.HEADER, "x-token", Place.QUERY, "key")
    answer = Response(201, headers=(("X-Token", "abc"),))
    assert grant_of(Login("POST", "/l", token=rule), answer) == Grant((), (("key", "abc"),))


def test_cookies_are_returned_without_attributes_and_the_last_wins() -> None:
    answer = Response(
        302, headers=(("Set-Cookie", "a=1; Path=/"), ("set-cookie", "b=2=3"), ("Set-Cookie", "a=9; HttpOnly"))
    )
    assert grant_of(Login("POST", "/l", cookies=True), answer) == Grant((("Cookie", "a=9; b=2=3"),))


@pytest.mark.parametrize(
    ("selector", "body"),
    [("token", b'{"token": "abc"}'), ("", b'"abc"'), ("/a~1b/~0", b'{"a/b": {"~": "abc"}}')],
)
def test_pointers(selector: str, body: bytes) -> None:
    rule = TokenRule(Place.BODY, selector, Place.HEADER, "X")
    assert grant_of(Login("POST", "/l", token=rule), Response(200, body=body)) == Grant((("X", "abc"),))


@pytest.mark.parametrize(
    "answer",
    [
        Response(401, body=b'{"data": [{"token": "abc"}]}'),
        Response(200, body=b"<html>"),
        Response(200, body=b"\xff"),
        Response(200, body=b"[" * 100_000),
        Response(200, body=b'{"data": []}'),
        Response(200, body=b'{"data": [{"token": ""}]}'),
        Response(200, body=b'{"data": [{"token": true}]}'),
        Response(200, body=b'{"data": 3}'),
    ],
)
def test_a_refusal_or_a_missing_token_grants_nothing(answer: Response) -> None:
    assert grant_of(Login("POST", "/l", token=BEARER), answer) is None


def test_missing_cookies_grant_nothing() -> None:
    assert grant_of(Login("POST", "/l", cookies=True), Response(200)) is None
