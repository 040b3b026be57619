from __future__ import annotations

import pytest

P = "/projects/1"
MR = f"{P}/merge_requests/1"


@pytest.fixture
def approved(forge):
    """alice owns; bob wrote; alice approved."""
    forge.project()
    forge.member("bob")
    forge.change("bob")
    forge.good("alice", "POST", f"{MR}/approve")
    return forge


def test_approval_comes_before_the_merge(forge):
    forge.project()
    forge.change()
    answer = forge.send("alice", "PUT", f"{MR}/merge", {})
    assert (answer.status, answer.body) == (422, {"message": {"base": ["1 more approval(s) required"]}})


def test_a_merge_brings_the_commits_to_the_target(approved):
    merged = approved.good("alice", "PUT", f"{MR}/merge", {"merge_commit_message": "In it goes"})
    assert (merged["state"], merged["merged_by_id"], merged["squash_commit_sha"]) == ("merged", 2, None)
    head, *_ = approved.good("alice", "GET", f"{P}/repository/commits")
    assert (head["id"], head["message"]) == (merged["merge_commit_sha"], "In it goes")
    assert approved.good("alice", "GET", f"{MR}/commits") == []


def test_a_squash_leaves_the_single_commits_out(approved):
    merged = approved.good("alice", "PUT", f"{MR}/merge", {"squash": True})
    assert merged["squash"] is True
    shas = [commit["id"] for commit in approved.good("alice", "GET", f"{P}/repository/commits")]
    assert merged["squash_commit_sha"] in shas
    assert merged["sha"] not in shas


def test_a_request_is_merged_once_and_only_when_open(approved):
    approved.good("bob", "PUT", MR, {"state_event": "close"})
    assert approved.send("alice", "PUT", f"{MR}/merge", {}).body == {"message": "Merge request is closed"}
    approved.good("bob", "PUT", MR, {"state_event": "reopen"})
    approved.good("alice", "PUT", f"{MR}/merge", {})
    assert approved.send("alice", "PUT", f"{MR}/merge", {}).status == 409
    assert approved.send("bob", "PUT", MR, {"state_event": "close"}).status == 409


def test_developers_do_not_merge_into_protected_branches(approved):
    assert approved.send("bob", "PUT", f"{MR}/merge", {}).status == 403
    approved.good("alice", "PUT", f"{P}/repository/branches/main/unprotect")
    approved.good("bob", "PUT", f"{MR}/merge", {})


def test_the_head_may_be_named(approved):
    assert approved.send("alice", "PUT", f"{MR}/merge", {"sha": "0" * 40}).status == 409
    sha = approved.good("alice", "GET", MR)["sha"]
    approved.good("alice", "PUT", f"{MR}/merge", {"sha": sha})


def test_a_source_branch_is_removed_on_request(approved):
    approved.good("alice", "PUT", f"{MR}/merge", {"should_remove_source_branch": True})
    assert approved.send("alice", "GET", f"{P}/repository/branches/feature").status == 404


def test_a_protected_source_branch_stays(approved):
    approved.good("alice", "PUT", f"{P}/repository/branches/feature/protect")
    approved.good("alice", "PUT", f"{MR}/merge", {"should_remove_source_branch": True})
    approved.good("alice", "GET", f"{P}/repository/branches/feature")


def test_a_branch_that_is_gone_is_not_merged(approved):
    approved.good("bob", "DELETE", f"{P}/repository/branches/feature")
    assert approved.send("alice", "PUT", f"{MR}/merge", {}).status == 409


def test_a_project_may_insist_on_success(approved):
    approved.good("alice", "PUT", P, {"merge_requires_success": True})
    sha = approved.good("alice", "GET", MR)["sha"]
    assert approved.send("alice", "PUT", f"{MR}/merge", {}).status == 422
    approved.good("bob", "POST", f"{P}/statuses/{sha}", {"state": "failed"})
    assert approved.send("alice", "PUT", f"{MR}/merge", {}).status == 422
    approved.good("bob", "POST", f"{P}/statuses/{sha}", {"state": "success"})
    approved.good("alice", "PUT", f"{MR}/merge", {})


@pytest.mark.parametrize("squash", [False, True])
def test_a_revert_brings_the_old_files_back_once(approved, squash):
    assert approved.send("alice", "POST", f"{MR}/revert", {}).status == 422
    approved.good("alice", "PUT", f"{MR}/merge", {"squash": squash})
    assert approved.send("bob", "POST", f"{MR}/revert", {}).status == 403
    assert approved.send("alice", "POST", f"{MR}/revert", {"branch": "none"}).status == 422
    commit = approved.good("alice", "POST", f"{MR}/revert", {})
    assert commit["title"] == 'Revert "Feature"'
    files = approved.state.projects[1].commits[commit["id"]].files
    assert list(files) == ["README.md"]
    assert approved.send("alice", "POST", f"{MR}/revert", {}).status == 409


def test_a_revert_may_go_to_another_branch(approved):
    approved.good("alice", "PUT", f"{MR}/merge", {})
    approved.good("bob", "POST", f"{P}/repository/branches", {"branch": "undo", "ref": "main"})
    sha = approved.good("bob", "POST", f"{MR}/revert", {"branch": "undo"})["id"]
    assert approved.good("bob", "GET", f"{P}/repository/branches/undo")["commit_sha"] == sha
