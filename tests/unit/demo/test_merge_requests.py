from __future__ import annotations

import pytest

P = "/projects/1"
M = f"{P}/merge_requests"
BODY = {"title": "F", "source_branch": "feature", "target_branch": "main"}


@pytest.fixture
def project(forge):
    forge.project()
    forge.member("bob")
    forge.good("bob", "POST", f"{P}/repository/branches", {"branch": "feature", "ref": "main"})
    return forge


@pytest.fixture
def opened(project):
    project.push("bob")
    project.good("bob", "POST", M, BODY)
    return project


def test_it_needs_a_commit_that_the_target_lacks(project):
    answer = project.send("bob", "POST", M, BODY)
    assert (answer.status, list(answer.body["message"])) == (422, ["source_branch"])
    project.push("bob")
    request = project.good("bob", "POST", M, BODY)
    assert (request["iid"], request["state"], request["reference"]) == (1, "opened", "alice/shop!1")


@pytest.mark.parametrize(
    ("field", "value"), [("source_branch", "none"), ("target_branch", "none"), ("target_branch", "feature")]
)
def test_branches_exist_and_differ(project, field, value):
    project.push("bob")
    answer = project.send("bob", "POST", M, BODY | {field: value})
    assert (answer.status, list(answer.body["message"])) == (422, [field])


def test_there_is_one_open_request_for_a_branch(opened):
    assert opened.send("bob", "POST", M, BODY).status == 409
    opened.good("bob", "PUT", f"{M}/1", {"state_event": "close"})
    opened.good("bob", "POST", M, BODY)
    assert opened.send("bob", "PUT", f"{M}/1", {"state_event": "reopen"}).status == 409


def test_only_developers_open(opened):
    assert opened.send("carol", "POST", M, BODY).status == 403


def test_update(opened):
    opened.good("alice", "POST", f"{P}/labels", {"name": "bug", "color": "#ff0000"})
    opened.good("alice", "POST", f"{P}/milestones", {"title": "Sprint"})
    body = {"title": "T", "description": "d", "labels": ["bug"], "milestone_id": 1, "assignee_id": 2}
    changed = opened.good("bob", "PUT", f"{M}/1", body)
    assert {key: changed[key] for key in body} == body
    assert opened.send("carol", "PUT", f"{M}/1", {"title": "X"}).status == 403
    assert opened.send("bob", "PUT", f"{M}/1", {"target_branch": "none"}).status == 422
    opened.good("bob", "POST", f"{P}/repository/branches", {"branch": "next", "ref": "main"})
    assert opened.good("bob", "PUT", f"{M}/1", {"target_branch": "next"})["target_branch"] == "next"


def test_only_a_closed_request_is_reopened(opened):
    answer = opened.send("bob", "PUT", f"{M}/1", {"state_event": "reopen"})
    assert (answer.status, answer.body) == (409, {"message": "Merge request is not closed"})
    opened.good("bob", "PUT", f"{M}/1", {"state_event": "close"})
    opened.good("bob", "DELETE", f"{P}/repository/branches/feature")
    assert opened.send("bob", "PUT", f"{M}/1", {"state_event": "reopen"}).status == 422


def test_filters(opened):
    assert [request["iid"] for request in opened.good("bob", "GET", M, state="opened", author_id=3)] == [1]
    assert opened.good("bob", "GET", M, state="merged") == []
    assert opened.good("bob", "GET", M, source_branch="none") == []
    assert opened.good("bob", "GET", M, target_branch="none") == []
    assert opened.good("bob", "GET", M, labels="bug") == []


def test_its_commits_are_those_the_target_lacks(opened):
    sha = opened.push("bob", file="b.txt")["id"]
    listed = opened.good("bob", "GET", f"{M}/1/commits")
    assert len(listed) == 2
    assert listed[0]["id"] == sha
    opened.good("bob", "DELETE", f"{P}/repository/branches/feature")
    assert opened.good("bob", "GET", f"{M}/1/commits") == []
