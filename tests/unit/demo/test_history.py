from __future__ import annotations

import pytest

from lobrest.demo.company import founded
from lobrest.demo.history import ahead, ancestors, append, find_branch, find_commit, first_commit
from lobrest.demo.records import BranchRecord, ProjectRecord, Visibility
from lobrest.demo.refusal import Refusal


@pytest.fixture
def state():
    return founded()


@pytest.fixture
def project(state):
    project = ProjectRecord(1, "shop", "shop", "alice", "", Visibility.PUBLIC, 2, "")
    first_commit(state, project, state.users[2])
    return project


def test_a_branch_is_ahead_by_what_the_other_lacks(state, project):
    main = project.branches["main"]
    side = project.branches["side"] = BranchRecord("side", main.head)
    assert ahead(project, side.head, main.head) == []
    one = append(state, project, side, state.users[2], "one", {})
    append(state, project, main, state.users[2], "other", {})
    assert ahead(project, side.head, main.head) == [one]


def test_a_merge_brings_both_lines_in(state, project):
    main = project.branches["main"]
    side = BranchRecord("side", main.head)
    one = append(state, project, side, state.users[2], "one", {})
    merge = append(state, project, main, state.users[2], "merge", {}, also=(one.sha,))
    assert ahead(project, side.head, main.head) == []
    assert [commit.message for commit in ancestors(project, merge.sha).values()] == [
        "merge",
        "Initial commit",
        "one",
    ]


def test_a_commit_is_found_by_hash_part_of_it_or_branch(project):
    head = project.branches["main"].head
    for ref in ("main", head, head[:7]):
        assert find_commit(project, ref).sha == head
    for ref in (head[:6], "", "nowhere"):
        with pytest.raises(Refusal):
            find_commit(project, ref)


def test_an_unknown_branch_is_not_found(project):
    assert find_branch(project, "main").protected
    with pytest.raises(Refusal):
        find_branch(project, "nowhere")
