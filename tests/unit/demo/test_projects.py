from __future__ import annotations


def test_a_project_begins_with_a_protected_branch(forge):
    project = forge.project(default_branch="trunk", visibility="public", description="d")
    assert (project["default_branch"], project["visibility"], project["path_with_namespace"]) == (
        "trunk",
        "public",
        "alice/shop",
    )
    (branch,) = forge.good("alice", "GET", "/projects/1/repository/branches")
    assert (branch["name"], branch["protected"]) == ("trunk", True)


def test_names_become_paths_that_are_unique(forge):
    assert forge.good("alice", "POST", "/projects", {"name": "My Shop!"})["path"] == "my-shop"
    again = forge.send("alice", "POST", "/projects", {"name": "my shop"})
    assert (again.status, again.body) == (422, {"message": {"name": ["has already been taken"]}})
    assert forge.send("alice", "POST", "/projects", {"name": "x", "path": "my-shop"}).body == {
        "message": {"path": ["has already been taken"]}
    }
    assert forge.send("alice", "POST", "/projects", {"name": "!!!"}).body == {"error": "path is missing"}
    forge.good("bob", "POST", "/projects", {"name": "My Shop"})


def test_groups_are_filled_by_their_developers(forge):
    assert forge.project("dave", namespace="platform")["path_with_namespace"] == "platform/shop"
    assert forge.send("erin", "POST", "/projects", {"name": "x", "namespace": "platform"}).status == 403
    assert forge.send("erin", "POST", "/projects", {"name": "x", "namespace": "none"}).status == 404
    assert forge.project("erin", namespace="erin")["namespace"] == "erin"


def test_filters_order_and_search(forge):
    forge.good("alice", "POST", "/projects", {"name": "zebra", "visibility": "public"})
    forge.good("bob", "POST", "/projects", {"name": "ant"})
    forge.good("bob", "POST", "/projects/2/archive")

    def found(**query):
        return [project["name"] for project in forge.good("alice", "GET", "/projects", **query)]

    assert found() == ["zebra", "ant"]
    assert found(order_by="name") == found(order_by="name", page=1) == ["ant", "zebra"]
    assert found(visibility="public") == found(archived="false") == found(membership="true") == ["zebra"]
    assert found(search="[ax]nt") == found(search="ANT") == ["ant"]
    assert found(search="[") == found(search="(") == []


def test_update(forge):
    forge.project()
    forge.member("bob")
    body = {"name": "New", "description": "d", "visibility": "public", "approvals_required": 2}
    changed = forge.good("alice", "PUT", "/projects/1", body)
    assert {key: changed[key] for key in body} == body
    assert forge.send("bob", "PUT", "/projects/1", body).status == 403
    assert forge.send("alice", "PUT", "/projects/1", {"default_branch": "none"}).status == 422
    assert forge.good("alice", "PUT", "/projects/1", {"default_branch": "main"})["default_branch"] == "main"
    assert forge.send("alice", "PUT", "/projects/1", {"approvals_required": 11}).status == 400


def test_archiving_and_deleting_are_the_owners(forge):
    forge.project()
    forge.member("bob", "maintainer")
    for method, path in (
        ("POST", "/projects/1/archive"),
        ("POST", "/projects/1/unarchive"),
        ("DELETE", "/projects/1"),
    ):
        assert forge.send("bob", method, path).status == 403
    assert forge.good("alice", "POST", "/projects/1/archive")["archived"] is True
    assert forge.good("alice", "POST", "/projects/1/archive")["archived"] is True
    assert forge.good("alice", "POST", "/projects/1/unarchive")["archived"] is False
    forge.good("alice", "DELETE", "/projects/1")
    assert forge.send("alice", "GET", "/projects/1").status == 404
    assert forge.send("alice", "GET", "/projects/alice%2Fshop").status == 404
    assert forge.project()["id"] == 2


def test_a_transferred_project_has_a_new_path_and_its_old_number(forge):
    forge.project()
    forge.change()
    moved = forge.good("alice", "POST", "/projects/1/transfer", {"namespace": "platform"})
    assert moved["path_with_namespace"] == "platform/shop"
    assert forge.good("bob", "GET", "/projects/platform%2Fshop") == forge.good("bob", "GET", "/projects/1")
    assert forge.send("bob", "GET", "/projects/alice%2Fshop").status == 404
    assert forge.good("bob", "GET", "/projects/1/merge_requests/1")["reference"] == "platform/shop!1"
    assert forge.send("alice", "POST", "/projects/1/transfer", {"namespace": "platform"}).status == 409


def test_a_transfer_needs_room_and_an_open_project(forge):
    forge.project()
    forge.project("dave", namespace="platform")
    assert forge.send("alice", "POST", "/projects/1/transfer", {"namespace": "platform"}).status == 422
    forge.good("alice", "POST", "/projects/1/archive")
    answer = forge.send("alice", "POST", "/projects/1/transfer", {"namespace": "platform"})
    assert (answer.status, answer.body) == (403, {"message": "403 Forbidden - project is archived"})
    forge.good("alice", "POST", "/projects/1/unarchive")
    assert forge.send("alice", "POST", "/projects/1/transfer", {"namespace": "storefront"}).status == 403
