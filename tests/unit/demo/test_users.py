from __future__ import annotations

import pytest

KIM = {"username": "kim", "name": "Kim", "email": "kim@smithy.example", "password": "correct horse"}


def test_only_the_administrator_creates_users(forge):
    assert forge.send("alice", "POST", "/users", KIM).status == 403
    user = forge.good("root", "POST", "/users", KIM)
    assert (user["id"], user["is_admin"]) == (13, False)
    assert "password" not in user
    assert forge.good("alice", "GET", "/users/kim") == forge.good("alice", "GET", "/users/13") == user


@pytest.mark.parametrize(
    ("field", "other"), [("username", {"email": "x@y.z"}), ("email", {"username": "kim2"})]
)
def test_names_and_addresses_are_unique(forge, field, other):
    forge.good("root", "POST", "/users", KIM)
    answer = forge.send("root", "POST", "/users", KIM | other)
    assert (answer.status, answer.body) == (409, {"message": {field: ["has already been taken"]}})


@pytest.mark.parametrize("email", ["kim", "kim@", "@x.y", "kim@x", "a b@c.d"])
def test_addresses_are_checked(forge, email):
    assert forge.send("root", "POST", "/users", KIM | {"email": email}).body == {"error": "email is invalid"}
    assert forge.send("alice", "PUT", "/users/alice", {"email": email}).status == 400


def test_people_change_themselves_and_the_administrator_everybody(forge):
    assert forge.good("alice", "PUT", "/users/alice", {"name": "Al"})["name"] == "Al"
    assert forge.send("alice", "PUT", "/users/bob", {"name": "Bo"}).status == 403
    assert forge.good("root", "PUT", "/users/3", {"email": "b@b.example"})["email"] == "b@b.example"
    assert forge.send("alice", "PUT", "/users/2", {"email": "b@b.example"}).status == 409


def test_users_are_found(forge):
    assert [user["username"] for user in forge.good("bob", "GET", "/users", search="OKAFOR")] == ["carol"]
    assert [user["username"] for user in forge.good("bob", "GET", "/users", username="bob")] == ["bob"]
    assert len(forge.good("bob", "GET", "/users", per_page=5, page=3)) == 2
    assert forge.send("bob", "GET", "/users", per_page=-1).status == 400
    assert forge.send("bob", "GET", "/users/nobody").status == 404
    assert forge.good("bob", "GET", "/user")["username"] == "bob"
