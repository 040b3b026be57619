"""Arazzo documents of other people."""

from __future__ import annotations

import json

import pytest
from tests.unit.export.shop import DOCUMENT

from lobrest.errors import InputError
from lobrest.export.arazzo_reader import Carried, is_arazzo, read_arazzo
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.spec import load_spec

SPEC = load_spec(json.dumps(DOCUMENT).encode(), name="openapi.json")

FOREIGN = """\
arazzo: 1.0.0
info: {title: Somebody else's, version: 1.0.0}
sourceDescriptions: [{name: shop, url: ./openapi.json, type: openapi}]
workflows:
  - workflowId: makeProject
    inputs:
      type: object
      properties:
        title: {type: string, default: Books}
        color: {type: string}
    steps:
      - stepId: create
        operationId: $sourceDescriptions.shop.createProject
        requestBody:
          contentType: application/json
          payload: '{"name": "{$inputs.title}", "color": {$inputs.color}}'
        successCriteria: [{condition: $statusCode == 201}]
        onFailure: [{name: again, type: retry}]
        outputs: {id: $response.body#/id, whole: $response.body}
    outputs: {project: $steps.create.outputs.id}
  - workflowId: writeIssue
    inputs: {$ref: '#/components/inputs/words'}
    parameters:
      - reference: $components.parameters.trace
    steps:
      - stepId: first
        workflowId: makeProject
        parameters: [{name: title, value: From outside}]
        outputs: {project: $outputs.project}
      - stepId: write
        operationPath: '{$sourceDescriptions.shop.url}#/paths/~1projects~1{id}~1issues/post'
        parameters: [{name: id, in: path, value: $steps.first.outputs.project}]
        requestBody:
          payload: {title: none, note: costs $5}
          replacements: [{target: /title, value: $inputs.word}]
        outputs: {number: $response.body#/iid}
      - stepId: look
        operationPath: '{$sourceDescriptions.shop.url}#/paths/~1projects~1{id}~1issues~1{issue_iid}/get'
        parameters:
          - {name: id, in: path, value: $steps.first.outputs.project}
          - {name: issue_iid, in: path, value: $steps.write.outputs.number}
          - {name: since, in: query, value: $steps.nowhere.outputs.x}
      - stepId: fly
        operationId: flyToTheMoon
components:
  inputs:
    words: {type: object, properties: {word: {type: string, examples: [broken]}}}
  parameters:
    trace: {name: X-Trace, in: header, value: abc}
"""


def test_a_document_of_somebody_else():
    flows = read_arazzo(FOREIGN.encode(), SPEC, name="theirs.yaml")
    make, write = flows.workflows
    (create,) = make.steps
    assert create.body == {"name": "Books"}  # what has no value is left to generation
    assert create.status == 201
    created, written, looked = write.steps
    assert created.body == {"name": "From outside"}
    assert written.body == {"title": "broken", "note": "costs $5"}
    assert written.header == {"X-Trace": "abc"}
    project, issue = looked.path["id"], looked.path["issue_iid"]
    assert project != issue
    assert created.answer == {"id": int(project)}
    assert written.answer == {"iid": int(issue)}
    assert written.path == {"id": project}
    assert looked.query == {}


def test_what_cannot_be_taken_over_is_named_with_its_place():
    notes = read_arazzo(FOREIGN.encode(), SPEC, name="theirs.yaml").notes
    assert "makeProject.create: onFailure is not followed: steps are played in their order" in notes
    assert any(
        note.startswith("writeIssue.look: $steps.nowhere.outputs.x is not understood") for note in notes
    )
    assert "writeIssue.fly: flyToTheMoon is not in the specification" in notes


def test_where_values_come_from_is_told():
    carried = read_arazzo(FOREIGN.encode(), SPEC, name="theirs.yaml").carried
    issue = OperationId("GET /projects/{id}/issues/{issue_iid}")
    producer = OperationId("POST /projects/{id}/issues")
    assert Carried(ParameterRef(issue, Location.PATH, "issue_iid"), producer, "iid") in carried


def test_depends_on_and_recursion():
    document = {
        "arazzo": "1.0.1",
        "workflows": [
            {
                "workflowId": "a",
                "dependsOn": ["b"],
                "steps": [{"stepId": "x", "operationId": "listProjects"}],
            },
            {
                "workflowId": "b",
                "steps": [
                    {"stepId": "y", "workflowId": "b"},
                    {"stepId": "z", "operationId": "createProject"},
                ],
            },
        ],
    }
    flows = read_arazzo(json.dumps(document).encode(), SPEC, name="x.json")
    assert [[step.operation for step in one.steps] for one in flows.workflows] == [
        ["POST /projects", "GET /projects"],
        ["POST /projects"],
    ]
    assert "b.y: the workflow b calls itself" in flows.notes


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "arazzo: 2.0.0", "arazzo: 1.0.1", "arazzo: 1.0.1\nworkflows: 3", "{", "\x00", "a: &a [*a]",
        'arazzo: 1.0.1\nworkflows: [{workflowId: a, steps: [{stepId: b}]}]',
        "arazzo: 1.0.1\nworkflows: [{workflowId: a, steps: [3, {operationPath: x}]}]",
    ],
)  # fmt: skip
def test_what_is_none_is_an_error_with_its_place(text: str):
    with pytest.raises(InputError) as caught:
        read_arazzo(text.encode(), SPEC, name="x.yaml")
    assert str(caught.value).startswith("x.yaml: ")


def test_documents_are_told_from_logs():
    assert is_arazzo(FOREIGN.encode())
    assert is_arazzo(b'{"arazzo": "1.0.1", "info": {}}')
    assert not is_arazzo(b'{"method": "GET", "uri": "/arazzo: 1.0"}\n')
    assert not is_arazzo(b"")
