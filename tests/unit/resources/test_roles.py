"""Who creates and who lists."""

from __future__ import annotations

import pytest
from tests.unit.resources.documents import answer, api, body, forge, many, ref, thing

from lobrest.model.operation import Json, OperationId
from lobrest.resources.catalogue import Catalogue
from lobrest.resources.roles import creators, listers, put_creators, queries


def test_creators_and_listers_of_a_service() -> None:
    catalogue = Catalogue(forge())
    listing = listers(catalogue)
    made = creators(catalogue, listing)
    assert set(made) == {
        "POST /admin/users",
        "POST /user/repos",
        "POST /repos/{owner}/{repo}/forks",
        "POST /repos/{owner}/{repo}/branches",
        "POST /repos/{owner}/{repo}/issues",
        "POST /repos/{owner}/{repo}/milestones",
    }
    assert "GET /user" not in listing and "GET /users/search" in listing
    assert all(role.reason and 0 < role.confidence <= 1 for role in (*made.values(), *listing.values()))


NOTHING: Json = {"204": {"description": ""}}


@pytest.mark.parametrize(
    ("operations", "created"),
    [
        # An action on an item, told by its answer, its path, or its text.
        ({"GET /jobs/{id}": {"responses": answer(ref("Job"))},
          "POST /jobs/{id}/retry": {"responses": answer(ref("Job"), "201")}}, set()),
        ({"POST /login": {"responses": answer(ref("Job"))}}, set()),
        ({"POST /search": {"summary": "Search jobs", "responses": answer(many("Job"))}}, set()),
        ({"GET /jobs": {"responses": answer(many("Job"))},
          "POST /jobs": {"summary": "Retrieves jobs by ids", "responses": answer(many("Job"))}}, set()),
        # Text that is a copy of something else does not count against an answer of 201.
        ({"GET /jobs": {"responses": answer(many("Job"))},
          "POST /jobs": {"summary": "Get jobs", "responses": answer(ref("Job"), "201")}}, {"POST /jobs"}),
        # A verb below a collection.
        ({"GET /jobs": {"responses": answer(many("Job"))},
          "POST /jobs/save": {"responses": answer(ref("Job"))}}, {"POST /jobs/save"}),
        # Another thing is kept elsewhere because of it.
        ({"GET /orders": {"responses": answer(many("Order"))},
          "GET /orders/{id}": {"responses": answer(ref("Order"))},
          "POST /cart/pay": {"responses": answer(ref("Order"), "201")}}, {"POST /cart/pay"}),
        # The client chooses the name.
        ({"GET /products/{name}": {"responses": answer(ref("Job"))},
          "DELETE /products/{name}": {"responses": NOTHING},
          "POST /products/{name}": {"operationId": "addProduct"}}, {"POST /products/{name}"}),
        # A link to what another place made is no creation.
        ({"GET /products/{p}/features": {"responses": answer(many("Job"))},
          "POST /products/{p}/features/{f}": {"operationId": "addFeature"},
          "DELETE /products/{p}/features/{f}": {},
          "DELETE /products/{p}/sets/{s}/features/{f}": {},
          "POST /products/{p}/sets/{s}/features/{f}": {"operationId": "addFeatureToSet"}},
         {"POST /products/{p}/features/{f}"}),
        ({"GET /labels": {"responses": answer(many("Label"))},
          "POST /labels": {"requestBody": body({"name": {"type": "string"}}),
                           "responses": answer(ref("Label"), "201")},
          "GET /jobs/{id}/labels": {"responses": answer(many("Label"))},
          "POST /jobs/{id}/labels": {"summary": "Add labels",
                                     "requestBody": body({"labels": {"type": "array"}}),
                                     "responses": answer(many("Label"))}}, {"POST /labels"}),
        # For a given key.
        ({"GET /statuses/{sha}": {"responses": answer(many("Job"))},
          "POST /statuses/{sha}": {"summary": "Create a status", "responses": answer(ref("Job"), "201")}},
         {"POST /statuses/{sha}"}),
        ({"GET /requests/{id}": {"responses": answer(ref("Job"))},
          "GET /requests/{id}/approvals": {"responses": answer(ref("Label"))},
          "POST /requests/{id}/unapprove": {"responses": answer(ref("Label"), "201")}}, set()),
        ({"POST /pictures/{id}.png": {"summary": "Create thumbnail"}}, set()),
    ],
)  # fmt: skip
def test_creators(operations: dict[str, dict[str, Json]], created: set[str]) -> None:
    spec = api(operations, Job=thing(id="integer"), Order=thing(id="integer"), Label=thing(id="integer"))
    catalogue = Catalogue(spec)
    assert set(creators(catalogue, listers(catalogue))) == created


@pytest.mark.parametrize(
    ("operation", "details", "lists"),
    [
        ("GET /jobs", {"responses": answer(many("Job"))}, True),
        ("GET /jobs/{id}", {"responses": answer(ref("Job"))}, False),
        ("GET /jobs/{job_id}", {"responses": answer(many("Job"))}, False),
        ("GET /times/{user}", {"responses": answer(many("Job"))}, True),
        ("GET /settings", {"responses": answer(ref("Job"))}, False),
        ("GET /jobs", {"summary": "List jobs"}, True),
        ("GET /health", {}, False),
        ("GET /all", {}, True),
        ("GET /items/{id}/comments",
         {"summary": "Get the comments of an item", "responses": answer(ref("Job"))}, True),
        ("GET /compare/{range}", {"responses": answer({"type": "object", "properties": {
            "jobs": many("Job"), "total_jobs": {"type": "integer"}}})}, False),
        ("GET /jobs/{id}.{kind}", {"responses": answer(many("Job"))}, False),
    ],
)  # fmt: skip
def test_listers(operation: str, details: dict[str, Json], lists: bool) -> None:
    spec = api({operation: details}, Job=thing(id="integer", name="string"))
    assert (OperationId(operation) in listers(Catalogue(spec))) is lists


def test_an_array_that_the_document_forgot() -> None:
    spec = api(
        {
            "GET /jobs": {"responses": answer(many("Job"))},
            "GET /runs/{id}/jobs": {"responses": answer(ref("Job"))},
        },
        Job=thing(id="integer"),
    )
    assert OperationId("GET /runs/{id}/jobs") in listers(Catalogue(spec))


def test_puts_that_create_under_a_chosen_name() -> None:
    spec = api(
        {
            "PUT /topics/{topic}": {"summary": "Create or update a topic"},
            "PUT /users/{id}": {"summary": "Create or update"},
            "GET /teams/{id}/members": {"responses": answer(many("User"))},
            "PUT /teams/{id}/members/{member}": {"summary": "Add a member"},
            "GET /people/{name}": {"responses": answer(ref("User"))},
        },
        User=thing(id="integer"),
    )
    catalogue = Catalogue(spec)
    found = put_creators(catalogue, creators(catalogue, listers(catalogue)))
    assert {identity: role.chosen for identity, role in found.items()} == {"PUT /topics/{topic}": "topic"}


def test_queries_by_post() -> None:
    spec = api(
        {
            "POST /jobs/filter": {"responses": answer(many("Job"))},
            "POST /jobs/count": {"responses": answer({"type": "integer"})},
        },
        Job=thing(id="integer"),
    )
    assert set(queries(Catalogue(spec))) == {"POST /jobs/filter"}


def test_narrow_decisions_are_doubts() -> None:
    doubts: set[OperationId] = set()
    spec = api({"POST /things/{id}/note": {"summary": "Create a note"}, "POST /things": {}})
    catalogue = Catalogue(spec)
    creators(catalogue, listers(catalogue), doubts)
    assert OperationId("POST /things/{id}/note") in doubts
