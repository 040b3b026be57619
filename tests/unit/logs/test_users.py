"""Who sent a request."""

from __future__ import annotations

import base64
import json

import pytest

from lobrest.logs.formats.record import Actor
from lobrest.logs.users import Identifier, users_of
from lobrest.model.slice import Profile


def named(**actor):
    return Identifier(b"key").identify(Actor(**actor))[0]


def jwt(**claims):
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"Bearer eyJhbGciOiJIUzI1NiJ9.{payload}.sig{len(payload)}"


def test_user_then_token_then_cookie_then_nobody():
    assert named(name="ann", token="t", cookie="c") == "ann"
    assert named(token="t", cookie="c").startswith("token-")
    assert named(cookie="c").startswith("cookie-")
    assert named(address="1.2.3.4") == ""


def test_hashes_tell_apart_and_tell_nothing():
    assert named(token="Bearer secret1") != named(token="Bearer secret2")
    assert named(token="Bearer secret1") == named(token="Bearer secret1", address="x")
    assert "secret1" not in named(token="Bearer secret1")
    other = Identifier(b"other key").identify(Actor(token="Bearer secret1"))[0]
    assert other != named(token="Bearer secret1")


def test_acting_as_somebody_is_part_of_the_user():
    assert named(name="root", acting_as="ann") == "root as ann"
    assert named(name="root") != named(name="root", acting_as="ann")


def test_a_basic_credential_shows_its_name_and_not_its_password():
    token = "Basic " + base64.b64encode(b"ann:hunter2").decode()
    assert named(token=token) == "ann"
    assert named(token="Basic %%%").startswith("token-")
    assert named(token="Basic " + base64.b64encode(b"\xff\xfe").decode()).startswith("token-")


def test_sessions_of_one_subject_are_one_user():
    assert named(token=jwt(sub="7", iat=1)) == named(token=jwt(sub="7", iat=999_999))
    assert named(token=jwt(sub="7")) != named(token=jwt(sub="8"))
    assert named(token="Bearer eyJx.!!!.z").startswith("token-")
    assert named(token=jwt(iat=1)).startswith("token-")


def test_only_the_session_of_a_cookie_counts():
    assert named(cookie="theme=dark; session_id=5") == named(cookie="session_id=5; theme=light")
    assert named(cookie="session_id=5") != named(cookie="session_id=6")


def test_of_an_address_list_the_first_is_the_client():
    one = Identifier(b"k").identify(Actor(address="1.1.1.1, 2.2.2.2", agent="x"))
    two = Identifier(b"k").identify(Actor(address="1.1.1.1", agent="x"))
    assert one == two


def test_a_nameless_request_belongs_to_the_one_user_of_its_client():
    identities = [("ann", "c1"), ("", "c1"), ("bob", "c2"), ("cy", "c2"), ("", "c2"), ("", "c3")]
    assert users_of(identities, Profile.DEFAULT) == ["ann", "ann", "bob", "cy", "c2", "c3"]
    assert users_of(identities, Profile.PAPER) == ["ann", "c1", "bob", "cy", "c2", "c3"]


def test_a_credential_that_everybody_shares_tells_nobody_apart():
    shared = [("token-1", f"c{number}") for number in range(4)]
    assert len(set(users_of(shared, Profile.DEFAULT))) == 4
    assert set(users_of(shared, Profile.PAPER)) == {"token-1"}
    assert len(set(users_of(shared[:2], Profile.DEFAULT))) == 1, "one person with two browsers"
    assert len(set(users_of([*shared, ("token-2", "c9")], Profile.DEFAULT))) == 2


@pytest.mark.parametrize("key", [b"", b"x" * 200])
def test_any_key_works(key):
    assert Identifier(key).pseudonym("kind", "secret").startswith("kind-")
