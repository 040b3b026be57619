"""GitLab's api_json.log."""

from __future__ import annotations

import json

from lobrest.logs.formats.batch import Recall
from lobrest.logs.formats.gitlab import GitLabParser, gitlab_batch
from lobrest.logs.formats.record import Body, FormatOptions


def logged(**more):
    held = {
        "time": "2026-11-10T00:25:51.500Z", "severity": "INFO", "duration_s": 0.5, "db_duration_s": 0.1, "status": 200,
        "method": "GET", "path": "/api/v4/projects/a%2Fb", "params": [], "remote_ip": "10.0.0.1, 127.0.0.1",
        "ua": "curl",
        "route": "/api/:version/projects/:id", "user_id": 1, "username": "root", "correlation_id": "x",
    } | more  # fmt: skip
    return json.dumps({key: value for key, value in held.items() if value is not ...}).encode()


def parsed(line):
    record = GitLabParser(FormatOptions())(line)
    assert record is not None
    return record


def test_the_start_is_the_time_less_the_duration():
    assert parsed(logged()).start == 1794270351.0
    assert parsed(logged(duration_s=..., duration=1500.0)).start == 1794270350.0, (
        "milliseconds in old releases"
    )
    assert parsed(logged(duration_s=-4.0)).start == 1794270351.5


def test_users_are_named_by_name_then_number_then_token():
    assert parsed(logged()).actor.name == "root"
    assert parsed(logged(username=...)).actor.name == "user/1"
    assert parsed(logged(username=..., user_id=..., **{"meta.user": "olga"})).actor.name == "olga"
    nobody = parsed(logged(username=..., user_id=..., token_id=7)).actor
    assert (nobody.name, nobody.token) == ("", "token/7")


def test_parameters_stay_text_until_somebody_needs_them():
    record = parsed(logged(params=[{"key": "a", "value": {"b": None}}]))
    assert record.body_kind is Body.PARAMETERS
    assert json.loads(record.body) == [{"key": "a", "value": {"b": None}}]


def test_comments_are_no_requests_and_a_block_equals_its_lines():
    lines = [
        logged(),
        logged(method="post", status="201", params=[{"key": "k", "value": 1}]),
        logged(username=...),
    ]
    comment = b"# Logfile created on 2026-11-10 00:00:00 +0000 by logger.rb/v1.5.0"
    fast = gitlab_batch(FormatOptions(), b"\n".join(lines) + b"\n", Recall())
    slow = gitlab_batch(FormatOptions(), b"\n".join([comment, *lines]), Recall())
    assert slow.not_requests == 1
    assert [number - 1 for number in slow.lines] == list(fast.lines)
    for name in ("starts", "statuses", "requests", "actors", "request_ids", "actor_ids"):
        assert list(getattr(slow, name)) == list(getattr(fast, name))
    assert fast.extras[1].body == slow.extras[1].body
    assert fast.requests[1] == ("POST", "/api/v4/projects/a%2Fb")


def test_one_bad_line_costs_only_itself():
    batch = gitlab_batch(
        FormatOptions(), b"\n".join([logged(), b'{"time": 5', logged(), b"\xff\xfe{}"]), Recall()
    )
    assert list(batch.lines) == [0, 2]
    assert [number for number, _ in batch.bad] == [1, 3]


def test_broken_utf8_inside_a_line_is_mended():
    batch = gitlab_batch(FormatOptions(), logged().replace(b"curl", b"cu\xffrl") + b"\n", Recall())
    assert batch.actors[0].agent == "cu\ufffdrl"
