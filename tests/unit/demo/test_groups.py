from __future__ import annotations

CREW = {"path": "crew", "name": "Crew"}


def test_who_creates_a_group_owns_it(forge):
    group = forge.good("alice", "POST", "/groups", CREW)
    assert (group["path"], group["visibility"]) == ("crew", "internal")
    assert forge.good("alice", "GET", "/groups/crew/members")[0]["role"] == "owner"


def test_paths_are_shared_with_people_and_unique(forge):
    forge.good("alice", "POST", "/groups", CREW)
    for path in ("crew", "bob"):
        answer = forge.send("bob", "POST", "/groups", {"path": path, "name": "X"})
        assert (answer.status, answer.body) == (422, {"message": {"path": ["has already been taken"]}})
    assert forge.send("bob", "POST", "/groups", {"path": "Not OK", "name": "X"}).status == 400


def test_only_owners_change_and_delete(forge):
    forge.good("alice", "POST", "/groups", CREW)
    assert forge.send("bob", "PUT", "/groups/crew", {"name": "Mine"}).status == 403
    changed = forge.good(
        "alice", "PUT", "/groups/crew", {"name": "Team", "description": "d", "visibility": "public"}
    )
    assert (changed["name"], changed["description"], changed["visibility"]) == ("Team", "d", "public")
    assert forge.send("bob", "DELETE", "/groups/crew").status == 403
    forge.good("alice", "DELETE", "/groups/crew")
    assert forge.send("alice", "GET", "/groups/crew").status == 404


def test_a_group_with_projects_stays(forge):
    forge.good("alice", "POST", "/groups", CREW)
    forge.project(namespace="crew")
    assert forge.send("alice", "DELETE", "/groups/crew").status == 409
    assert [project["path"] for project in forge.good("bob", "GET", "/groups/crew/projects")] == ["shop"]


def test_groups_are_searched(forge):
    assert [group["path"] for group in forge.good("bob", "GET", "/groups", search="STORE")] == ["storefront"]
