from __future__ import annotations

import pytest

L = "/projects/1/labels"


@pytest.fixture
def project(forge):
    forge.project()
    forge.good("alice", "POST", L, {"name": "bug", "color": "#ff0000"})
    forge.good("alice", "POST", "/projects/1/issues", {"title": "X", "labels": ["bug"]})
    return forge


def test_names_are_unique_in_a_project(project):
    answer = project.send("alice", "POST", L, {"name": "bug", "color": "#00ff00"})
    assert (answer.status, answer.body) == (409, {"message": {"name": ["has already been taken"]}})


@pytest.mark.parametrize("color", ["", "red", "#ff00", "#gggggg", "#ff00001", "🙂"])
def test_colours_are_hexadecimal(project, color):
    for method, path, body in (("POST", L, {"name": "x"}), ("PUT", f"{L}/bug", {})):
        assert project.send("alice", method, path, body | {"color": color}).body == {
            "error": "color is invalid"
        }


def test_a_new_name_goes_everywhere(project):
    project.good("alice", "PUT", f"{L}/bug", {"new_name": "defect", "color": "#000000", "description": "d"})
    assert project.good("alice", "GET", "/projects/1/issues/1")["labels"] == ["defect"]
    (label,) = project.good("alice", "GET", L)
    assert (label["name"], label["color"], label["description"]) == ("defect", "#000000", "d")
    assert project.send("alice", "PUT", f"{L}/bug", {}).status == 404


def test_a_taken_name_is_refused(project):
    project.good("alice", "POST", L, {"name": "ux", "color": "#00ff00"})
    assert project.send("alice", "PUT", f"{L}/ux", {"new_name": "bug"}).status == 409


def test_a_deleted_label_is_gone_everywhere(project):
    project.good("alice", "DELETE", f"{L}/bug")
    assert project.good("alice", "GET", "/projects/1/issues/1")["labels"] == []
    assert project.good("alice", "GET", L, search="bug") == []
