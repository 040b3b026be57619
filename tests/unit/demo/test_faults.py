"""Every planted defect: its flow ends in the 500 of the manifest, and in a proper answer without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lobrest.demo import faults as faults_module
from lobrest.demo.catalogue import MODULES
from lobrest.demo.faults import NAMES, Faults, parse_faults

P = "/projects/1"
MR = f"{P}/merge_requests/1"
MANIFEST = {
    fault["name"]: fault
    for fault in json.loads((Path(faults_module.__file__).parent / "faults.json").read_text())
}


def users_page_size_zero(forge):
    return forge.send("alice", "GET", "/users", per_page=0)


def project_search_bracket(forge):
    return forge.send("alice", "GET", "/projects", search="[")


def group_path_too_long(forge):
    return forge.send("alice", "POST", "/groups", {"path": "g" * 65, "name": "Long"})


def token_name_null(forge):
    return forge.send("alice", "POST", "/tokens", {"name": None, "scopes": ["api"]})


def user_email_without_domain(forge):
    body = {"username": "kim", "name": "Kim", "email": "kim", "password": "correct horse"}
    return forge.send("root", "POST", "/users", body)


def label_colour_unicode(forge):
    forge.project()
    return forge.send("alice", "POST", f"{P}/labels", {"name": "bug", "color": "#ffff🙂"})


def archive_twice(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/archive")
    return forge.send("alice", "POST", f"{P}/archive")


def hook_test_unsubscribed(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/hooks", {"url": "https://hooks.example/1"})
    return forge.send("alice", "POST", f"{P}/hooks/1/test", {"trigger": "issues_events"})


def closed_issue_quick_action(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/issues", {"title": "Broken"})
    forge.good("alice", "PUT", f"{P}/issues/1", {"state_event": "close"})
    return forge.send("alice", "POST", f"{P}/issues/1/notes", {"body": "/unassign"})


def milestone_deleted_filter(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/milestones", {"title": "Sprint"})
    forge.good("alice", "DELETE", f"{P}/milestones/1")
    return forge.send("alice", "GET", f"{P}/issues", milestone_id=1)


def release_branch_deleted(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/repository/branches", {"branch": "release", "ref": "main"})
    forge.good("alice", "POST", f"{P}/releases", {"tag_name": "v1", "ref": "release"})
    forge.good("alice", "DELETE", f"{P}/repository/branches/release")
    return forge.send("alice", "GET", f"{P}/releases/v1")


def move_issue_with_milestone(forge):
    forge.project()
    forge.good("alice", "POST", "/projects", {"name": "other"})
    forge.good("alice", "POST", f"{P}/milestones", {"title": "Sprint"})
    forge.good("alice", "POST", f"{P}/issues", {"title": "Broken", "milestone_id": 1})
    return forge.send("alice", "POST", f"{P}/issues/1/move", {"to_project_id": 2})


def transfer_with_open_merge_request(forge):
    forge.good("alice", "POST", "/groups", {"path": "crew", "name": "Crew"})
    forge.project()
    forge.change()
    return forge.send("alice", "POST", f"{P}/transfer", {"namespace": "crew"})


def merge_removes_protected_source(forge):
    forge.project(approvals_required=0)
    forge.change()
    forge.good("alice", "PUT", f"{P}/repository/branches/feature/protect")
    return forge.send("alice", "PUT", f"{MR}/merge", {"should_remove_source_branch": True})


def revert_of_squash_merge(forge):
    forge.project(approvals_required=0)
    forge.change()
    forge.good("alice", "PUT", f"{MR}/merge", {"squash": True})
    return forge.send("alice", "POST", f"{MR}/revert", {})


def push_after_approval(forge):
    forge.project()
    forge.member("bob")
    forge.change()
    forge.good("bob", "POST", f"{MR}/approve", {})
    body = {
        "branch": "feature",
        "commit_message": "More",
        "actions": [{"action": "create", "file_path": "b.txt", "content": "y"}],
    }
    return forge.send("alice", "POST", f"{P}/repository/commits", body)


def merge_after_reopen(forge):
    forge.project()
    forge.member("bob")
    forge.change()
    forge.good("bob", "POST", f"{MR}/approve", {})
    forge.good("alice", "PUT", MR, {"state_event": "close"})
    forge.good("alice", "PUT", MR, {"state_event": "reopen"})
    return forge.send("alice", "PUT", f"{MR}/merge", {})


def close_issue_of_departed_assignee(forge):
    forge.project()
    forge.member("bob")
    forge.good("alice", "POST", f"{P}/issues", {"title": "Broken", "assignee_id": 3})
    forge.good("alice", "DELETE", f"{P}/members/3")
    return forge.send("alice", "PUT", f"{P}/issues/1", {"state_event": "close"})


def approve_after_author_demoted(forge):
    forge.project()
    forge.member("bob")
    forge.change("bob")
    forge.good("alice", "PUT", f"{P}/members/3", {"role": "guest"})
    return forge.send("alice", "POST", f"{MR}/approve", {})


def merge_after_approver_left(forge):
    forge.project()
    forge.member("bob")
    forge.change()
    forge.good("bob", "POST", f"{MR}/approve", {})
    forge.good("alice", "DELETE", f"{P}/members/3")
    return forge.send("alice", "PUT", f"{MR}/merge", {})


RIGHT_ANSWERS: dict[Callable, int] = {
    users_page_size_zero: 400,
    project_search_bracket: 200,
    group_path_too_long: 400,
    token_name_null: 400,
    user_email_without_domain: 400,
    label_colour_unicode: 400,
    archive_twice: 201,
    hook_test_unsubscribed: 422,
    closed_issue_quick_action: 201,
    milestone_deleted_filter: 200,
    release_branch_deleted: 200,
    move_issue_with_milestone: 201,
    transfer_with_open_merge_request: 200,
    merge_removes_protected_source: 200,
    revert_of_squash_merge: 201,
    push_after_approval: 201,
    merge_after_reopen: 200,
    close_issue_of_departed_assignee: 200,
    approve_after_author_demoted: 201,
    merge_after_approver_left: 422,
}


def name_of(flow: Callable) -> str:
    return flow.__name__.replace("_", "-")


@pytest.mark.parametrize("flow", RIGHT_ANSWERS, ids=name_of)
def test_the_flow_shows_the_fault(make_forge, flow):
    fault = MANIFEST[name_of(flow)]
    for faults in ("on", fault["name"]):
        forge = make_forge(faults)
        answer = flow(forge)
        assert answer.status == 500
        assert fault["message"] in answer.body["error"]
        assert answer.body["message"] == "500 Internal Server Error"


@pytest.mark.parametrize("flow", RIGHT_ANSWERS, ids=name_of)
def test_without_the_fault_the_same_flow_is_answered_properly(make_forge, flow):
    others = ",".join(NAMES - {name_of(flow)})
    for faults in ("off", others):
        assert flow(make_forge(faults)).status == RIGHT_ANSWERS[flow]


@pytest.mark.parametrize("flow", RIGHT_ANSWERS, ids=name_of)
def test_the_manifest_tells_the_flow(make_forge, flow):
    forge, fault = make_forge(), MANIFEST[name_of(flow)]
    flow(forge)
    assert forge.asked == fault["needs"]
    assert fault["operation"] == fault["needs"][-1]
    assert fault["depth"] == len(fault["needs"])


def test_the_manifest_names_every_fault_once_and_distinctly():
    assert set(MANIFEST) == NAMES == {name_of(flow) for flow in RIGHT_ANSWERS}
    assert len({(fault["operation"], fault["message"]) for fault in MANIFEST.values()}) == len(NAMES)
    assert len({fault["message"] for fault in MANIFEST.values()}) == len(NAMES)
    assert {fault["kind"] for fault in MANIFEST.values()} == {"single", "steps", "flow", "users"}


def test_the_manifest_spells_operations_as_the_document_does():
    declared = {f"{route.method} {route.template}" for module in MODULES for route in module.routes}
    assert {operation for fault in MANIFEST.values() for operation in fault["needs"]} <= declared


def test_names_are_checked():
    assert parse_faults("on").names == NAMES
    assert parse_faults("off").names == frozenset()
    assert parse_faults("archive-twice").enabled("archive-twice")
    with pytest.raises(ValueError, match="no such fault: nonsense"):
        parse_faults("archive-twice,nonsense")
    with pytest.raises(KeyError):
        Faults().enabled("nonsense")
