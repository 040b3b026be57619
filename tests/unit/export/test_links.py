"""OpenAPI links as an overlay."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from openapi_spec_validator import validate
from tests.unit.export.shop import DOCUMENT

from lobrest.app.export import Exportable
from lobrest.export.links import links_overlay
from lobrest.spec import load_spec


def overlay(known: Exportable) -> dict:
    assert known.spec is not None
    assert known.model is not None
    return links_overlay(known.spec, known.model, source="openapi.json")


def applied(document: dict, actions: list) -> dict:
    """Just what an overlay tool does for targets like ours."""
    patched = copy.deepcopy(document)
    for action in actions:
        path, method, status = re.fullmatch(
            r"\$\.paths\['(.+)'\]\.(\w+)\.responses\['(\w+)'\]", action["target"]
        ).groups()
        patched["paths"][path][method]["responses"][status] |= action["update"]
    return patched


def test_creations_lead_to_what_uses_them(unplayed: Exportable):
    patched = applied(DOCUMENT, overlay(unplayed)["actions"])
    links = patched["paths"]["/projects"]["post"]["responses"]["201"]["links"]
    assert links["getProject"] == {
        "operationId": "getProject",
        "parameters": {"path.id": "$response.body#/id"},
    }
    inner = patched["paths"]["/projects/{id}/issues"]["post"]["responses"]["201"]["links"]["closeIssue"]
    assert inner["parameters"] == {
        "path.issue_iid": "$response.body#/iid",
        "path.id": "$request.path.id",
    }


def test_the_document_stays_valid_and_the_links_are_read(unplayed: Exportable):
    patched = applied(DOCUMENT, overlay(unplayed)["actions"])
    validate(patched)
    spec = load_spec(json.dumps(patched).encode(), name="x")
    assert sum(len(answer.links) for one in spec.operations.values() for answer in one.answers.values()) >= 6


@pytest.mark.skipif(
    not shutil.which("oas-patch"), reason="oas-patch is not installed (pip install oas-patch)"
)
def test_an_overlay_tool_that_is_not_ours_applies_it(unplayed: Exportable, tmp_path: Path):
    base, path, out = (tmp_path / name for name in ("openapi.json", "links.json", "out.json"))
    base.write_text(json.dumps(DOCUMENT))
    path.write_text(json.dumps(overlay(unplayed)))
    command = ["oas-patch", "overlay", str(base), str(path), "-o", str(out)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads(out.read_text()) == applied(DOCUMENT, overlay(unplayed)["actions"])
