from __future__ import annotations

import pytest

MR = "/projects/1/merge_requests/1"


@pytest.fixture
def opened(forge):
    """A merge request of alice; bob may approve it."""
    forge.project()
    forge.member("bob")
    forge.change()
    return forge


def test_nobody_approves_their_own(opened):
    answer = opened.send("alice", "POST", f"{MR}/approve", {})
    assert answer.status == 403
    assert "your own" in answer.body["message"]


def test_an_approval_is_shown(opened):
    before = opened.good("alice", "GET", f"{MR}/approvals")
    assert (before["approved"], before["approvals_left"]) == (False, 1)
    after = opened.good("bob", "POST", f"{MR}/approve", {})
    assert (after["approved"], after["approvals_left"]) == (True, 0)
    assert [approval["username"] for approval in after["approved_by"]] == ["bob"]


def test_one_person_approves_once(opened):
    opened.good("bob", "POST", f"{MR}/approve")
    assert opened.send("bob", "POST", f"{MR}/approve").status == 409


def test_strangers_and_guests_do_not_approve(opened):
    opened.member("carol", "guest")
    assert opened.send("erin", "POST", f"{MR}/approve").status == 403
    assert opened.send("carol", "POST", f"{MR}/approve").status == 403


def test_an_approval_may_name_what_it_is_for(opened):
    assert opened.send("bob", "POST", f"{MR}/approve", {"sha": "0" * 40}).status == 409
    head = opened.good("bob", "GET", MR)["sha"]
    opened.good("bob", "POST", f"{MR}/approve", {"sha": head})


def test_an_approval_can_be_taken_back_once(opened):
    opened.good("bob", "POST", f"{MR}/approve")
    assert opened.good("bob", "POST", f"{MR}/unapprove")["approved"] is False
    assert opened.send("bob", "POST", f"{MR}/unapprove").status == 404


def test_a_closed_merge_request_takes_no_approval(opened):
    opened.good("alice", "PUT", MR, {"state_event": "close"})
    answer = opened.send("bob", "POST", f"{MR}/approve")
    assert (answer.status, answer.body) == (409, {"message": "Merge request is closed"})
