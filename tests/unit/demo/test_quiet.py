"""Defects that no 5XX shows: each shows in its own way, and none of them by default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobrest.demo import faults as faults_module
from lobrest.demo.catalogue import MODULES
from lobrest.demo.faults import NAMES, QUIET, parse_faults
from lobrest.demo.service import BASE_PATH, Request

P = "/projects/1"
ROWS = json.loads((Path(faults_module.__file__).parent / "quiet.json").read_text())


def private(forge):
    forge.project(visibility="private")
    forge.good("alice", "POST", f"{P}/issues", {"title": "secret"})


def milestone_stays(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/milestones", {"title": "m"})
    forge.good("alice", "DELETE", f"{P}/milestones/1")
    return forge.send("alice", "GET", f"{P}/milestones/1").status == 200


def milestone_of_any_project(forge):
    forge.project()
    forge.project(name="other")
    forge.good("alice", "POST", f"{P}/milestones", {"title": "m"})
    return forge.send("alice", "GET", "/projects/2/milestones/1").status == 200


def private_issue_shown(forge):
    private(forge)
    return forge.send("bob", "GET", f"{P}/issues/1").status == 200


def private_issue_changed(forge):
    private(forge)
    return forge.send("bob", "PUT", f"{P}/issues/1", {"title": "mine"}).status == 200


def hooks_without_login(forge):
    forge.project()
    return forge.send("", "GET", f"{P}/hooks").status == 200


def labels_with_any_login(forge):
    forge.project()
    headers = {"authorization": "Bearer nonsense"}
    assert forge.send("", "GET", f"{P}/labels").status == 401
    return forge.service.answer(Request("GET", f"{BASE_PATH}{P}/labels", headers=headers)).status == 200


def branch_forgotten(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/repository/branches", {"branch": "b", "ref": "main"})
    return forge.send("alice", "GET", f"{P}/repository/branches/b").status == 404


def release_author_text(forge):
    forge.project()
    forge.good("alice", "POST", f"{P}/releases", {"tag_name": "v1", "ref": "main"})
    return isinstance(forge.good("alice", "GET", f"{P}/releases/v1")["author_id"], str)


def user_password_shown(forge):
    return "password_hash" in forge.good("alice", "GET", "/users/bob")


def group_accepted(forge):
    return forge.send("alice", "POST", "/groups", {"path": "gang", "name": "Gang"}).status == 202


def tokens_as_text(forge):
    return forge.send("alice", "GET", "/tokens").headers["Content-Type"] == "text/plain"


def commit_trace(forge):
    forge.project()
    (commit,) = forge.good("alice", "GET", f"{P}/repository/commits")
    return "Traceback" in forge.good("alice", "GET", f"{P}/repository/commits/{commit['id']}").get(
        "debug", ""
    )


def label_colour_any(forge):
    forge.project()
    return forge.send("alice", "POST", f"{P}/labels", {"name": "l", "color": "blue"}).status == 201


SIGNS = [
    milestone_stays, milestone_of_any_project, private_issue_shown, private_issue_changed, hooks_without_login,
    labels_with_any_login, branch_forgotten, release_author_text, user_password_shown, group_accepted,
    tokens_as_text, commit_trace, label_colour_any,
]  # fmt: skip


def name_of(sign):
    return sign.__name__.replace("_", "-")


@pytest.mark.parametrize("sign", SIGNS, ids=name_of)
def test_each_shows_where_it_is_and_nowhere_else(make_forge, sign):
    assert sign(make_forge(name_of(sign)))
    for faults in ("off", "on", ",".join(QUIET - {name_of(sign)})):
        assert not sign(make_forge(faults)), faults


def test_all_are_told_of_and_none_is_counted_among_the_others():
    assert {row["name"] for row in ROWS} == QUIET == {name_of(sign) for sign in SIGNS}
    assert not QUIET & NAMES
    declared = {f"{route.method} {route.template}" for module in MODULES for route in module.routes}
    assert {row["operation"] for row in ROWS} <= declared
    assert parse_faults("quiet").names == QUIET
    assert parse_faults("on").names == NAMES
