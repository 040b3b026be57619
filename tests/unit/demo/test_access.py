from __future__ import annotations

import pytest

from lobrest.demo.access import as_number, has_role, role_in
from lobrest.demo.records import Role


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("0", 0), ("", None), ("x1", None), ("²", None), ("٣", None), ("9" * 5000, None)],
)
def test_only_plain_short_digits_are_a_number(text, number):
    assert as_number(text) == number


def test_a_private_project_does_not_exist_for_strangers(forge):
    forge.project(visibility="private")
    assert forge.send("bob", "GET", "/projects/1").status == 404
    assert forge.send("alice", "GET", "/projects/1").status == 200


def test_the_administrator_owns_everything(forge):
    forge.project(visibility="private")
    forge.good("root", "DELETE", "/projects/1")


def test_who_can_read_but_not_write_is_forbidden(forge):
    forge.project()
    answer = forge.send("bob", "POST", "/projects/1/labels", {"name": "bug", "color": "#ff0000"})
    assert (answer.status, answer.body) == (403, {"message": "403 Forbidden"})


def test_nothing_changes_in_an_archived_project(forge):
    forge.project()
    forge.good("alice", "POST", "/projects/1/archive")
    assert forge.send("alice", "POST", "/projects/1/issues", {"title": "Late"}).status == 403
    forge.good("alice", "POST", "/projects/1/unarchive")
    forge.good("alice", "POST", "/projects/1/issues", {"title": "In time"})


def test_the_higher_of_two_roles_counts(forge):
    forge.project("dave", namespace="platform")
    forge.member("alice", "guest", by="dave")
    project, alice = forge.state.projects[1], forge.state.users[2]
    assert role_in(forge.state, project, alice) is Role.DEVELOPER
    project.members[2] = Role.MAINTAINER
    assert role_in(forge.state, project, alice) is Role.MAINTAINER


def test_roles_are_ordered():
    assert has_role(Role.OWNER, Role.GUEST)
    assert has_role(Role.DEVELOPER, Role.DEVELOPER)
    assert not has_role(Role.GUEST, Role.DEVELOPER)
    assert not has_role(None, Role.GUEST)


def test_a_path_parameter_that_must_be_a_number_is_checked(forge):
    forge.project()
    answer = forge.send("alice", "GET", "/projects/1/issues/first")
    assert (answer.status, answer.body) == (400, {"error": "issue_iid is invalid"})


def test_a_private_group_does_not_exist_for_strangers(forge):
    forge.good("alice", "POST", "/groups", {"path": "crew", "name": "Crew", "visibility": "private"})
    assert forge.send("bob", "GET", "/groups/crew").status == 404
    assert forge.send("alice", "GET", "/groups/crew").status == 200
