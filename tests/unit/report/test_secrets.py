from __future__ import annotations

import json

import pytest

from lobrest.report.secrets import (
    HIDDEN,
    is_secret_field,
    is_secret_header,
    mask_headers,
    mask_json,
    mask_target,
    mask_text,
)


@pytest.mark.parametrize(
    "name",
    ["password", "newPassword", "password_confirmation", "access_token", "apiKey", "API_KEY", "client_secret",
     "private_token", "sessionId", "private_key", "token", "otp", "PASSWORD", "runners_token"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret_field(name)


@pytest.mark.parametrize(
    "name",
    ["name", "token_id", "tokenType", "secret_name", "token_expires", "password_required", "key", "id", "",
     "tokens_count", "pinned", "compass", "secretary", "created_at"],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    assert not is_secret_field(name)


@pytest.mark.parametrize(
    "name",
    ["Authorization", "authorization", "Cookie", "Set-Cookie", "PRIVATE-TOKEN", "X-Api-Key", "X-CSRF-Token"],
)
def test_headers_with_credentials(name: str) -> None:
    assert is_secret_header(name)
    assert mask_headers(((name, "Bearer x"), ("Accept", "*/*"))) == ((name, HIDDEN), ("Accept", "*/*"))


def test_nested_secrets_are_hidden_and_the_rest_stays() -> None:
    value = {
        "user": {"name": "a", "password": "p"},
        "tokens": [{"token": "t", "active": True}],
        "token": None,
    }
    assert mask_json(value) == {
        "user": {"name": "a", "password": HIDDEN},
        "tokens": [{"token": HIDDEN, "active": True}],
        "token": None,
    }


def test_text_without_secrets_keeps_every_byte() -> None:
    text = '{ "b": 1,\n "a": [1.0, 2e3] }'
    assert mask_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "hunter2"}',
        "user=a&password=hunter2&x=1",
        '{"password": "hunter2", broken',
        "token: hunter2",
    ],
)
def test_secrets_in_text_are_hidden(text: str) -> None:
    assert "hunter2" not in mask_text(text)
    assert HIDDEN in mask_text(text)


def test_depth_without_end_is_no_trap() -> None:
    assert "x" not in json.dumps(mask_json(json.loads("[" * 100 + '"x"' + "]" * 100)))
    assert mask_text("[" * 100_000) == "[" * 100_000


def test_secret_query_values_are_hidden() -> None:
    assert mask_target("/a?private_token=x&page=2&flag") == f"/a?private_token={HIDDEN}&page=2&flag"
    assert mask_target("/a/b") == "/a/b"
