"""``lobrest analyze``: stage 1."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear


def test_json_is_the_resources_of_the_interface(lobrest: Commands, sound: Small):
    ended = lobrest("analyze", sound.spec, "--json")
    clear(ended, 0)
    found = json.loads(ended.stdout)
    assert {"op": "POST /things", "resource": "/things"} in [
        {name: one[name] for name in ("op", "resource")} for one in found["creates"]
    ]
    (dependency,) = found["dependencies"]
    assert (dependency["op"], dependency["param"], dependency["in"], dependency["resource"]) == (
        "GET /things/{id}",
        "id",
        "path",
        "/things",
    )
    assert {"source", "pointer"} <= set(dependency["bindings"][0])


def test_its_file_is_read_by_the_next_stage(lobrest: Commands, sound: Small, tmp_path: Path):
    out = tmp_path / "resources.json"
    clear(lobrest("analyze", sound.spec, "--out", out), 0)
    (tmp_path / "a.log").write_text(
        '10.0.0.1 - ann [01/Jan/2026:00:00:00 +0000] "GET /things/7 HTTP/1.1" 200 2 "-" "x"\n'
    )
    ended = lobrest("slice", sound.spec, tmp_path / "a.log", "--resources", out)
    clear(ended, 0)
    assert json.loads(ended.stdout)["entries"][0]["instances"]
    out.write_text("[]")
    clear(lobrest("slice", sound.spec, tmp_path / "a.log", "--resources", out), 2)


def test_people_get_a_tree_and_reasons(lobrest: Commands, sound: Small):
    ended = lobrest("analyze", sound.spec)
    clear(ended, 0)
    assert "/things" in ended.stdout
    ended = lobrest("analyze", sound.spec, "--why", "id")
    clear(ended, 0)
    assert "GET /things/{id}" in ended.stdout


def test_a_model_that_nobody_named_is_status_2(lobrest: Commands, sound: Small):
    clear(lobrest("analyze", sound.spec, "--analyzer", "llm"), 2, "language model")
