from __future__ import annotations

import pytest

from lobrest.demo.service import BASE_PATH, Request


def whoami(forge, secret):
    return forge.service.answer(Request("GET", f"{BASE_PATH}/user", headers={"private-token": secret})).status


def test_a_new_token_works_until_it_is_revoked(forge):
    made = forge.good(
        "bob", "POST", "/tokens", {"name": " laptop ", "scopes": ["api", "api"], "expires_at": "2027-01-01"}
    )
    assert (made["name"], made["scopes"], made["expires_at"]) == ("laptop", ["api"], "2027-01-01")
    assert whoami(forge, made["token"]) == 200
    assert "token" not in forge.good("bob", "GET", "/tokens")[1]
    assert forge.send("alice", "DELETE", f"/tokens/{made['id']}").status == 404
    forge.good("bob", "DELETE", f"/tokens/{made['id']}")
    assert whoami(forge, made["token"]) == 401


def test_nobody_locks_the_others_out(forge):
    for user in ("root", "bob"):
        assert forge.send(user, "DELETE", "/tokens/3").status == 403
    assert forge.send("bob", "GET", "/user").status == 200


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "scopes": ["api"]},
        {"name": "x" * 256, "scopes": ["api"]},
        {"name": 7, "scopes": ["api"]},
        {"name": None, "scopes": ["api"]},
        {"scopes": ["api"]},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["everything"]},
    ],
)
def test_names_and_scopes_are_checked(forge, body):
    assert forge.send("bob", "POST", "/tokens", body).status == 400
