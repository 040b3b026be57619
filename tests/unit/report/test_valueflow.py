from __future__ import annotations

import json

import pytest

from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import CaptureSource
from lobrest.report.spans import Span
from lobrest.report.valueflow import Produced, is_identity_name, noun, origin_of, produced_values, words


def exchange(operation: str, body: object, *, status: int = 201, location: str = "") -> Exchange:
    headers = (("location", location),) if location else ()
    request = Request(OperationId(operation), operation.split()[0], operation.split()[1])
    return Exchange(request, Response(status, headers, json.dumps(body).encode()))


def site(name: str, text: str, collection: str = "") -> Span:
    return Span(0, len(text), name, text, collection)


def candidates(text: str, *exchanges: Exchange) -> list[Produced]:
    return [
        one
        for step, each in enumerate(exchanges)
        for value, one in produced_values(step, each)
        if value == text
    ]


def test_words_of_names_in_any_case() -> None:
    assert words("mergeRequestIID") == ("merge", "request", "iid")
    assert words("merge_request-iid") == ("merge", "request", "iid")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("merge_request_iid", "merge_request"), ("merge_requests", "merge_request"), ("userId", "user"),
     ("categories", "category"), ("boxes", "box"), ("id", "id"), ("address", "address"), ("", "")],
)  # fmt: skip
def test_what_a_name_is_about(name: str, expected: str) -> None:
    assert noun(name) == expected


def test_names_that_identify() -> None:
    assert all(map(is_identity_name, ("id", "projectId", "full_name", "sha", "username", "assignee_ids")))
    assert not any(map(is_identity_name, ("state", "title", "count", "created_at", "")))


def test_values_of_an_answer() -> None:
    answer = exchange(
        "POST /projects",
        {"id": 5, "title": "7", "owner": {"login": "ann"}, "open": True},
        location="/projects/5",
    )
    found = {(text, one.source, one.where, one.owner) for text, one in produced_values(2, answer)}
    assert found == {
        ("5", CaptureSource.BODY, "id", "project"),
        ("ann", CaptureSource.BODY, "owner/login", "owner"),
        ("5", CaptureSource.LOCATION, "-1", "project"),
    }


def test_refusals_and_other_formats_bring_nothing() -> None:
    assert list(produced_values(0, exchange("POST /projects", {"id": 5}, status=422))) == []
    html = Exchange(Request(OperationId("GET /"), "GET", "/"), Response(200, (), b"<p>"))
    assert list(produced_values(0, html)) == []
    assert list(produced_values(0, Exchange(html.request, None))) == []


def test_the_answer_whose_name_agrees_is_taken() -> None:
    made_project = exchange("POST /projects", {"id": 1, "owner": {"id": 1}})
    made_issue = exchange("POST /projects/{id}/issues", {"id": 1, "iid": 1, "project_id": 1})
    found = candidates("1", made_project, made_issue)
    issue = origin_of(site("issue_iid", "1", "issues"), found, in_path=True, used_before={})
    assert issue is not None
    assert (issue.step, issue.where) == (1, "iid")
    project = origin_of(site("id", "1", "projects"), found, in_path=True, used_before={})
    assert project is not None
    assert (project.step, project.where) == (0, "id")


def test_small_numbers_that_are_equal_by_chance_stay() -> None:
    found = candidates("2", exchange("POST /projects/{id}/issues", {"id": 2}))
    assert origin_of(site("user_id", "2", "members"), found, in_path=True, used_before={}) is None
    assert origin_of(site("assignee_id", "2"), found, in_path=False, used_before={}) is None
    assert origin_of(site("page", "2"), found, in_path=False, used_before={}) is None


def test_a_name_may_say_more_than_the_thing() -> None:
    found = candidates("2", exchange("POST /projects", {"id": 2}))
    assert origin_of(site("to_project_id", "2"), found, in_path=False, used_before={}) is not None
    assert origin_of(site("subproject_id", "2"), found, in_path=False, used_before={}) is None


def test_a_number_inside_a_thing_may_be_of_another() -> None:
    made = exchange("POST /projects", {"id": 7, "creator_id": 2}), exchange("POST /projects", {"id": 2})
    origin = origin_of(site("to_project_id", "2"), candidates("2", *made), in_path=False, used_before={})
    assert origin is not None
    assert (origin.step, origin.where) == (1, "id")


def test_a_value_that_was_used_before_is_older_than_the_answer() -> None:
    found = candidates("15", exchange("GET /x", {}), exchange("POST /projects", {"id": 15}))
    place = site("id", "15", "projects")
    assert origin_of(place, found, in_path=True, used_before={("id", "15"): 0}) is None
    assert origin_of(place, found, in_path=True, used_before={}) is not None


def test_distinctive_values_need_no_agreeing_name() -> None:
    found = candidates("9f8e7d6c5b", exchange("POST /things", {"sha": "9f8e7d6c5b"}))
    assert origin_of(site("start_at", "9f8e7d6c5b"), found, in_path=False, used_before={}) is not None
