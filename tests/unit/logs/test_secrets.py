"""Secrets by name and by look."""

from __future__ import annotations

import pytest

from lobrest.logs.secrets import SecretFinder, is_hidden, is_secret_name, is_secret_number


@pytest.mark.parametrize(
    "name",
    ["password", "new_password", "passwordConfirmation", "token", "private_token", "accessToken",
    "client_secret", "api_key",
     "apiKey", "Authorization", "jwt", "otp", "tokens", "runner_token", "secret_token"],
)  # fmt: skip
def test_names_of_secrets(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["token_id", "token_type", "secret_name", "author", "key", "sort", "page_token", "title", "max_tokens",
    "otp_required",
     "password_authentication_enabled", "tokenize", "name", "access_level", "api_key_id"],
)  # fmt: skip
def test_names_of_other_things(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "value",
    ["ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAIOSFODNN7EXAMPLE", "glpat-abcdefghij0123456789",
     "https://ann:hunter2@git.example/x.git", "-----BEGIN RSA PRIVATE KEY-----\nMII"],
)  # fmt: skip
def test_values_that_look_like_credentials(value):
    finder = SecretFinder()
    assert finder.is_secret(value)
    assert finder.is_secret(value), "from memory too"


@pytest.mark.parametrize(
    "value",
    ["615c209542fa63d5ff965308d845866a1a82774b", "454d52bd-3a6d-4d09-b108-aa694d19054e",
    "feature/long-branch-name-2026",
     "short", "https://example.org/a?b=c", "x" * 9000, "a sentence of several words, 1234567890"],
)  # fmt: skip
def test_ids_and_hashes_stay_linkable(value):
    assert not SecretFinder().is_secret(value)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("[FILTERED]", True),
        ("a [FILTERED] b", True),
        ("***", True),
        ("*", False),
        ("**bold**", False),
        ("caf\ufffd", True),
        ("fine", False),
        ("", False),
    ],
)
def test_values_that_the_log_hides(text, hidden):
    assert is_hidden(text) is hidden


def test_numbers():
    assert is_secret_number("pin")
    assert not is_secret_number("tokens")
