"""Web Fuzzing Commons reports."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest
from tests.unit.app.test_baseline import summary

from lobrest.model.summary import OperationResult, OperationTotals
from lobrest.report.wfc import wfc_report

CODES = {*range(100, 105), *range(200, 207), *range(900, 1000)}
"""Those that the schema of the format allows."""


def report(**kinds: str) -> dict:
    told = summary("a", "b")
    bugs = tuple(replace(bug, kind=kinds.get(bug.identity, bug.kind)) for bug in told.bugs)
    operations = OperationTotals(
        2,
        1,
        1,
        (OperationResult("GET /a", "m", {"200": 2, "500": 1, "0": 1}), OperationResult("GET /x", "m", {})),
    )
    told = replace(told, bugs=bugs, operations=operations)
    return json.loads(wfc_report(told, version="1.2.3", written="2026-01-05T09:00:00+00:00"))


def test_faults_operations_and_test_cases():
    told = report()
    assert datetime.fromisoformat(told["creationTime"]).tzinfo is not None
    assert told["faults"]["totalNumber"] == 2
    first = told["faults"]["foundFaults"][0]
    assert first["operationId"] == first["endpointId"] == "GET:/a"
    assert first["faultCategories"] == [{"code": 100, "context": "boom a more"}]
    cases = {one["id"] for one in told["testCases"]}
    assert first["testCaseId"] in cases
    assert told["testFilePaths"] == ["bugs/1/repro.py", "bugs/2/repro.py"]
    rest = told["problemDetails"]["rest"]
    assert rest["endpointIds"] == ["GET:/a", "GET:/x"]
    (covered,) = rest["coveredHttpStatus"]
    assert covered == {"endpointId": "GET:/a", "testCaseId": "campaign", "httpStatus": [200, 500]}
    assert covered["testCaseId"] in cases
    assert rest["outputHttpCalls"] == 4


@pytest.mark.parametrize("kind", ["response-schema", "foreign-read", "secret", "slow", "made up later"])
def test_every_kind_has_a_code_that_the_format_knows(kind: str):
    (category,) = report(a=kind)["faults"]["foundFaults"][0]["faultCategories"]
    assert category["code"] in CODES
    if category["code"] >= 900:
        assert category["context"].startswith(f"{kind}: ")
