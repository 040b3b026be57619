"""Query, header and body parameters."""

from __future__ import annotations

import pytest
from tests.unit.resources.documents import answer, api, body, forge, many, ref, thing

from lobrest.model.operation import ApiSpec, Json
from lobrest.resources.fields import field_references
from lobrest.resources.landscape import Landscape
from lobrest.resources.paths import path_references


def found(spec: ApiSpec) -> dict[tuple[str, str], str]:
    land = Landscape(spec)
    references = field_references(land, path_references(land))
    return {(one.operation, one.pointer): reference.resource for one, reference in references.items()}


@pytest.mark.parametrize(
    ("operation", "pointer", "resource"),
    [
        ("POST /repos/{owner}/{repo}/issues", "assignees/*", "/admin/users"),
        ("POST /repos/{owner}/{repo}/issues", "milestone", "/repos/{owner}/{repo}/milestones"),
        ("POST /repos/{owner}/{repo}/issues", "base", "/repos/{owner}/{repo}/branches"),
        ("POST /repos/{owner}/{repo}/issues", "title", None),
        ("POST /repos/{owner}/{repo}/issues", "due", None),
        ("GET /repos/{owner}/{repo}/issues", "created_by", "/admin/users"),
        ("GET /repos/{owner}/{repo}/issues", "sort", None),
        ("POST /repos/{owner}/{repo}/branches", "old_branch_name", "/repos/{owner}/{repo}/branches"),
        ("POST /repos/{owner}/{repo}/branches", "new_branch_name", None),
        ("POST /repos/{owner}/{repo}/transfer", "new_owner", "/admin/users"),
        ("PATCH /repos/{owner}/{repo}", "default_branch", "/repos/{owner}/{repo}/branches"),
        ("PATCH /repos/{owner}/{repo}", "name", None),
        ("POST /admin/users", "username", None),
        ("POST /user/repos", "name", None),
    ],
)
def test_a_service(operation: str, pointer: str, resource: str | None) -> None:
    assert found(forge()).get((operation, pointer)) == resource


def query(*names: str, kind: str = "string", description: str = "") -> Json:
    return [
        {"name": name, "in": "query", "schema": {"type": kind}, "description": description} for name in names
    ]


GROUPS: dict[str, dict[str, Json]] = {
    "GET /groups": {"responses": answer(many("Group"))},
    "POST /groups": {
        "summary": "Create a group",
        "requestBody": body(
            {"parent_id": {"type": "integer"}, "id": {"type": "integer"}, "name": {"type": "string"}}
        ),
        "responses": answer(ref("Group"), "201"),
    },
    "GET /groups/{id}": {"responses": answer(ref("Group"))},
}
DEPARTMENTS: dict[str, dict[str, Json]] = {
    "GET /departments": {"responses": answer(many("Department"))},
    "POST /departments": {"requestBody": body({"departmentId": {"type": "integer"},
                                               "location": ref("Location")}),
                          "responses": answer(ref("Department"), "201")},
    "PUT /departments": {"requestBody": body({"departmentId": {"type": "integer"},
                                              "departmentName": {"type": "string"}}),
                         "responses": answer(ref("Department"))},
    "GET /locations": {"responses": answer(many("Location"))},
}  # fmt: skip
SCHEMAS: dict[str, Json] = {
    "Group": thing(id="integer", name="string"),
    "Department": thing(departmentId="integer", departmentName="string", location="@Location"),
    "Location": thing(locationId="integer", city="string"),
    "User": thing(id="integer", login="string"),
    "Team": thing(id="integer", name="string"),
    "Reviewer": thing(id="integer"),
}


@pytest.mark.parametrize(
    ("operations", "key", "resource"),
    [
        (GROUPS, ("POST /groups", "parent_id"), "/groups"),
        (GROUPS, ("POST /groups", "id"), None),
        (GROUPS, ("POST /groups", "name"), None),
        ({**GROUPS, "POST /groups/{id}/share": {"parameters": query("group_id", kind="integer")}},
         ("POST /groups/{id}/share", "group_id"), "/groups"),
        ({**GROUPS, "DELETE /groups": {"parameters": query("id")}}, ("DELETE /groups", "id"), "/groups"),
        # The identity of an embedded copy; one's own only when it exists already.
        (DEPARTMENTS, ("POST /departments", "location/locationId"), "/locations"),
        (DEPARTMENTS, ("POST /departments", "departmentId"), None),
        (DEPARTMENTS, ("PUT /departments", "departmentId"), "/departments"),
        (DEPARTMENTS, ("PUT /departments", "departmentName"), None),
        # A name beside a password logs in elsewhere.
        ({"GET /users": {"responses": answer(many("User"))},
          "POST /mirrors": {"requestBody": body({"remote_username": {"type": "string"},
                                                 "remote_password": {"type": "string"}})}},
         ("POST /mirrors", "remote_username"), None),
        # Attributes are no things.
        ({"GET /statuses": {"responses": answer(many("Group"))},
          "GET /jobs": {"parameters": query("status")}},
         ("GET /jobs", "status"), None),
        # Reviewers that are teams.
        ({"GET /teams": {"responses": answer(many("Team"))},
          "GET /reviewers": {"responses": answer(many("Reviewer"))},
          "POST /pulls": {"requestBody": body(
              {"team_reviewers": {"type": "array", "items": {"type": "string"}}})}},
         ("POST /pulls", "team_reviewers/*"), "/teams"),
        ({"GET /users": {"responses": answer(many("User"))},
          "GET /x": {"parameters": query("uid", kind="integer")}},
         ("GET /x", "uid"), "/users"),
        ({"GET /users": {"responses": answer(many("User"))}, "GET /x": {"parameters": query("order_by")}},
         ("GET /x", "order_by"), None),
        # The description alone.
        ({**GROUPS, "GET /x": {"parameters": query("g", description="ID of the group")}},
         ("GET /x", "g"), "/groups"),
    ],
)  # fmt: skip
def test_rules(operations: dict[str, dict[str, Json]], key: tuple[str, str], resource: str | None) -> None:
    assert found(api(operations, **SCHEMAS)).get(key) == resource


def test_headers_refer_too_but_not_the_plain_ones() -> None:
    headers: Json = [
        {"name": name, "in": "header", "schema": {"type": "string"}}
        for name in ("X-Group-Id", "Authorization")
    ]
    spec = api({**GROUPS, "GET /x": {"parameters": headers}}, **SCHEMAS)
    assert {key[1] for key in found(spec) if key[0] == "GET /x"} == {"X-Group-Id"}


def test_an_update_means_what_the_creation_means() -> None:
    spec = api(
        {
            **GROUPS,
            "POST /jobs": {
                "summary": "Create a job",
                "requestBody": body({"g": {"type": "string", "description": "name of the group"}}),
                "responses": answer(ref("Team"), "201"),
            },
            "GET /jobs": {"responses": answer(many("Team"))},
            "PATCH /jobs/{id}": {"requestBody": body({"g": {"type": "string"}})},
        },
        **SCHEMAS,
    )
    assert found(spec)["PATCH /jobs/{id}", "g"] == "/groups"


@pytest.mark.parametrize(
    ("operation", "details", "pointer", "resource"),
    [
        ("PUT /groups", {"requestBody": body({"id": {"type": "integer"}})}, "id", "/groups"),
        ("PUT /groups/{id}", {"requestBody": body({"id": {"type": "integer"}})}, "id", None),
        (
            "GET /groups/all",
            {"parameters": query("ids"), "responses": answer(many("Group"))},
            "ids",
            "/groups",
        ),
        ("GET /groups/all", {"parameters": query("id"), "responses": answer(many("Group"))}, "id", None),
    ],
)
def test_identities_outside_the_path(
    operation: str, details: dict[str, Json], pointer: str, resource: str | None
) -> None:
    assert found(api({**GROUPS, operation: details}, **SCHEMAS)).get((operation, pointer)) == resource
