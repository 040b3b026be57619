from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.report.campaign import campaign
from tests.unit.report.test_html import HOSTILE, hostile_campaign

from lobrest.model.bug import BugKind, Severity
from lobrest.model.exchange import Exchange, Failure
from lobrest.report.sarif import bug_identity, sarif_log


def test_a_third_party_reader_opens_it() -> None:
    reader = pytest.importorskip("sarif_pydantic", reason="sarif-pydantic is not installed")
    log = reader.Sarif.model_validate(json.loads(sarif_log(campaign().bugs, version="0.1.0")))
    (run,) = log.runs
    assert run.tool.driver.name == "lobrest"
    assert len(run.results) == 9
    rules = {rule.id for rule in run.tool.driver.rules}
    assert {result.rule_id for result in run.results} <= rules
    first = run.results[0]
    assert first.message.text.startswith(
        "POST /projects/{id}/merge_requests/{merge_request_iid}/revert answers 500"
    )
    assert first.locations[0].physical_location.artifact_location.uri == "openapi.json"


def test_steps_are_a_code_flow() -> None:
    result = json.loads(sarif_log(campaign().bugs))["runs"][0]["results"][0]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == 7
    assert steps[4]["location"]["message"]["text"].endswith("/approve as bela: 201")
    assert result["webResponse"]["statusCode"] == 500


def test_levels_and_rules() -> None:
    bugs = campaign().bugs
    lost = replace(
        bugs[0],
        key=replace(bugs[0].key, status=0),
        exchanges=(Exchange(bugs[0].exchanges[0].request, None, Failure.CLOSED),),
    )
    key = replace(bugs[0].key, status=200, kind=BugKind.SCHEMA)
    odd = replace(bugs[0], key=key, severity=Severity.LOW, evidence="id is text", exchanges=())
    known = replace(odd, severity=Severity.INFO)
    results = json.loads(sarif_log([lost, odd, known, bugs[8]]))["runs"][0]["results"]
    assert sorted((result["ruleId"], result["level"]) for result in results) == [
        ("no-answer", "error"),
        ("response-schema", "note"),
        ("response-schema", "warning"),
        ("server-error", "warning"),
    ]
    assert results[0]["webResponse"] == {"noResponseReceived": True}
    found = next(result for result in results if result["ruleId"] == "response-schema")
    assert "codeFlows" not in found and "id is text" in found["message"]["text"]


def test_the_identity_is_that_of_the_bug_and_not_of_the_run() -> None:
    first = campaign().bugs[0]
    later = replace(first, number=77, message="KeyError: other words", first_seen_s=9.0, exchanges=())
    assert bug_identity(first) == bug_identity(later)
    assert bug_identity(first) != bug_identity(replace(first, key=replace(first.key, status=502)))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_and_secrets(text: str) -> None:
    json.loads(sarif_log(hostile_campaign(text).bugs))
    assert "glpat-visible" not in sarif_log(campaign().bugs)
