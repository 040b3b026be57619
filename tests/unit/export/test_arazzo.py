"""Arazzo documents."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from lobrest.app.export import Exportable
from lobrest.export.arazzo import SEGMENT_FIELD, USER_FIELD, arazzo_document, document_text
from lobrest.export.flow import Flow
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind, ReproStep


def test_outputs_are_named_and_used():
    first = ReproStep(
        OperationId("POST /projects"), "POST", "/api/projects",
        headers=(("Content-Type", "application/json"), ("X-Trace", "t")),
        body='{"name": "shop-{{new}}", "password": "{{new_secret}}"}', body_encoding=Encoding.JSON, actor="ann",
        captures=(
            Capture("project_id", CaptureSource.BODY, "data/id"),
            Capture("place", CaptureSource.LOCATION, "-2"),
        ),
        expected=201,
    )  # fmt: skip
    second = ReproStep(
        OperationId("GET /projects/{id}"),
        "GET",
        "/api/projects/{{project_id}}?of={{place}}&of=x",
        expected=200,
    )
    fresh = (Fresh("new", FreshKind.HEX, 8), Fresh("new_secret", FreshKind.SECRET, 12))
    document = arazzo_document([Flow("f", (first, second), fresh)], service="Shop", source="openapi.json")
    (workflow,) = document["workflows"]
    one, two = workflow["steps"]
    assert one["operationPath"] == "{$sourceDescriptions.service.url}#/paths/~1projects/post"
    assert one["requestBody"] == {
        "contentType": "application/json",
        "payload": {"name": "shop-{$inputs.new}", "password": "$inputs.new_secret"},
    }
    assert one["outputs"] == {
        "project_id": "$response.body#/data/id",
        "place": "$response.header.Location",
    }
    assert one[SEGMENT_FIELD] == {"place": -2}
    assert one[USER_FIELD] == "ann"
    assert one["parameters"] == [{"name": "X-Trace", "in": "header", "value": "t"}]
    assert two["parameters"] == [
        {"name": "id", "in": "path", "value": "$steps.step1.outputs.project_id"},
        {"name": "of", "in": "query", "value": ["$steps.step1.outputs.place", "x"]},
    ]
    assert workflow["inputs"]["required"] == ["new", "new_secret"]
    assert workflow["inputs"]["properties"]["new_secret"]["format"] == "password"


def test_operations_go_by_their_id_where_they_have_one(played: Exportable):
    document = arazzo_document(played.flows, service="Shop", source="openapi.json", spec=played.spec)
    steps = [step for workflow in document["workflows"] for step in workflow["steps"]]
    assert {step.get("operationId") for step in steps} >= {"createProject", "createIssue"}
    assert any("operationPath" in step for step in steps)


def test_yaml_and_json_say_the_same(played: Exportable):
    document = arazzo_document(played.flows, service="Shop", source="openapi.json")
    written = document_text(document, as_json=False)
    assert "&id" not in written
    assert yaml.safe_load(written) == json.loads(document_text(document, as_json=True)) == document


@pytest.mark.skipif(
    not shutil.which("spectral"),
    reason="spectral is not installed (npm install --global @stoplight/spectral-cli)",
)
@pytest.mark.parametrize("kind", ["played", "unplayed"])
def test_a_validator_that_is_not_ours_finds_no_error(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
):
    known: Exportable = request.getfixturevalue(kind)
    path = tmp_path / "flows.arazzo.yaml"
    document = arazzo_document(known.flows, service="Shop", source="openapi.json", spec=known.spec)
    path.write_text(document_text(document, as_json=False))
    rules = tmp_path / "rules.yaml"
    rules.write_text('extends: ["spectral:arazzo"]\n')
    result = subprocess.run(
        ["spectral", "lint", "--ruleset", str(rules), "--fail-severity", "error", str(path)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
