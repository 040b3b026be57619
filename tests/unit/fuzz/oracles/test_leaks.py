"""Secrets and internals in answers."""

from __future__ import annotations

import re

import pytest
from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import NOTE, answered, declares, judged, told, world

from lobrest.fuzz.oracles.leaks import LeakOracle
from lobrest.model.bug import BugKind, Severity

GET = f"GET {NOTE}"
PATH = {"id": "1", "note_id": "2"}

SHOWN = {
    "a Python traceback": 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f',
    "a Java stack trace": "java.lang.NullPointerException\n\tat org.shop.Cart.add(Cart.java:17)",
    "a Go stack trace": "panic: x\n\ngoroutine 17 [running]:\nmain.main()",
    "a .NET stack trace": "   at Shop.Cart.Add(Int32 id) in C:\\src\\Cart.cs:line 12",
    "a Node.js stack trace": "TypeError: x\n    at Cart.add (/app/src/cart.js:10:5)",
    "a Ruby backtrace": "app/models/cart.rb:12:in `add'",
    "a PHP error": "Fatal error: Uncaught TypeError: f() in /var/www/cart.php on line 3",
    "an error of the database": 'ERROR: duplicate key value violates unique constraint "users_pkey"',
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMII",
    "a cloud access key": "AKIAIOSFODNN7EXAMPLE",
    "a password hash": "$2b$12$" + "a" * 53,
    "a connection string with its password": "postgres://shop:hunter2@db/shop",
}


def judge(body, *, sent="t", status=200, schema=None):
    made = world()
    if schema is not None:
        declares(made, f"PUT {NOTE}", "200", schema)
    performance = answered(made, f"PUT {NOTE}", told(status, body), path=PATH, body={"text": sent})
    return judged(LeakOracle(made.spec), performance)


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_every_sign_is_seen_in_every_answer(name, status):
    (found,) = judge({"message": SHOWN[name]}, status=status)
    secret = found.key.kind is BugKind.SECRET
    assert found.key.fingerprint == name
    assert found.severity is (Severity.HIGH if secret else Severity.MEDIUM)
    assert re.search(found.check.pattern, told(200, {"message": SHOWN[name]}).body.decode())
    if secret:
        assert SHOWN[name][:12] not in found.evidence


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_flow_brought_itself_is_no_leak(name):
    assert judge({"message": SHOWN[name]}, sent=SHOWN[name]) == []


@pytest.mark.parametrize(
    "text",
    [
        "See cart.js:10 for more", "at 10:15 in Rome", "https://user@example.org/", "constraint failed",
        "Please use SQL", "A goroutine leak", "AKIA", "public key", "postgres://db/shop", "file.rb:12",
    ],
)  # fmt: skip
def test_ordinary_texts_are_none(text):
    assert judge({"message": text}) == []


def test_filled_passwords_are_seen_unless_they_are_declared_or_masked():
    (found,) = judge({"user": {"password": "hunter2"}})
    assert found.key.kind is BugKind.SECRET
    assert "hunter2" not in found.evidence
    assert re.search(found.check.pattern, '{"password": "hunter2"}')
    for value in ("", "****", "[hidden]", None, True):
        assert judge({"password": value}) == []
    declared = {"type": "object", "properties": {"password": TEXT}}
    assert judge({"password": "x1"}, schema=declared) == []
    hidden = {"type": "object", "properties": {"password": {"type": "string", "writeOnly": True}}}
    assert len(judge({"password": "x1"}, schema=hidden)) == 1
    assert judge({"password_reset_required": "yes", "password": "no"}, status=422) == []
