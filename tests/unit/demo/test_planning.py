from __future__ import annotations

import pytest
from msgspec import UNSET

from lobrest.demo.planning import checked_labels, checked_milestone, wanted_labels
from lobrest.demo.refusal import Refusal


@pytest.fixture
def project(forge):
    forge.project()
    forge.good("alice", "POST", "/projects/1/labels", {"name": "bug", "color": "#ff0000"})
    forge.good("alice", "POST", "/projects/1/milestones", {"title": "Sprint"})
    return forge.state.projects[1]


def test_labels_must_exist_and_count_once(project):
    assert checked_labels(project, UNSET) == []
    assert checked_labels(project, ["bug", "bug"]) == ["bug"]
    with pytest.raises(Refusal):
        checked_labels(project, ["none"])


def test_milestones_must_exist(project):
    assert checked_milestone(project, UNSET) is None
    assert checked_milestone(project, None) is None
    assert checked_milestone(project, 1) == 1
    with pytest.raises(Refusal):
        checked_milestone(project, 2)


def test_a_filter_is_a_list_of_names():
    assert wanted_labels(" a, b,,") == {"a", "b"}
    assert wanted_labels("") == frozenset()
