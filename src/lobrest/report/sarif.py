"""SARIF 2.1.0, as code-scanning services read it. A bug keeps its fingerprint from run to run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from lobrest.fuzz.oracles.catalogue import FAULT_CODES
from lobrest.model.bug import Bug, BugKind, Severity
from lobrest.model.exchange import Exchange, Headers
from lobrest.model.operation import Json
from lobrest.report.derive import by_importance
from lobrest.report.secrets import mask_headers, mask_target, mask_text
from lobrest.report.wording import KINDS, count, happening, one_line, visible

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_NO_ANSWER = "no-answer"
_RULES = {
    **{str(kind): text for kind, text in KINDS.items()},
    _NO_ANSWER: "The service gives no answer to a request",
}
_LEVELS = {
    Severity.INFO: "note",
    Severity.LOW: "warning",
    Severity.MEDIUM: "warning",
    Severity.HIGH: "error",
}
_BASELINE_STATES = {"new": "new", "known": "unchanged"}


def sarif_log(
    bugs: Iterable[Bug],
    *,
    artifact: str = "openapi.json",
    version: str = "",
    states: Mapping[int, str] | None = None,
) -> str:
    """The log. ``artifact`` is the specification's place in the repository: results must stand in a file.

    ``states`` says of bugs by number whether they are ``new`` or ``known`` since the baseline.
    """
    used = by_importance(bugs)
    rules: list[Json] = [_rule_entry(rule, text) for rule, text in _RULES.items()]
    results: list[Json] = []
    for bug in used:
        result = _result(bug, artifact)
        state = _BASELINE_STATES.get((states or {}).get(bug.number, ""))
        results.append(result if state is None else {**result, "baselineState": state})
    driver: dict[str, Json] = {"name": "lobrest", "rules": rules}
    if version:
        driver["version"] = version
    document: Json = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}],
    }
    return json.dumps(document, indent=1) + "\n"


def bug_identity(bug: Bug) -> str:
    """Equal for the same bug in every run: for baselines and fingerprints."""
    return bug.key.identity


def _result(bug: Bug, artifact: str) -> dict[str, Json]:
    answer = happening(bug.kind, bug.key.status)
    steps = len(bug.exchanges)
    result: dict[str, Json] = {
        "ruleId": _rule(bug),
        "level": _LEVELS[bug.severity] if bug.confirmed or bug.severity is Severity.INFO else "warning",
        "message": {
            "text": f"{one_line(bug.key.operation, 300)} {answer}: {one_line(bug.message, 400)} "
            f"{f'– {one_line(bug.evidence, 300)} ' if bug.evidence else ''}"
            f"({count(steps, 'step')}; bugs/{bug.number}/repro.sh)"
        },
        "locations": [_location(bug.key.operation, artifact)],
        "partialFingerprints": {"lobrestBug/v1": bug_identity(bug)},
        "occurrenceCount": max(1, bug.count),
        "codeFlows": [
            {"threadFlows": [{"locations": [_step(exchange, artifact) for exchange in bug.exchanges]}]}
        ],
    }
    if not bug.exchanges:
        del result["codeFlows"]
        return result
    last = bug.exchanges[-1]
    request: dict[str, Json] = {
        "protocol": "http",
        "method": one_line(last.request.method, 20),
        "target": visible(mask_target(last.request.target), 2000),
        "headers": _headers(last.request.headers),
    }
    if last.request.body is not None:
        request["body"] = {"text": _text(last.request.body)}
    result["webRequest"] = request
    if last.response is None:
        result["webResponse"] = {"noResponseReceived": True}
    else:
        result["webResponse"] = {
            "statusCode": last.response.status,
            "headers": _headers(last.response.headers),
            "body": {"text": _text(last.response.body)},
        }
    return result


def _step(exchange: Exchange, artifact: str) -> Json:
    request = exchange.request
    actor = f" as {one_line(request.actor, 40)}" if request.actor else ""
    location = _location(request.operation, artifact)
    location["message"] = {
        "text": f"{one_line(request.method, 20)} {visible(mask_target(request.target), 400)}{actor}: "
        f"{exchange.status or exchange.failure or 'no answer'}"
    }
    return {"location": location}


def _location(operation: str, artifact: str) -> dict[str, Json]:
    return {
        "physicalLocation": {"artifactLocation": {"uri": artifact}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": one_line(operation, 300), "kind": "function"}],
    }


def _headers(headers: Headers) -> dict[str, Json]:
    return {one_line(name, 80): one_line(value, 200) for name, value in mask_headers(headers)}


def _text(body: bytes) -> str:
    return visible(mask_text(body[:40_000].decode("utf-8", "backslashreplace")), 4000)


def _rule(bug: Bug) -> str:
    return _NO_ANSWER if bug.kind is BugKind.SERVER_ERROR and not bug.key.status else str(bug.kind)


def _rule_entry(rule: str, text: str) -> Json:
    entry: dict[str, Json] = {"id": rule, "shortDescription": {"text": text}}
    code = FAULT_CODES.get(BugKind(rule)) if rule in set(BugKind) else None
    if code is not None:
        entry["properties"] = {"tags": [f"wfc-F{code}"]}
    return entry
