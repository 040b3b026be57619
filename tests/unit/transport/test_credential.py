from __future__ import annotations

import pytest

from lobrest.errors import ConfigError
from lobrest.transport.credential import Credential, Credentials, basic_header, basic_username, expand


def test_names_are_given_and_made_unique_in_order() -> None:
    users = Credentials.of([Credential("ann"), Credential(""), Credential("ann"), Credential("")])
    assert users.names == ("ann", "user2", "ann-2", "user4")
    assert len(users) == 4


def test_a_given_name_is_not_taken_by_a_made_one() -> None:
    users = Credentials.of([Credential(""), Credential("user1")])
    assert len(set(users.names)) == 2


def test_no_repr_shows_a_secret() -> None:
    user = Credential("ann", headers=(("Authorization", "Bearer s3cr3t"),))
    assert "s3cr3t" not in repr(Credentials.of([user]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("env:TOKEN", "abc"),
        ("Bearer env:TOKEN", "Bearer abc"),
        ("plain", "plain"),
        ("my env:TOKEN word", "my env:TOKEN word"),
    ],
)
def test_the_last_word_may_be_a_variable(value: str, expected: str) -> None:
    assert expand(value, {"TOKEN": "abc"}, source="here") == expected


@pytest.mark.parametrize("environment", [{}, {"TOKEN": ""}])
def test_a_variable_that_is_not_set_is_named(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="'TOKEN' is not set"):
        expand("env:TOKEN", environment, source="here")


def test_basic_holds_its_user_name() -> None:
    assert basic_username((basic_header("zoë", "a:b"),)) == "zoë"


@pytest.mark.parametrize("value", ["Bearer YTpi", "Basic !!!", "Basic /w==", "Basic", ""])
def test_other_headers_tell_no_user_name(value: str) -> None:
    assert basic_username((("Authorization", value),)) is None
