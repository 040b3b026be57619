from __future__ import annotations

import pytest

ISSUES = "/projects/1/issues"


@pytest.fixture
def project(forge):
    forge.project()
    forge.member("bob")
    forge.good("alice", "POST", "/projects/1/labels", {"name": "bug", "color": "#ff0000"})
    forge.good("alice", "POST", "/projects/1/milestones", {"title": "Sprint"})
    return forge


def test_anybody_who_can_read_reports(project):
    issue = project.good("erin", "POST", ISSUES, {"title": "Broken"})
    assert (issue["iid"], issue["state"], issue["author_id"]) == (1, "opened", 6)


def test_numbers_are_counted_per_project(project):
    project.good("alice", "POST", "/projects", {"name": "other"})
    project.good("alice", "POST", ISSUES, {"title": "One"})
    other = project.good("alice", "POST", "/projects/2/issues", {"title": "Two"})
    assert (other["id"], other["iid"], other["project_id"]) == (2, 1, 2)


def test_references_are_checked(project):
    for field, value in (("labels", ["none"]), ("milestone_id", 9), ("assignee_id", 6), ("assignee_id", 99)):
        answer = project.send("alice", "POST", ISSUES, {"title": "X", field: value})
        assert answer.status == 422
        assert field in answer.body["message"]
    assert project.send("alice", "POST", ISSUES, {"title": "X", "due_date": "soon"}).body == {
        "error": "due_date is invalid"
    }
    assert project.send("alice", "POST", ISSUES, {}).body == {"error": "title is missing"}


def test_a_closed_milestone_takes_no_issue(project):
    project.good("alice", "PUT", "/projects/1/milestones/1", {"state_event": "close"})
    answer = project.send("alice", "POST", ISSUES, {"title": "X", "milestone_id": 1})
    assert (answer.status, answer.body) == (422, {"message": {"milestone_id": ["is closed"]}})


def test_update_changes_what_is_given_and_nothing_else(project):
    project.good(
        "alice", "POST", ISSUES, {"title": "X", "labels": ["bug"], "milestone_id": 1, "assignee_id": 3}
    )
    body = {"title": "Y", "description": "d", "labels": [], "due_date": "2026-04-01", "assignee_id": None}
    changed = project.good("alice", "PUT", f"{ISSUES}/1", body)
    assert {key: changed[key] for key in body} == body
    assert changed["milestone_id"] == 1
    assert project.good("alice", "PUT", f"{ISSUES}/1", {"milestone_id": None})["milestone_id"] is None


def test_only_those_involved_or_developers_change(project):
    project.good("erin", "POST", ISSUES, {"title": "X"})
    assert project.send("carol", "PUT", f"{ISSUES}/1", {"title": "Y"}).status == 403
    project.good("erin", "PUT", f"{ISSUES}/1", {"title": "Y"})
    project.good("bob", "PUT", f"{ISSUES}/1", {"title": "Z"})


def test_closing_and_reopening_alternate(project):
    project.good("alice", "POST", ISSUES, {"title": "X", "assignee_id": 3})
    assert project.send("alice", "PUT", f"{ISSUES}/1", {"state_event": "reopen"}).status == 409
    assert project.good("alice", "PUT", f"{ISSUES}/1", {"state_event": "close"})["state"] == "closed"
    assert project.send("alice", "PUT", f"{ISSUES}/1", {"state_event": "close"}).status == 409
    assert project.good("alice", "PUT", f"{ISSUES}/1", {"state_event": "reopen"})["state"] == "opened"
    notes = project.good("alice", "GET", f"{ISSUES}/1/notes")
    assert [note["body"] for note in notes] == ["closed (notified as participating)"]


def test_filters(project):
    project.good("alice", "POST", ISSUES, {"title": "Red", "labels": ["bug"]})
    project.good(
        "bob", "POST", ISSUES, {"title": "Blue", "description": "sea", "milestone_id": 1, "assignee_id": 3}
    )
    project.good("bob", "PUT", f"{ISSUES}/2", {"state_event": "close"})

    def found(**query):
        return [issue["iid"] for issue in project.good("alice", "GET", ISSUES, **query)]

    assert found() == [1, 2]
    assert (
        found(state="closed") == found(search="SEA") == found(milestone_id=1) == found(assignee_id=3) == [2]
    )
    assert found(labels="bug") == found(author_id=2) == [1]
    assert found(labels="bug,none") == found(milestone_id=77) == []
    assert project.send("alice", "GET", ISSUES, state="lost").status == 400


def test_deleting_is_for_maintainers(project):
    project.good("bob", "POST", ISSUES, {"title": "X"})
    assert project.send("bob", "DELETE", f"{ISSUES}/1").status == 403
    project.good("alice", "DELETE", f"{ISSUES}/1")
    assert project.send("alice", "GET", f"{ISSUES}/1").status == 404


def test_a_moved_issue_is_closed_here_and_open_there(project):
    project.good("alice", "POST", "/projects", {"name": "other"})
    project.good("alice", "POST", ISSUES, {"title": "X", "labels": ["bug"], "milestone_id": 1})
    assert project.send("alice", "POST", f"{ISSUES}/1/move", {"to_project_id": 1}).status == 409
    assert project.send("bob", "POST", f"{ISSUES}/1/move", {"to_project_id": 2}).status == 403
    moved = project.good("alice", "POST", f"{ISSUES}/1/move", {"to_project_id": 2})
    assert (moved["project_id"], moved["iid"], moved["labels"], moved["milestone_id"]) == (2, 1, [], None)
    left = project.good("alice", "GET", f"{ISSUES}/1")
    assert (left["state"], left["moved_to_id"]) == ("closed", moved["id"])
    assert project.send("alice", "POST", f"{ISSUES}/1/move", {"to_project_id": 2}).status == 409
    assert project.send("alice", "PUT", f"{ISSUES}/1", {"state_event": "reopen"}).status == 409
