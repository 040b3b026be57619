from __future__ import annotations

import pytest

C = "/projects/1/repository/commits"


def commit(branch="feature", *actions):
    actions = actions or ({"action": "create", "file_path": "a.txt", "content": "x"},)
    return {"branch": branch, "commit_message": "Change\n\nmore words", "actions": list(actions)}


@pytest.fixture
def repository(forge):
    forge.project()
    forge.member("bob")
    forge.good("bob", "POST", "/projects/1/repository/branches", {"branch": "feature", "ref": "main"})
    return forge


def test_a_commit_follows_the_head(repository):
    head = repository.good("bob", "GET", "/projects/1/repository/branches/feature")["commit_sha"]
    made = repository.good("bob", "POST", C, commit())
    assert (made["title"], made["parent_ids"], made["author_id"]) == ("Change", [head], 3)
    assert (
        repository.good("bob", "GET", "/projects/1/repository/branches/feature")["commit_sha"] == made["id"]
    )
    assert repository.good("carol", "GET", f"{C}/{made['id'][:8]}") == made


def test_hashes_depend_on_content_alone(make_forge):
    shas = []
    for _ in range(2):
        forge = make_forge()
        forge.project()
        shas.append(forge.push(branch="main")["id"])
    assert shas[0] == shas[1]
    assert forge.push(branch="main", file="b.txt")["id"] != shas[0]


def test_protected_branches_refuse_developers(repository):
    answer = repository.send("bob", "POST", C, commit("main"))
    assert answer.status == 403
    assert "not allowed to push" in answer.body["message"]
    repository.good("alice", "POST", C, commit("main"))


def test_actions_must_fit_the_files(repository):
    repository.good("bob", "POST", C, commit())
    assert repository.send("bob", "POST", C, commit()).body == {
        "error": "A file with this name already exists"
    }
    gone = {"action": "delete", "file_path": "none.txt"}
    assert repository.send("bob", "POST", C, commit("feature", gone)).status == 400
    update = {"action": "update", "file_path": "a.txt", "content": "y"}
    repository.good(
        "bob", "POST", C, commit("feature", update, {"action": "delete", "file_path": "README.md"})
    )
    assert repository.send("bob", "POST", C, commit("feature", {"action": "eat", "file_path": "a"})).body == {
        "error": "actions[0].action does not have a valid value"
    }


def test_the_branch_must_exist(repository):
    assert repository.send("bob", "POST", C, commit("nowhere")).status == 422


def test_commits_are_listed_newest_first(repository):
    made = repository.good("bob", "POST", C, commit())
    listed = repository.good("bob", "GET", C, ref_name="feature")
    assert [entry["id"] for entry in listed] == [made["id"], *made["parent_ids"]]
    assert len(repository.good("bob", "GET", C)) == 1
    assert repository.send("bob", "GET", C, ref_name="nowhere").status == 404


def test_a_push_takes_approvals_back(repository):
    repository.good("bob", "POST", C, commit())
    body = {"title": "F", "source_branch": "feature", "target_branch": "main"}
    repository.good("bob", "POST", "/projects/1/merge_requests", body)
    repository.good("alice", "POST", "/projects/1/merge_requests/1/approve")
    repository.push("bob", file="b.txt")
    assert repository.good("bob", "GET", "/projects/1/merge_requests/1/approvals")["approved"] is False


def test_statuses_of_one_name_replace_each_other(repository):
    sha = repository.good("bob", "POST", C, commit())["id"]
    for state in ("pending", "success"):
        repository.good("bob", "POST", f"/projects/1/statuses/{sha}", {"state": state, "name": "build"})
    repository.good("bob", "POST", f"/projects/1/statuses/{sha}", {"state": "failed", "name": "lint"})
    listed = repository.good("bob", "GET", f"{C}/{sha}/statuses")
    assert [(entry["name"], entry["status"]) for entry in listed] == [
        ("build", "success"),
        ("lint", "failed"),
    ]
    assert repository.send("bob", "POST", f"/projects/1/statuses/{sha}", {"state": "great"}).status == 400


def test_there_is_an_end_to_files(repository):
    for batch in range(4):
        actions = [{"action": "create", "file_path": f"{batch}-{n}.txt"} for n in range(49)]
        repository.good("bob", "POST", C, commit("feature", *actions))
    more = [{"action": "create", "file_path": f"more-{n}.txt"} for n in range(4)]
    assert repository.send("bob", "POST", C, commit("feature", *more)).status == 400
    repository.good("bob", "POST", C, commit("feature", *more[:3]))
