"""Arazzo documents beside logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.export.shop import DOCUMENT, written
from tests.unit.export.test_arazzo_reader import FOREIGN

from lobrest.app.flows import prepare, told_apart, with_carried
from lobrest.app.pipeline import Reading
from lobrest.errors import InputError
from lobrest.export.arazzo_reader import Carried
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, Decider, ResourceModel, Source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written(tmp_path)
    (tmp_path / "theirs.arazzo.yaml").write_text(FOREIGN)
    return tmp_path


def test_documents_are_told_from_logs_by_what_is_in_them(folder: Path):
    (folder / "log.json").write_text('{"method": "GET"}\n')
    names = ["access.log", "theirs.arazzo.yaml", "log.json", "missing.yaml"]
    logs, flows = told_apart([str(folder / name) for name in names])
    assert [Path(one).name for one in logs] == ["access.log", "log.json", "missing.yaml"]
    assert [Path(one).name for one in flows] == ["theirs.arazzo.yaml"]


def test_workflows_are_slices_whose_values_are_bound(folder: Path):
    said: list[str] = []
    prepared = prepare(
        str(folder / "openapi.json"), [str(folder / "theirs.arazzo.yaml")], Reading(), said.append
    )
    assert [len(piece.entries) for piece in prepared.slices] == [1, 3]
    project, issue, look = prepared.slices[1].entries
    assert project.creates is not None
    assert issue.creates is not None
    assert issue.creates.parent == project.creates
    assert set(look.uses.values()) == {project.creates, issue.creates}
    assert any("flyToTheMoon" in line for line in said)


def test_logs_and_documents_together(folder: Path):
    alone = prepare(str(folder / "openapi.json"), [str(folder / "access.log")], Reading(), print)
    both = prepare(
        str(folder / "openapi.json"),
        [str(folder / "access.log"), str(folder / "theirs.arazzo.yaml")],
        Reading(),
        lambda _: None,
    )
    assert len(both.slices) == len(alone.slices) + 2
    assert both.slices[: len(alone.slices)] == alone.slices


def test_a_document_for_another_service_is_an_error(folder: Path):
    other = {**DOCUMENT, "paths": {"/x": {"get": {"responses": {"200": {"description": "x"}}}}}}
    (folder / "other.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="no workflow with a step of this service"):
        prepare(str(folder / "other.json"), [str(folder / "theirs.arazzo.yaml")], Reading(), lambda _: None)


def test_what_a_document_says_about_values_is_taken_over():
    model = ResourceModel("x", {}, {}, {}, {})
    ref = ParameterRef(OperationId("GET /b"), Location.QUERY, "token")
    told = with_carried(model, [Carried(ref, OperationId("POST /a"), "data/token")])
    assert told.creations[OperationId("POST /a")].decided_by is Decider.PERSON
    assert told.dependencies[ref].bindings == (Binding(Source.RESPONSE, "data/token"),)
    assert with_carried(model, [Carried(ref, OperationId("GET /a"), "x")]).dependencies == {}
