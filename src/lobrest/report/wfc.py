"""A campaign's result in the report format of Web Fuzzing Commons, so that fuzzers can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from lobrest.fuzz.oracles.catalogue import FAULT_CODES
from lobrest.model.bug import Bug
from lobrest.model.operation import Json
from lobrest.model.summary import BugResult, OperationResult, Summary
from lobrest.report.wording import one_line, split_operation

SCHEMA_VERSION: Final = "0.6.0"
_CAMPAIGN: Final = "campaign"
_OWN_CODE: Final = 900
"""The format keeps 900 to 999 for what its catalogue has no word for; the context says which."""


def wfc_report(
    summary: Summary, bugs: Iterable[Bug] = (), *, version: str, written: str, scripts: str = "bugs"
) -> str:
    """The report. ``written`` is when, with its zone; ``scripts`` is the folder of the reproducers beside it.

    A test case is the reproducer of a bug. What was answered in the campaign besides is told of a test case
    that has no file of its own.
    """
    steps = {bug.number: len(bug.exchanges) for bug in bugs}
    files = [f"{scripts}/{bug.n}/repro.py" for bug in summary.bugs]
    cases: list[Json] = [
        {"id": f"{file}#main", "filePath": file, "name": f"bug {bug.n}"}
        for file, bug in zip(files, summary.bugs, strict=True)
    ]
    document: Json = {
        "schemaVersion": SCHEMA_VERSION,
        "toolName": "lobrest",
        "toolVersion": version,
        "creationTime": written,
        "faults": {
            "totalNumber": len({(bug.op, _code(bug), _context(bug)) for bug in summary.bugs}),
            "foundFaults": [
                _fault(bug, f"{file}#main") for file, bug in zip(files, summary.bugs, strict=True)
            ],
        },
        "problemDetails": {
            "rest": {
                "outputHttpCalls": sum(steps.get(bug.n, bug.steps) for bug in summary.bugs),
                "evaluatedHttpCalls": summary.requests,
                "endpointIds": [_endpoint(operation.op) for operation in summary.operations.list],
                "coveredHttpStatus": [_covered(one) for one in summary.operations.list if one.statuses],
            }
        },
        "totalTests": len(cases),
        "testFilePaths": list[Json](files),
        "testCases": [*cases, {"id": _CAMPAIGN, "name": "all requests of the campaign"}],
        "executionTimeInSeconds": round(summary.duration_s),
    }
    return json.dumps(document, indent=1) + "\n"


def _fault(bug: BugResult, test: str) -> Json:
    endpoint = _endpoint(bug.op)
    return {
        "operationId": endpoint,
        "endpointId": endpoint,  # the schema requires the one and describes the other
        "testCaseId": test,
        "faultCategories": [{"code": _code(bug), "context": _context(bug)}],
    }


def _covered(operation: OperationResult) -> Json:
    statuses = sorted({int(one) for one in operation.statuses if one.isdigit()})
    return {
        "endpointId": _endpoint(operation.op),
        "testCaseId": _CAMPAIGN,
        "httpStatus": [status for status in statuses if 0 < status < 600],
    }


def _endpoint(operation: str) -> str:
    method, path = split_operation(operation)
    return f"{method}:{path}"


def _code(bug: BugResult) -> int:
    return next((code for kind, code in FAULT_CODES.items() if kind == bug.kind), _OWN_CODE)


def _context(bug: BugResult) -> str:
    message = one_line(bug.message, 200)
    return f"{bug.kind}: {message}" if _code(bug) == _OWN_CODE else message
