"""OpenAPI links."""

from __future__ import annotations

from tests.unit.resources.documents import api

from lobrest.model.operation import Json
from lobrest.resources.links import linked_values


def linked(**link: Json) -> list[tuple[str, str, str, str, str]]:
    spec = api(
        {
            "POST /jobs": {"responses": {"201": {"description": "", "links": {"l": link}}}},
            "GET /jobs/{id}": {"operationId": "getJob"},
        }
    )
    return [(v.source, v.pointer, v.target, v.location, v.parameter) for v in linked_values(spec)]


EXPECTED = [("POST /jobs", "job/id", "GET /jobs/{id}", "path", "id")]
FROM: Json = "$response.body#/job/id"


def test_by_operation_id_and_by_reference() -> None:
    assert linked(operationId="getJob", parameters={"id": FROM}) == EXPECTED
    assert linked(operationId="getJob", parameters={"path.id": FROM}) == EXPECTED
    assert linked(operationRef="#/paths/~1jobs~1{id}/get", parameters={"id": FROM}) == EXPECTED


def test_links_that_lead_nowhere_are_left() -> None:
    assert linked(operationId="nobody", parameters={"id": FROM}) == []
    assert linked(operationRef="elsewhere.yaml#/x", parameters={"id": FROM}) == []
    assert linked(operationId="getJob", parameters={"other": FROM}) == []
    assert linked(operationId="getJob", parameters={"id": "$request.path.id"}) == []
