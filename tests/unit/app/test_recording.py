"""Lines of the recorder."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest
import zstandard

from lobrest.app.recording import FILTERED, Body, Scribe, Seen, decoded
from lobrest.model.exchange import Headers

TOKEN = "glpat-AbCdEfGhIjKlMnOpQrSt"


def body(content: bytes, limit: int = 1 << 16) -> Body:
    made = Body(limit)
    made.add(content)
    return made


def line(
    *,
    target: str = "/things?page=1",
    sent: object = None,
    answer: bytes = b"{}",
    headers: Headers = (),
    answered: Headers = (("Content-Type", "application/json"),),
    cut: bool = False,
    limit: int = 1 << 16,
) -> dict:
    content = b"" if sent is None else sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    kind = (
        (("Content-Type", "application/json; charset=utf-8"),)
        if not dict(headers).get("Content-Type")
        else ()
    )
    seen = Seen(
        1_767_600_000.25, 0.05, "POST", target, 201, "10.0.0.7", (*headers, *kind),
        body(content, limit), answered, body(answer, limit), cut,
    )  # fmt: skip
    text = Scribe(b"k" * 32, body_limit=limit).line(seen)
    assert "\n" not in text
    return json.loads(text)


def test_what_is_there_is_written():
    told = line(sent={"name": "x"}, answer=b'{"id": 7}', headers=(("X-Tenant", "t1"), ("Accept", "*/*")))
    assert told["start_time"] == "2026-01-05T08:00:00.250+00:00"
    assert (told["method"], told["request_uri"], told["status"]) == ("POST", "/things?page=1", 201)
    assert told["duration_ms"] == 50.0
    assert json.loads(told["request_body"]) == {"name": "x"}
    assert json.loads(told["response_body"]) == {"id": 7}
    assert told["headers"] == {"x-tenant": "t1"}


def test_nothing_secret_is_written():
    told = line(
        target=f"/things?private_token={TOKEN}&q=a",
        sent={"password": "hunter2", "deep": [{"api_key": "k"}], "note": TOKEN, "token_id": 3, "pin": 1234},
        answer=json.dumps({"token": "abc", "id": 1}).encode(),
        headers=(
            ("Authorization", f"Bearer {TOKEN}"),
            ("Cookie", "session=s3cr3t"),
            ("X-Session-Token", "zzz"),
        ),
    )
    text = json.dumps(told)
    for secret in (TOKEN, "hunter2", "s3cr3t", "zzz", "abc", "10.0.0.7"):
        assert secret not in text
    assert told["request_uri"] == f"/things?private_token={FILTERED}&q=a"
    assert json.loads(told["request_body"])["token_id"] == 3
    assert json.loads(told["response_body"]) == {"token": FILTERED, "id": 1}


def test_users_are_told_apart_by_what_they_log_in_with():
    def user(*headers: tuple[str, str]) -> str:
        return line(headers=headers)["user"]

    ann, ben = ("Authorization", "Bearer one"), ("Authorization", "Bearer two")
    assert user(ann) == user(ann) != user(ben)
    assert user(("X-Api-Key", "k")) != ""
    assert user() == ""


def test_long_odd_and_broken_bodies_are_left_out():
    told = line(sent={"a": "x" * 200}, limit=100, answer=b"x" * 300)
    assert "request_body" not in told
    assert told["content_length"] > 200
    assert told["response_truncated"] is True
    assert "request_body" not in line(sent=b"\xff\xfe{")
    assert "response_body" not in line(answer=b'{"id": 1}', cut=True)
    assert "response_body" not in line(answer=b"<p>", answered=(("Content-Type", "text/html"),))
    deep = line(sent=b"[" * 5000 + b"]" * 5000)
    assert FILTERED in deep.get("request_body", FILTERED)


def test_forms():
    told = line(sent=b"name=a+b&password=x", headers=(("Content-Type", "application/x-www-form-urlencoded"),))
    assert told["request_body"] == f"name=a+b&password={FILTERED}"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b'{"id": 1}')),
        ("deflate", zlib.compress(b'{"id": 1}')),
        ("zstd", zstandard.ZstdCompressor().compress(b'{"id": 1}')),
        ("gzip, identity", gzip.compress(b'{"id": 1}')),
    ],
)
def test_encoded_bodies_are_written_decoded(encoding: str, packed: bytes):
    answered = (("Content-Type", "application/json"), ("Content-Encoding", encoding))
    assert json.loads(line(answer=packed, answered=answered)["response_body"]) == {"id": 1}


def test_a_bomb_is_not_unpacked():
    assert decoded(gzip.compress(b"0" * 10_000_000), "gzip", 1000) is None
    assert decoded(b"no gzip", "gzip", 1000) is None
    assert decoded(b"x", "br", 1000) is None
