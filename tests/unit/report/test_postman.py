from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.report.tracker import AUTHORISATION, Start

from lobrest.model.bug import Bug
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Reproducer, ReproStep
from lobrest.report.postman import postman_collection
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import auth_variables

NEWMAN = shutil.which("newman")


def test_values_flow_by_collection_variables(bug: Bug) -> None:
    document = json.loads(postman_collection(reproducer_of(bug)))
    assert document["info"]["schema"].endswith("/v2.1.0/collection.json")
    first, second, third, last = document["item"]
    assert first["request"]["url"] == "{{LOBREST_TARGET}}/api/projects"
    assert '"shop-{{fresh1_json}}"' in first["request"]["body"]["raw"]
    assert second["request"]["url"] == "{{LOBREST_TARGET}}/api/projects/{{v1_url}}/issues"
    assert third["request"]["url"].endswith("/{{v1_url}}/issues/{{v2_url}}/close?notify=true")
    assert "to.not.equal(500)" in last["event"][-1]["script"]["exec"][0]
    assert any('keep("v1", ["id"].reduce' in line for line in first["event"][-1]["script"]["exec"])


def test_no_secret_is_in_it(bug: Bug) -> None:
    text = postman_collection(reproducer_of(bug))
    assert not any(secret in text for secret in ("hunter2", "leaked", "alice-secret"))


def test_hostile_names_stay_inside_their_strings() -> None:
    capture = Capture("v1", CaptureSource.BODY, 'a"]);process.exit(9)//')
    step = ReproStep(
        OperationId('GET /"x'), "GET", "/x/{{v1}}/{{other}}", body="{{v1}}", body_encoding=Encoding.RAW,
        captures=(capture,), expected=200,
    )  # fmt: skip
    document = json.loads(postman_collection(Reproducer(1, OperationId('GET /"x'), 500, "", (step, step))))
    lines = document["item"][0]["event"][0]["script"]["exec"]
    assert any('["a\\"]);process.exit(9)", "", ""]' in line for line in lines)
    assert document["item"][0]["request"]["url"] == "{{LOBREST_TARGET}}/x/{{v1_url}}/{{other}}"


@pytest.mark.skipif(NEWMAN is None, reason="newman is not installed (npm install --global newman)")
@pytest.mark.parametrize(("fault", "status"), [(True, 1), (False, 0)], ids=["fault on", "fault off"])
def test_newman_tells_the_bug(fault: bool, status: int, bug: Bug, start: Start, tmp_path: Path) -> None:
    reproducer = reproducer_of(bug)
    collection = tmp_path / "bug.postman_collection.json"
    collection.write_text(postman_collection(reproducer))
    running = start(first_id=600, fault=fault)
    variables = {"LOBREST_TARGET": running.url}
    for actor, variable in auth_variables(reproducer).items():
        variables[variable] = "Authorization: " + AUTHORISATION[actor]
    settings = [part for name, value in variables.items() for part in ("--env-var", f"{name}={value}")]
    result = subprocess.run(
        [NEWMAN or "", "run", str(collection), "--color", "off", *settings],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == status, result.stdout
    assert len(running.tracker.log) == 4
