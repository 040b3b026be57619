from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.errors import ConfigError, UsageError
from lobrest.transport.auth import read_credentials
from lobrest.transport.credential import basic_header


def test_a_header_is_sent_as_it_is() -> None:
    (user,) = read_credentials(["Authorization: token abc def"], environment={})
    assert user.headers == (("Authorization", "token abc def"),)
    assert user.name == "user1"


@pytest.mark.parametrize("value", ["X-Api-Key:abc", "x-api-key:  abc", "X-Api-Key: abc"])
def test_what_can_only_be_a_header_needs_no_space(value: str) -> None:
    (user,) = read_credentials([value], environment={})
    assert [text for _, text in user.headers] == ["abc"]
    assert user.username is None


def test_a_name_with_a_password_is_basic() -> None:
    (user,) = read_credentials(["ann:pass:word"], environment={})
    assert user.headers == (basic_header("ann", "pass:word"),)
    assert (user.name, user.username) == ("ann", "ann")


def test_a_basic_header_tells_the_user() -> None:
    (user,) = read_credentials([": ".join(basic_header("bob", "x"))], environment={})
    assert (user.name, user.username) == ("bob", "bob")


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("env:WHOLE", ("PRIVATE-TOKEN", "abc")),
        ("PRIVATE-TOKEN: env:PART", ("PRIVATE-TOKEN", "abc")),
        ("Authorization: Bearer env:PART", ("Authorization", "Bearer abc")),
        ("ann:env:PART", basic_header("ann", "abc")),
    ],
)
def test_values_come_from_the_environment(value: str, header: tuple[str, str]) -> None:
    (user,) = read_credentials([value], environment={"WHOLE": "PRIVATE-TOKEN: abc", "PART": "abc"})
    assert user.headers == (header,)


def test_files_and_values_mix_in_order(tmp_path: Path) -> None:
    file = tmp_path / "users"
    file.write_text(
        "auth:\n"
        "- {name: ann, fixedHeaders: [{name: X-Key, value: k1}]}\n"
        "- fixedHeaders: [{name: X-Key, value: k2}]\n"
    )
    users = read_credentials(["bob:secret", str(file), "X-Key: k3"], environment={})
    assert users.names == ("bob", "ann", "user3", "user4")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
        read_credentials(["nowhere.yaml"], environment={})


@pytest.mark.parametrize("value", ["", "hunter2", ":hunter2", "X Y: hunter2\nZ: hunter2", "hunter2" * 1000])
def test_a_wrong_value_is_refused_without_showing_it(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_credentials(["a:b", value], environment={})
    assert "--auth value 2" in str(caught.value)
    assert "hunter2" not in str(caught.value)
