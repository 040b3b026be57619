"""Completed slices as flows."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from lobrest.app.export import Exportable
from lobrest.enhance import enhanced
from lobrest.export.seed_flow import seed_flow
from lobrest.fuzz.render import Renderer
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import OperationId
from lobrest.model.resource import ResourceInstance
from lobrest.model.slice import Slice
from lobrest.resources import analyse
from lobrest.spec import load_spec
from lobrest.spec.router import Router


def test_wires_become_holes_and_added_steps_say_why(unplayed: Exportable):
    flow = next(one for one in unplayed.flows if one.operations[-1].endswith("/close"))
    targets = [step.target for step in flow.steps]
    assert targets[0] == "/projects"
    assert targets[-1] == "/projects/{{project_id}}/issues/{{issue_iid}}/close"
    assert json.loads((flow.steps[0].body or "").replace("{{new}}", ""))["name"].endswith("-x")
    assert flow.source == "access.log:1"
    assert not flow.played


def test_a_slice_without_its_creation_gets_one():
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/boxes": {
                "post": {
                    "requestBody": {
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": ["email", "password"],
                                    "properties": {
                                        "email": {"type": "string", "format": "email"},
                                        "password": {"type": "string"},
                                    },
                                }
                            }
                        }
                    },
                    "responses": {
                        "201": {
                            "description": "it",
                            "content": {
                                "application/json": {
                                    "schema": {"type": "object", "properties": {"id": {"type": "integer"}}}
                                }
                            },
                        }
                    },
                }
            },
            "/boxes/{id}": {
                "get": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                    ],
                    "responses": {"200": {"description": "it"}},
                }
            },
        },
    }
    spec = load_spec(json.dumps(document).encode(), name="x")
    model = analyse(spec)
    get = OperationId("GET /boxes/{id}")
    (ref,) = [one for one in model.dependencies if one.operation == get]
    entry = LogEntry(1.0, get, Arguments(path={"id": "7"}), UserId("ann"), 200)
    entry = replace(entry, uses={ref: ResourceInstance(model.dependencies[ref].resource, "7")})
    (seed,) = enhanced(spec, model, Corpus(), [Slice((entry,))], chance=random.Random(1), now=1.7e9)[:1]
    flow = seed_flow(seed, model, Renderer(spec, Router(spec), base_path="/v1"))
    first, second = flow.steps
    assert second.target == "/v1/boxes/{{box_id}}"
    body = json.loads(first.body or "")
    assert body["password"] == "{{new_secret}}"
    assert "-x{{new}}@" in body["email"]
    assert flow.reasons[0]
    assert flow.reasons[1] == ""
