"""Places that hold the same kind of thing."""

from __future__ import annotations

from tests.unit.resources.documents import answer, api, forge, many, ref, thing

from lobrest.model.operation import ApiSpec
from lobrest.resources.catalogue import Catalogue
from lobrest.resources.collections import Places, name_of
from lobrest.resources.roles import creators, listers


def named(spec: ApiSpec) -> dict[str, str | None]:
    """Every place by its written path, with the name of its resource."""
    catalogue = Catalogue(spec)
    listing = listers(catalogue)
    places = Places(catalogue, listing, creators(catalogue, listing))
    return {
        catalogue.template[place.path]: name_of(group, catalogue)
        for group in places.groups().values()
        for place in group
    }


def test_one_resource_of_many_ways_in() -> None:
    names = named(forge())
    repositories = {path for path, name in names.items() if name == "/user/repos"}
    assert repositories == {
        "/user/repos",
        "/users/{username}/repos",
        "/repos",
        "/repos/{owner}/{repo}/forks",
    }
    assert names["/users/search"] == names["/users"] == names["/admin/users"] == "/admin/users"
    assert names["/repos/{owner}/{repo}/collaborators"] == "/repos/{owner}/{repo}/collaborators"


def test_the_same_noun_in_different_scopes_stays_apart() -> None:
    hooks = {
        f"{method} {base}/hooks{item}": {"responses": answer(many("Hook") if not item else ref("Hook"))}
        for base in ("/orgs/{org}", "/repos/{repo}")
        for method, item in (("GET", ""), ("POST", ""), ("GET", "/{id}"))
    }
    names = named(api(hooks, Hook=thing(id="integer")))
    assert names["/orgs/{org}/hooks"] != names["/repos/{repo}/hooks"]


def test_singular_and_plural_side_by_side() -> None:
    names = named(
        api(
            {
                "GET /api/persons": {"responses": answer(many("Person"))},
                "POST /api/person": {"summary": "Create a person", "responses": answer(ref("Person"))},
                "GET /api/person/{id}": {"responses": answer(ref("Person"))},
            },
            Person=thing(id="integer"),
        )
    )
    assert names["/api/person"] == names["/api/persons"]


def test_items_whose_list_has_another_name() -> None:
    names = named(
        api(
            {
                "GET /notifications": {"responses": answer(many("NotificationThread"))},
                "GET /notifications/threads/{id}": {"responses": answer(ref("NotificationThread"))},
            },
            NotificationThread=thing(id="integer"),
        )
    )
    assert names["/notifications/threads"] == "/notifications"


def test_items_without_a_collection_made_by_its_children() -> None:
    names = named(
        api(
            {
                "POST /p/{id}/constraints/requires": {"operationId": "addRequires"},
                "POST /p/{id}/constraints/excludes": {"operationId": "addExcludes"},
                "DELETE /p/{id}/constraints/{constraintId}": {},
            }
        )
    )
    assert set(names.values()) == {"/p/{id}/constraints"}


def test_filtered_views_without_schema_names() -> None:
    inline = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}
    names = named(
        api(
            {
                "GET /data/shots": {"responses": answer(inline)},
                "GET /data/shots/{shot_id}": {"responses": answer(inline["items"])},
                "POST /data/projects/{id}/shots": {
                    "summary": "Create a shot",
                    "responses": answer(inline["items"], "201"),
                },
                "GET /other/shots": {"responses": answer(inline)},
            }
        )
    )
    assert names["/data/shots"] == names["/data/projects/{id}/shots"]
    assert names["/other/shots"] == "/other/shots"


def test_a_view_of_the_same_things_by_another_key() -> None:
    names = named(
        api(
            {
                "GET /rules": {"responses": answer(many("Rule"))},
                "GET /rules/related-to/{thing}": {"responses": answer(many("Rule"))},
            },
            Rule=thing(id="integer"),
        )
    )
    assert set(names.values()) == {"/rules"}


def test_notes_of_different_things_stay_apart() -> None:
    names = named(
        api(
            {
                "GET /p/{id}/issues/{iid}/notes": {"responses": answer(many("Note"))},
                "POST /p/{id}/issues/{iid}/notes": {"responses": answer(ref("Note"), "201")},
                "DELETE /p/{id}/issues/{iid}/notes/{note_id}": {},
                "GET /p/{id}/merges/{iid}/notes": {"responses": answer(many("Note"))},
                "POST /p/{id}/merges/{iid}/notes": {"responses": answer(ref("Note"), "201")},
            },
            Note=thing(id="integer"),
        )
    )
    assert names["/p/{id}/merges/{iid}/notes"] == "/p/{id}/merges/{iid}/notes"


def test_items_kept_in_one_place_and_made_a_level_deeper() -> None:
    names = named(
        api(
            {
                "GET /r/{id}/issues/comments": {"responses": answer(many("Comment"))},
                "GET /r/{id}/issues/comments/{comment}": {"responses": answer(ref("Comment"))},
                "GET /r/{id}/issues/{index}/comments": {"responses": answer(many("Comment"))},
                "POST /r/{id}/issues/{index}/comments": {"responses": answer(ref("Comment"), "201")},
                "DELETE /r/{id}/issues/{index}/comments/{comment}": {},
            },
            Comment=thing(id="integer"),
        )
    )
    assert names["/r/{id}/issues/comments"] == names["/r/{id}/issues/{index}/comments"]
