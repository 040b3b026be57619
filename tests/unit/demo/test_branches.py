from __future__ import annotations

import pytest

B = "/projects/1/repository/branches"


@pytest.fixture
def repository(forge):
    forge.project()
    forge.member("bob")
    return forge


def test_a_branch_starts_where_its_ref_is(repository):
    main = repository.good("alice", "GET", f"{B}/main")
    assert (main["protected"], main["default"]) == (True, True)
    new = repository.good("bob", "POST", B, {"branch": "a/b", "ref": "main"})
    assert new == {"name": "a/b", "commit_sha": main["commit_sha"], "protected": False, "default": False}
    assert repository.good("bob", "GET", f"{B}/a%2Fb") == new


def test_names_are_unique_and_refs_exist(repository):
    repository.good("bob", "POST", B, {"branch": "x", "ref": "main"})
    again = repository.send("bob", "POST", B, {"branch": "x", "ref": "main"})
    assert (again.status, again.body) == (422, {"message": {"branch": ["has already been taken"]}})
    assert repository.send("bob", "POST", B, {"branch": "y", "ref": "nowhere"}).status == 422
    assert repository.send("bob", "POST", B, {"branch": "y"}).body == {"error": "ref is missing"}
    assert repository.send("bob", "POST", B, {"branch": "a b", "ref": "main"}).status == 400


def test_only_members_create_branches(repository):
    assert repository.send("carol", "POST", B, {"branch": "x", "ref": "main"}).status == 403


def test_protection_is_the_maintainers_and_keeps_developers_off(repository):
    repository.good("bob", "POST", B, {"branch": "x", "ref": "main"})
    assert repository.send("bob", "PUT", f"{B}/x/protect").status == 403
    assert repository.good("alice", "PUT", f"{B}/x/protect")["protected"] is True
    assert repository.send("bob", "DELETE", f"{B}/x").status == 403
    assert repository.good("alice", "PUT", f"{B}/x/unprotect")["protected"] is False
    repository.good("bob", "DELETE", f"{B}/x")
    assert repository.send("bob", "GET", f"{B}/x").status == 404


def test_the_default_branch_stays(repository):
    assert repository.send("alice", "DELETE", f"{B}/main").status == 409


def test_branches_are_listed_and_searched(repository):
    for name in ("one", "two"):
        repository.good("bob", "POST", B, {"branch": name, "ref": "main"})
    assert [branch["name"] for branch in repository.good("bob", "GET", B)] == ["main", "one", "two"]
    assert [branch["name"] for branch in repository.good("bob", "GET", B, search="tw")] == ["two"]
