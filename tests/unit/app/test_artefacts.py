"""Slices and seeds as JSON lines: the shapes that scripts rely on."""

from __future__ import annotations

import json

from tests.unit.enhance.world import BRANCHES, FIX, MAIN, OPEN, PROJECT, REQUEST, forge, thing

from lobrest.app.artefacts import seed_to_json, slice_to_json
from lobrest.model.slice import Slice, Strategy

BODY = {"source_branch": FIX, "target_branch": MAIN, "title": "é"}


def test_a_slice():
    world = forge()
    entry = world.entry(
        OPEN, 12.5, path={"id": PROJECT}, query={"q": [1]}, body=BODY, creates=REQUEST, status=201
    )
    written = slice_to_json(Slice((entry,), (Strategy.MLTS, Strategy.STWS)))
    assert "\n" not in written
    told = json.loads(written)
    assert told["strategies"] == ["mlts", "stws"]
    assert told["user"] == "ann"
    (one,) = told["entries"]
    assert one["source"] == "access.log:1"
    assert (one["time"], one["op"], one["status"]) == (12.5, OPEN, 201)
    assert one["params"] == {
        "path": {"id": "15"},
        "query": {"q": [1]},
        "body": {"source_branch": "fix", "target_branch": "main", "title": "é"},
    }
    project = {"resource": "/projects", "value": "15", "parent": None}
    assert one["instances"] == [
        {**project, "role": "uses"},
        {"resource": BRANCHES, "value": "fix", "parent": project, "role": "uses"},
        {"resource": BRANCHES, "value": "main", "parent": project, "role": "uses"},
        {"resource": REQUEST.resource, "value": "3", "parent": project, "role": "creates"},
    ]


def test_a_seed_says_what_was_added_why_and_what_is_bound_to_what():
    world = forge()
    seed = world.complete(world.entry(OPEN, 1, path={"id": PROJECT}, body=BODY, creates=REQUEST))
    written = seed_to_json(seed, world.model)
    assert "\n" not in written
    told = json.loads(written)
    assert told["origin"] == "log"
    assert [entry["op"] for entry in told["entries"]] == [step.entry.operation for step in seed.steps]
    assert ["added" in entry for entry in told["entries"]] == [True] * (len(seed.steps) - 1) + [False]
    assert all(isinstance(entry["added"], str) for entry in told["entries"][:-1])
    last = len(seed.steps) - 1
    bound = {(one["entry"], one["in"], one["param"]): one for one in told["bindings"]}
    assert len(bound) == len(seed.wires)
    source = bound[last, "body", "source_branch"]
    assert told["entries"][source["from_entry"]]["instances"][-1]["value"] == "fix"
    assert source["pointer"] == "name"
    assert all(one["from_entry"] < one["entry"] for one in told["bindings"])


def test_a_binding_to_a_list_and_a_person():
    world = forge()
    seed = world.complete(
        world.entry("GET /licences/{key}", 1, path={"key": thing("/licences", "mit")}),
        world.entry("GET /users/{username}", 2, path={"username": thing("/users", "zoe")}),
    )
    told = json.loads(seed_to_json(seed, world.model))
    (bound,) = told["bindings"]
    assert (bound["source"], bound["pointer"]) == ("list", "key")
    (person,) = told["identities"]
    assert (person["entry"], person["param"], person["user"]) == (2, "username", "ann")
    assert told["notes"]


def test_values_that_have_no_bytes_can_be_written():
    world = forge()
    entry = world.entry("POST /projects", 1, body={"name": "\ud800"})
    slice_to_json(Slice((entry,))).encode()
