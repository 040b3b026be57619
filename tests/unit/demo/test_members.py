from __future__ import annotations

import pytest

M = "/projects/1/members"


@pytest.fixture
def project(forge):
    forge.project()
    return forge


def test_members_are_added_listed_changed_and_removed(project):
    assert project.member("bob")["role"] == "developer"
    assert [member["username"] for member in project.good("carol", "GET", M)] == ["alice", "bob"]
    assert project.good("alice", "PUT", f"{M}/3", {"role": "maintainer"})["role"] == "maintainer"
    project.good("alice", "DELETE", f"{M}/3")
    assert project.send("alice", "DELETE", f"{M}/3").status == 404


def test_a_member_is_added_once_and_exists(project):
    project.member("bob")
    assert project.send("alice", "POST", M, {"user_id": 3, "role": "guest"}).status == 409
    assert project.send("alice", "POST", M, {"user_id": 99, "role": "guest"}).status == 404
    assert project.send("alice", "POST", M, {"user_id": 4, "role": "king"}).status == 400


def test_nobody_gives_more_than_they_have(project):
    project.member("bob", "maintainer")
    assert project.send("bob", "POST", M, {"user_id": 4, "role": "owner"}).status == 403
    assert project.send("bob", "PUT", f"{M}/2", {"role": "guest"}).status == 403
    assert project.send("bob", "DELETE", f"{M}/2").status == 403
    project.good("bob", "POST", M, {"user_id": 4, "role": "developer"})


def test_developers_manage_nobody_but_may_leave(project):
    project.member("bob")
    assert project.send("bob", "POST", M, {"user_id": 4, "role": "guest"}).status == 403
    project.good("bob", "DELETE", f"{M}/3")


def test_the_last_owner_stays(project):
    assert project.send("alice", "DELETE", f"{M}/2").status == 409
    assert project.send("alice", "PUT", f"{M}/2", {"role": "guest"}).status == 409
    project.member("bob", "owner")
    project.good("alice", "DELETE", f"{M}/2")


def test_group_members_come_and_go(forge):
    forge.good("alice", "POST", "/groups", {"path": "crew", "name": "Crew"})
    forge.good("alice", "POST", "/groups/crew/members", {"user_id": 3, "role": "developer"})
    assert forge.send("bob", "POST", "/groups/crew/members", {"user_id": 4, "role": "guest"}).status == 403
    forge.project(namespace="crew")
    forge.good("bob", "POST", "/projects/1/repository/branches", {"branch": "x", "ref": "main"})
    forge.good("alice", "DELETE", "/groups/crew/members/3")
    assert (
        forge.send("bob", "POST", "/projects/1/repository/branches", {"branch": "y", "ref": "main"}).status
        == 403
    )
    assert forge.send("alice", "DELETE", "/groups/crew/members/2").status == 409
