"""Path parameters."""

from __future__ import annotations

import pytest
from tests.unit.resources.documents import answer, api, forge, many, ref, thing

from lobrest.model.operation import ApiSpec, Json, Location
from lobrest.resources.landscape import Landscape
from lobrest.resources.paths import path_references


def found(spec: ApiSpec) -> dict[tuple[str, str], str]:
    references = path_references(Landscape(spec))
    assert all(one.location is Location.PATH for one in references)
    return {(one.operation, one.pointer): reference.resource for one, reference in references.items()}


@pytest.mark.parametrize(
    ("operation", "parameter", "resource"),
    [
        ("GET /repos/{owner}/{repo}", "owner", "/admin/users"),
        ("GET /repos/{owner}/{repo}", "repo", "/user/repos"),
        ("GET /repos/{owner}/{repo}/branches/{branch}", "branch", "/repos/{owner}/{repo}/branches"),
        ("GET /repos/{owner}/{repo}/issues/{index}", "index", "/repos/{owner}/{repo}/issues"),
        ("GET /users/{username}/repos", "username", "/admin/users"),
        ("PUT /repos/{owner}/{repo}/collaborators/{collaborator}", "collaborator", "/admin/users"),
        (
            "DELETE /repos/{owner}/{repo}/collaborators/{collaborator}",
            "collaborator",
            "/repos/{owner}/{repo}/collaborators",
        ),
    ],
)
def test_a_service(operation: str, parameter: str, resource: str) -> None:
    assert found(forge())[operation, parameter] == resource


SCHEMAS: dict[str, Json] = {
    "Employee": thing(employeeId="integer", department="@Department"),
    "Department": thing(departmentId="integer"),
    "Commit": thing(sha="string"),
    "Time": thing(id="integer"),
    "User": thing(id="integer", login="string"),
}
COMMITS: dict[str, dict[str, Json]] = {
    "GET /commits": {"responses": answer(many("Commit"))},
    "GET /commits/{sha}": {"responses": answer(ref("Commit"))},
}


@pytest.mark.parametrize(
    ("operations", "key", "resource"),
    [
        # The parameter names another thing than the path before it.
        ({"GET /employees": {"responses": answer(many("Employee"))},
          "GET /departments": {"responses": answer(many("Department"))},
          "GET /employees/data/department/{departmentId}": {"responses": answer(many("Employee"))}},
         ("GET /employees/data/department/{departmentId}", "departmentId"), "/departments"),
        ({"GET /times": {"responses": answer(many("Time"))},
          "GET /users": {"responses": answer(many("User"))},
          "GET /times/{user}": {"responses": answer(many("Time"))}}, ("GET /times/{user}", "user"), "/users"),
        # By an attribute.
        ({"GET /employees": {"responses": answer(many("Employee"))},
          "GET /employees/badge/{badge}": {"responses": answer(ref("Employee"))}},
         ("GET /employees/badge/{badge}", "badge"), "/employees"),
        # The name identifies it elsewhere.
        ({**COMMITS, "GET /notes/{sha}": {}}, ("GET /notes/{sha}", "sha"), "/commits"),
        ({**COMMITS, "GET /statuses/{sha}": {"responses": answer(many("Time"))}},
         ("GET /statuses/{sha}", "sha"), "/commits"),
        ({**COMMITS, "GET /commits/{sha}/statuses": {"responses": answer(many("Time"))},
          "POST /statuses/{sha}": {"summary": "Set the status"}}, ("POST /statuses/{sha}", "sha"), "/commits"),
        # The client names what it creates.
        ({"POST /products/{name}": {"operationId": "addProduct"}, "GET /products/{name}": {}},
         ("POST /products/{name}", "name"), None),
        # Nothing is known.
        ({"GET /calc/{a}/{b}": {}}, ("GET /calc/{a}/{b}", "a"), None),
        ({**COMMITS, "GET /commits/{sha}.{kind}": {}}, ("GET /commits/{sha}.{kind}", "kind"), None),
    ],
)  # fmt: skip
def test_rules(operations: dict[str, dict[str, Json]], key: tuple[str, str], resource: str | None) -> None:
    assert found(api(operations, **SCHEMAS)).get(key) == resource


def test_a_member_made_from_a_user_is_a_member() -> None:
    spec = api(
        {
            "GET /users": {"responses": answer(many("User"))},
            "GET /groups/{id}/members": {"responses": answer(many("Member"))},
            "POST /groups/{id}/members": {
                "summary": "Add a member",
                "parameters": [{"name": "user_id", "in": "query", "schema": {"type": "integer"}}],
                "responses": answer(ref("Member"), "201"),
            },
            "PUT /groups/{id}/members/{user_id}": {"responses": answer(ref("Member"))},
        },
        User=thing(id="integer"),
        Member=thing(id="integer", access_level="integer"),
    )
    assert found(spec)["PUT /groups/{id}/members/{user_id}", "user_id"] == "/groups/{id}/members"
