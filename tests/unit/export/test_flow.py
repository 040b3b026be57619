"""Flows and how they are named."""

from __future__ import annotations

import json

from lobrest.export.flow import Flow, distinct, made_unique, played_flow, spoken
from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.reproducer import Capture, CaptureSource, ReproStep


def exchange(step: int, operation: str, target: str, body: object, status: int, answer: object) -> Exchange:
    content = None if body is None else json.dumps(body).encode()
    headers = (("Content-Type", "application/json"),) if body is not None else ()
    request = Request(OperationId(operation), operation.split()[0], target, headers, content, "ann")
    return Exchange(request, Response(status, (), json.dumps(answer).encode()), step=step)


NAME = ParameterRef(OperationId("POST /projects"), Location.BODY, "name")


def played(name: str) -> list[Exchange]:
    return [
        exchange(0, "POST /projects", "/projects", {"name": "old"}, 409, {"message": "taken"}),
        exchange(0, "POST /projects", "/projects", {"name": name}, 201, {"id": 41, "name": name}),
        exchange(1, "POST /projects/{id}/issues", "/projects/41/issues", {"title": "x"}, 201, {"iid": 9}),
        exchange(2, "GET /projects/{id}/issues/{iid}", "/projects/41/issues/9", None, 200, {"iid": 9}),
    ]


def test_holes_are_called_after_what_they_hold_and_the_last_try_counts():
    flow = played_flow(played("shop-x0k2a"))
    assert [step.target for step in flow.steps] == [
        "/projects", "/projects/{{project_id}}/issues", "/projects/{{project_id}}/issues/{{issue_iid}}",
    ]  # fmt: skip
    assert flow.steps[0].body == '{"name": "shop-x{{new}}"}'
    assert [capture.name for step in flow.steps for capture in step.captures] == ["project_id", "issue_iid"]
    assert flow.played
    assert len(flow.exchanges) == 3


def test_fields_that_must_differ_get_new_values_in_every_run():
    unique = made_unique(played("shop-x0k2a"))
    assert unique == {NAME}
    flow = played_flow(played("catalogue"), unique=unique)
    assert flow.steps[0].body == '{"name": "catalogue-x{{new}}"}'
    assert [fresh.length >= 8 for fresh in flow.fresh] == [True]
    assert played_flow(played("catalogue")).fresh == ()


def test_a_number_as_a_name_changes_no_identity_of_something_else():
    flow = played_flow(played("41"), unique={NAME})
    assert flow.steps[1].target == "/projects/{{project_id}}/issues"


def test_flows_that_do_the_same_are_one_and_names_differ():
    def flow(*operations: str) -> Flow:
        return Flow("flow", tuple(ReproStep(OperationId(one), one.split()[0], "/") for one in operations))

    kept = distinct(
        [
            flow("POST /a", "GET /a"),
            flow("POST /a", "GET /a"),
            flow("POST /a", "GET /b", "GET /b"),
            flow("GET /c/{id}"),
        ]
    )
    assert [one.name for one in kept] == ["post_a", "post_a_2", "get_c"]
    assert [len(one.steps) for one in kept] == [3, 2, 1]
    assert kept[0].title == "POST /a after 2 other steps"


def test_names_never_meet_words_of_python_or_forms_of_other_names():
    steps = (
        ReproStep(
            OperationId("POST /class"),
            "POST",
            "/class",
            captures=(
                Capture("v1", CaptureSource.BODY, "class"),
                Capture("v2", CaptureSource.HEADER, "X-Id"),
            ),
        ),
        ReproStep(OperationId("GET /{a}"), "GET", "/{{v1}}/{{v2}}/{{other}}"),
    )
    named = spoken(Flow("flow", steps))
    names = [capture.name for capture in named.steps[0].captures]
    assert len(set(names)) == 2
    assert all(name.isidentifier() for name in names)
    assert named.steps[1].target == f"/{{{{{names[0]}}}}}/{{{{{names[1]}}}}}/{{{{other}}}}"
