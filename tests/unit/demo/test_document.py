from __future__ import annotations

import pytest
from openapi_spec_validator import validate

from lobrest.demo.catalogue import MODULES
from lobrest.demo.document import openapi_document


@pytest.fixture(scope="module")
def document():
    return openapi_document(MODULES, "http://127.0.0.1:1/api/v1")


def operations(document):
    return [operation for item in document["paths"].values() for operation in item.values()]


def test_it_is_valid(document):
    validate(document)


def test_it_says_where_the_service_is(document):
    assert document["servers"] == [{"url": "http://127.0.0.1:1/api/v1"}]


def test_every_operation_is_complete(document):
    tags = {tag["name"] for tag in document["tags"]}
    for operation in operations(document):
        assert set(operation["tags"]) <= tags
        assert operation["summary"]
        success, *failures = operation["responses"]
        assert success in ("200", "201", "204")
        assert "401" in failures
        for parameter in operation.get("parameters", ()):
            assert parameter["schema"]


def test_limits_formats_and_enums_are_declared(document):
    schemas = document["components"]["schemas"]
    (per_page,) = (p for p in document["paths"]["/users"]["get"]["parameters"] if p["name"] == "per_page")
    assert (per_page["schema"]["minimum"], per_page["schema"]["maximum"]) == (1, 100)
    assert schemas["GroupCreate"]["properties"]["path"]["maxLength"] == 64
    assert schemas["TokenCreate"]["properties"]["name"]["type"] == "string"
    assert schemas["UserCreate"]["properties"]["email"]["format"] == "email"
    assert schemas["Issue"]["properties"]["created_at"]["format"] == "date-time"
    assert schemas["Role"]["enum"] == ["developer", "guest", "maintainer", "owner"]
    assert schemas["IssueCreate"]["required"] == ["title"]


def test_queries_are_parameters_and_not_components(document):
    assert not [name for name in document["components"]["schemas"] if name.endswith(("Query", "Paging"))]


def test_a_body_is_required_when_one_of_its_fields_is(document):
    assert document["paths"]["/projects"]["post"]["requestBody"]["required"] is True
    approve = document["paths"]["/projects/{id}/merge_requests/{merge_request_iid}/approve"]["post"]
    assert approve["requestBody"]["required"] is False


def test_there_is_nothing_that_helps_an_analysis_artificially(document):
    text = repr(document)
    assert "'links'" not in text
    assert "'x-" not in text
