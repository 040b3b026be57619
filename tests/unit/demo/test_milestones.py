from __future__ import annotations

import pytest

M = "/projects/1/milestones"


@pytest.fixture
def project(forge):
    forge.project()
    forge.good("alice", "POST", M, {"title": "Sprint", "start_date": "2026-03-02", "due_date": "2026-03-20"})
    return forge


def test_titles_are_unique_and_dates_in_order(project):
    assert project.send("alice", "POST", M, {"title": "Sprint"}).body == {
        "message": {"title": ["has already been taken"]}
    }
    late = {"title": "Late", "start_date": "2026-03-02", "due_date": "2026-03-01"}
    assert project.send("alice", "POST", M, late).status == 422
    assert project.send("alice", "PUT", f"{M}/1", {"due_date": "2026-01-01"}).status == 422
    assert project.send("alice", "POST", M, {"title": "X", "due_date": "2026-02-30"}).status == 400


def test_update(project):
    project.good("alice", "POST", M, {"title": "Other"})
    assert project.send("alice", "PUT", f"{M}/1", {"title": "Other"}).status == 422
    changed = project.good("alice", "PUT", f"{M}/1", {"title": "Run", "description": "d", "start_date": None})
    assert (changed["title"], changed["description"], changed["start_date"]) == ("Run", "d", None)
    assert project.good("bob", "GET", f"{M}/1") == changed


def test_closing_and_activating_alternate(project):
    assert project.send("alice", "PUT", f"{M}/1", {"state_event": "activate"}).status == 409
    assert project.good("alice", "PUT", f"{M}/1", {"state_event": "close"})["state"] == "closed"
    assert project.send("alice", "PUT", f"{M}/1", {"state_event": "close"}).status == 409
    assert project.good("alice", "GET", M, state="closed")[0]["id"] == 1
    assert project.good("alice", "PUT", f"{M}/1", {"state_event": "activate"})["state"] == "active"
    assert project.good("alice", "GET", M, title="Sprint", state="closed") == []


def test_a_deleted_milestone_leaves_its_issues(project):
    project.good("alice", "POST", "/projects/1/issues", {"title": "X", "milestone_id": 1})
    project.good("alice", "DELETE", f"{M}/1")
    assert project.good("alice", "GET", "/projects/1/issues/1")["milestone_id"] is None
    assert project.send("alice", "GET", f"{M}/1").status == 404
