"""What an answer means, and which failures are one bug."""

from __future__ import annotations

import json

import pytest

from lobrest.fuzz.judge import bug_key, fingerprint, message, parsed, shape
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId


def said(body: object, status: int = 500) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return message(Response(status, (), data))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("project 15 has no branch 3", "project 16 has no branch 99"),
        ("at 2026-11-16T03:13:05Z", "at 2025-01-02 11:00:00.123+02:00"),
        ("no such object 0x7f3a91c2", "no such object 0xDEADBEEF"),
        ("id 2f1b6ad0-5f2c-4a8e-9a64-1f0f6c4b7d11", "id 00000000-0000-4000-A000-000000000000"),
        (
            "commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
            "commit 1f0f6c4b7d112f1b6ad05f2c4a8e9a641f0f6c4b",
        ),
        ("dial tcp 10.0.0.7:5432: refused", "dial tcp 10.0.0.9:6000: refused"),
        ("open /var/lib/app/12/x.txt: no", "open /var/lib/app/9/y.txt: no"),
        ("unknown key 'maple-ab12'", "unknown key 'cedar-9z'"),
        ('pq: duplicate key "users_name_7"', 'pq: duplicate key "projects_x"'),
        ("user maple-x00a7 not loaded", "user cedar-x0zz91 not loaded"),
        ("null pointer in com.acme.Bar@1a2b3c", "null pointer in com.acme.Bar@7d4e5f61"),
        ("request 01ARZ3NDEKTSV4RRFFQ69G5FAV failed", "request 01BX5ZZKBKACTAV9WEVGEMMVS0 failed"),
        ("took 12.5ms", "took 3.25ms"),
        ("index 5 out of range [0:3]", "index 77 out of range [0:12]"),
        ("line one\n  line two", "line one line two"),
    ],
)
def test_numbers_ids_times_and_addresses_make_no_new_bug(one: str, other: str):
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nil pointer dereference", "index out of range"),
        ("cannot merge", "cannot revert"),
        ("NoneType has no attribute login", "NoneType has no attribute name"),
        ("handler2_create failed", "handler2_delete failed"),
    ],
)
def test_different_failures_stay_different(one: str, other: str):
    assert fingerprint(one) != fingerprint(other)


def test_fingerprints_are_bounded():
    assert len(fingerprint("word " * 10_000)) <= 200


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"message": "boom"}, "boom"),
        ({"error": "boom", "status": 500}, "boom"),
        ({"error": {"code": 7, "message": "boom"}}, "message: boom"),
        ({"errors": ["one", "two"]}, "one · two"),
        ({"detail": [{"loc": ["body", "name"], "msg": "field required"}]}, "field required"),
        ({"errors": {"name": ["is taken", "is odd"]}}, "name: is taken · name: is odd"),
        (
            {"timestamp": "2024-01-01", "error": "Internal Server Error", "path": "/x/1"},
            "Internal Server Error",
        ),
        (["boom"], "boom"),
        ("boom", "boom"),
        (b"<html><title>502 Bad Gateway</title></html>", "502 Bad Gateway"),
        (b"Traceback\n  File", "Traceback"),
        (b"", ""),
        (b"\xff\xfe\x00", "\ufffd\ufffd\x00"),
        ({}, "{}"),
    ],
)
def test_the_message_of_an_answer(body: object, text: str):
    assert said(body) == text


def test_messages_are_bounded_and_deep_ones_end():
    assert len(said({"message": "x" * 10_000})) <= 400
    deep: object = "x"
    for _ in range(50):
        deep = {"error": deep}
    said(deep)
    said(b"[" * 5000)


@pytest.mark.parametrize("body", [b"{", b"", b"\xff", b"[" * 20_000 + b"]" * 20_000, b'{"a": "\xff"}'])
def test_a_body_that_is_no_json_is_none(body: bytes):
    assert parsed(Response(200, (), body)) is None


def test_half_an_answer_is_not_read():
    assert parsed(Response(200, (), b"[1]", truncated=True)) is None


def exchange(response: Response | None) -> Exchange:
    request = Request(OperationId("GET /x"), "GET", "/x")
    return Exchange(request, response, None if response else Failure.CLOSED)


def test_only_an_answer_of_500_and_more_is_a_bug():
    assert bug_key(exchange(None)) is None
    assert bug_key(exchange(Response(499))) is None
    key = bug_key(exchange(Response(503, (), b'{"message": "lost 7"}')))
    assert key is not None
    assert (key.operation, key.status, key.fingerprint) == ("GET /x", 503, "lost <n>")


def test_the_shape_of_a_body_is_its_names_and_types():
    assert shape({"b": 1, "a": ["x"]}) == shape({"a": ["y", "z"], "b": 7})
    assert shape({"a": 1}) != shape({"a": "1"})
    assert shape({"a": 1}) != shape({"b": 1})
    assert shape([]) != shape([1])
    assert shape(None) == "0"
    assert shape({"a": {"b": {"c": {"d": 1}}}}) == shape({"a": {"b": {"c": {"d": "x"}}}})


def test_random_ends_of_names_make_no_new_bug():
    said = "error when syncing push mirror remote_mirror_{}: exit 1"
    texts = {fingerprint(said.format(end)) for end in ("72uedUUoGT", "APINqBmxGG", "glgevGya5V")}
    assert len(texts) == 1
    assert fingerprint("no push_mirror_table") != fingerprint("no push_mirror_index")
    assert fingerprint("HeadBranch of a_pull_request") != fingerprint("BaseBranch of a_pull_request")
