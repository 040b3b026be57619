from __future__ import annotations

import pytest

R = "/projects/1/releases"


@pytest.fixture
def project(forge):
    forge.project()
    forge.member("bob")
    return forge


def test_the_client_chooses_the_tag_and_it_is_unique(project):
    made = project.good("bob", "POST", R, {"tag_name": "v1", "ref": "main"})
    assert (made["name"], made["ref"]) == ("v1", "main")
    again = project.send("bob", "POST", R, {"tag_name": "v1", "ref": "main"})
    assert (again.status, again.body) == (409, {"message": {"tag_name": ["has already been taken"]}})
    assert project.send("bob", "POST", R, {"tag_name": "v 2", "ref": "main"}).status == 400
    assert project.send("bob", "POST", R, {"tag_name": "v2", "ref": "none"}).status == 422


def test_a_release_knows_how_far_its_branch_has_gone_on(project):
    sha = project.good("bob", "POST", R, {"tag_name": "v1", "ref": "main"})["commit_sha"]
    project.push(branch="main")
    assert project.good("bob", "GET", f"{R}/v1")["commits_since"] == 1
    project.good("bob", "POST", R, {"tag_name": "by-hash", "ref": sha})
    assert project.good("bob", "GET", f"{R}/by-hash")["commits_since"] == 0


def test_a_tag_is_a_place_to_start_from(project):
    sha = project.good("bob", "POST", R, {"tag_name": "v1", "ref": "main"})["commit_sha"]
    project.push(branch="main")
    made = project.good("bob", "POST", "/projects/1/repository/branches", {"branch": "fix", "ref": "v1"})
    assert made["commit_sha"] == sha


def test_milestones_go_by_title_and_exist(project):
    project.good("bob", "POST", "/projects/1/milestones", {"title": "Sprint"})
    assert (
        project.send("bob", "POST", R, {"tag_name": "v1", "ref": "main", "milestones": ["None"]}).status
        == 422
    )
    project.good("bob", "POST", R, {"tag_name": "v1", "ref": "main", "milestones": ["Sprint"]})
    changed = project.good("bob", "PUT", f"{R}/v1", {"milestones": [], "name": "One", "description": "d"})
    assert (changed["milestones"], changed["name"], changed["description"]) == ([], "One", "d")


def test_they_are_listed_newest_first_and_deleted_by_maintainers(project):
    for tag in ("v1", "v2"):
        project.good("bob", "POST", R, {"tag_name": tag, "ref": "main"})
    assert [release["tag_name"] for release in project.good("bob", "GET", R)] == ["v2", "v1"]
    assert project.send("bob", "DELETE", f"{R}/v1").status == 403
    project.good("alice", "DELETE", f"{R}/v1")
    assert project.send("bob", "GET", f"{R}/v1").status == 404
