from __future__ import annotations

from lobrest.demo.records import Role


def test_roles_rise_from_guest_to_owner(forge):
    assert sorted(Role, key=lambda role: role.rank) == [
        Role.GUEST,
        Role.DEVELOPER,
        Role.MAINTAINER,
        Role.OWNER,
    ]


def test_what_is_planned_are_issues_and_merge_requests(forge):
    forge.project()
    forge.good("alice", "POST", "/projects/1/issues", {"title": "X"})
    forge.change()
    assert [subject.title for subject in forge.state.projects[1].planned] == ["X", "Feature"]
    assert forge.state.projects[1].full_path == "alice/shop"
