from __future__ import annotations

import json

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange, Headers, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind
from lobrest.report.reproduce import reproducer_of, steps_from_exchanges

LONG = "x" * 100
JSON_HEADERS: Headers = (("Content-Type", "application/json"),)


def sent(
    operation: str,
    target: str,
    body: str | bytes | None = None,
    answer: object = None,
    *,
    status: int = 200,
    headers: Headers = JSON_HEADERS,
) -> Exchange:
    content = body.encode() if isinstance(body, str) else body
    request = Request(OperationId(operation), operation.split()[0], target, headers, content)
    return Exchange(request, Response(status, (), json.dumps(answer).encode()))


def test_a_bug_of_several_steps(bug: Bug) -> None:
    reproducer = reproducer_of(bug)
    assert (reproducer.number, reproducer.status, reproducer.message) == (3, 500, "KeyError: 'closed_by'")
    first, second, third, last = reproducer.steps
    assert first.body == '{"name": "shop-{{fresh1}}", "password": "{{secret1}}"}'
    assert first.captures == (Capture("v1", CaptureSource.BODY, "id"),)
    assert first.headers == (("Content-Type", "application/json"), ("X-Trace", ""))
    assert second.captures == (Capture("v2", CaptureSource.LOCATION, "-1"),)
    assert third.target == "/api/projects/{{v1}}/issues/{{v2}}/close?notify=true"
    assert third.body == '{"project_id": {{v1}}, "reason": "it\'s “done”", "rating": 41}'
    assert third.body_encoding is Encoding.JSON
    assert (last.target, last.body, last.expected) == (third.target, third.body, 500)
    assert reproducer.fresh == (Fresh("fresh1", FreshKind.HEX, 6), Fresh("secret1", FreshKind.SECRET, 14))
    assert [step.actor for step in reproducer.steps] == ["alice", "bob", "alice", "alice"]


def test_what_the_flow_chose_itself_stays_what_it_chose() -> None:
    steps, fresh = steps_from_exchanges(
        [
            sent("POST /groups", "/groups", '{"path": "team-a1b2c3"}', {"id": 3, "path": "team-a1b2c3"}),
            sent("POST /projects", "/projects", '{"path": "shop"}', {"id": 12, "path": "shop"}),
            sent("GET /projects/{id}", "/projects/team-a1b2c3%2Fshop"),
            sent("GET /projects/{id}", "/projects/12?group=team-a1b2c3"),
        ]
    )
    assert steps[2].target == "/projects/team-{{fresh1}}%2Fshop"
    assert steps[3].target == "/projects/{{v1}}?group=team-{{fresh1}}"
    assert [one.name for one in fresh] == ["fresh1"]


def test_names_that_the_campaign_made_unique_are_made_anew() -> None:
    steps, fresh = steps_from_exchanges(
        [
            sent("POST /users", "/users", '{"name": "ann-x0kzq", "email": "ann-x0kzq@example.org"}'),
            sent("GET /users/{name}", "/users/ann-x0kzq?other=0kzqq"),
        ]
    )
    assert steps[0].body == '{"name": "ann-x{{fresh1}}", "email": "ann-x{{fresh1}}@example.org"}'
    assert steps[1].target == "/users/ann-x{{fresh1}}?other=0kzqq"
    assert fresh == (Fresh("fresh1", FreshKind.HEX, 4),)


def test_named_fresh_values_are_made_anew_whatever_they_look_like() -> None:
    exchanges = [sent("POST /x", "/x", '{"name": "order20240115"}')]
    assert steps_from_exchanges(exchanges)[1] == ()
    exchanges = [sent("POST /x", "/x", '{"name": "order 20240115"}')]
    steps, fresh = steps_from_exchanges(exchanges, fresh_values=["order 20240115"])
    assert fresh == (Fresh("fresh1", FreshKind.DIGITS, 8),)
    assert steps[0].body == '{"name": "order {{fresh1}}"}'


def test_text_that_looks_like_a_hole_is_no_hole() -> None:
    steps, _ = steps_from_exchanges(
        [
            sent("POST /projects", "/projects", '{"name": "{{v1}}"}', {"id": 51}),
            sent("GET /projects/{id}", "/projects/51"),
        ]
    )
    assert steps[0].body == '{"name": "{{v1}}"}'
    assert steps[0].captures == (Capture("v2", CaptureSource.BODY, "id"),)
    assert steps[1].target == "/projects/{{v2}}"


def test_bodies_keep_their_layout_and_their_faults() -> None:
    odd = '{"id":\t15 , "id": 15.0, "x": 1e400}'
    steps, _ = steps_from_exchanges(
        [
            sent("POST /projects", "/projects", "{}", {"id": 15}),
            sent("PUT /projects/{id}", "/projects/15", odd.replace('"id":\t15', '"project_id":\t15')),
            sent("PUT /projects/{id}", "/projects/15", '{"project_id": 15'),
            sent("PUT /projects/{id}", "/projects/15", b"\xff{}"),
            sent("PUT /projects/{id}", "/projects/15", b"\x00"),
        ]
    )
    assert steps[1].body == '{"project_id":\t{{v1}} , "id": 15.0, "x": 1e400}'
    assert steps[2].body == '{"project_id": 15'
    assert (steps[3].body, steps[3].raw_body) == (None, b"\xff{}")
    assert steps[4].raw_body == b"\x00"


def test_forms_and_queries_are_filled_percent_encoded() -> None:
    form: Headers = (("content-type", "application/x-www-form-urlencoded"),)
    steps, _ = steps_from_exchanges(
        [
            sent("GET /projects", "/projects", answer=[{"id": 4, "full_name": "a b/c"}]),
            sent("POST /x", "/x?full_name=a%20b%2Fc", "project_id=4&y=4", headers=form),
        ]
    )
    assert steps[0].captures == (
        Capture("v1", CaptureSource.BODY, "0/full_name"),
        Capture("v2", CaptureSource.BODY, "0/id"),
    )
    assert steps[1].target == "/x?full_name={{v1}}"
    assert (steps[1].body, steps[1].body_encoding) == ("project_id={{v2}}&y=4", Encoding.URL)


def test_a_token_that_an_answer_brings_is_taken_from_it() -> None:
    steps, fresh = steps_from_exchanges(
        [
            sent("POST /tokens", "/tokens", '{"name": "ci"}', {"id": 9, "token": "glpat-1"}),
            sent(
                "POST /check", "/check", '{"token": "glpat-1", "secret": "own", "password": "' + LONG + '"}'
            ),
        ]
    )
    assert fresh == (Fresh("secret1", FreshKind.SECRET, 12),)
    assert steps[0].captures == (Capture("v1", CaptureSource.BODY, "token"),)
    assert steps[1].body == '{"token": "{{v1}}", "secret": "{{secret1}}", "password": "' + LONG + '"}'


def test_an_anonymous_step_without_answer() -> None:
    request = Request(OperationId("GET /x"), "GET", "/x")
    steps, fresh = steps_from_exchanges([Exchange(request, None)])
    assert (steps[0].expected, steps[0].actor, steps[0].body, fresh) == (0, "", None, ())
