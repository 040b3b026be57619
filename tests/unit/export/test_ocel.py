"""Object-centric event logs."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from lobrest.app.export import Exportable
from lobrest.export.ocel import ocel_log


def test_events_objects_and_how_they_are_related(unplayed: Exportable):
    log = ocel_log(unplayed.entries)
    lines = {entry.source for entry in unplayed.entries}
    assert len(log["events"]) == len(lines)  # slices share entries, events are there once
    objects = {one["id"]: one for one in log["objects"]}
    first = log["events"][0]
    assert first["type"] == "POST /projects"
    assert first["relationships"] == [
        {"objectId": "user:ann", "qualifier": "sent by"},
        {"objectId": "/projects=501", "qualifier": "creates"},
    ]
    issue = objects["/projects/{id}/issues=7 in /projects=501"]
    assert issue["relationships"] == [{"objectId": "/projects=501", "qualifier": "inside"}]
    moments = [datetime.fromisoformat(event["time"]) for event in log["events"]]
    assert moments == sorted(moments)


def test_everything_is_declared_and_every_value_is_text(unplayed: Exportable):
    """What the published schema asks for: four lists, ids and types as text, attribute values as text."""
    log = ocel_log(unplayed.entries)
    assert set(log) == {"eventTypes", "objectTypes", "events", "objects"}
    for kind, types in (("events", "eventTypes"), ("objects", "objectTypes")):
        declared = {one["name"]: [each["name"] for each in one["attributes"]] for one in log[types]}
        for one in log[kind]:
            assert isinstance(one["id"], str)
            assert [each["name"] for each in one["attributes"]] == declared[one["type"]]
            assert all(isinstance(each["value"], str) for each in one["attributes"])
    known = {one["id"] for one in log["objects"]}
    assert {each["objectId"] for one in log["events"] for each in one["relationships"]} <= known


def test_a_tool_of_process_mining_opens_it(unplayed: Exportable, tmp_path: Path):
    pm4py = pytest.importorskip("pm4py", reason="pm4py is not installed (its licence is AGPL)")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(ocel_log(unplayed.entries)))
    opened = pm4py.read_ocel2_json(str(path))
    assert len(opened.events) == len(ocel_log(unplayed.entries)["events"])
