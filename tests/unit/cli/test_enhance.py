"""``lobrest enhance``: stages 2 and 3 as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear

from lobrest.demo import DemoProcess

LINE = '10.0.0.1 - ann [01/Jan/2026:00:00:00 +0000] "GET /things/7 HTTP/1.1" 200 2 "-" "x"\n'


def test_a_seed_says_what_was_added_and_what_is_bound_to_what(
    lobrest: Commands, sound: Small, tmp_path: Path
):
    (tmp_path / "a.log").write_text(LINE)
    ended = lobrest("enhance", sound.spec, tmp_path / "a.log", "--json")
    clear(ended, 0)
    seeds = [json.loads(line) for line in ended.stdout.splitlines()]
    (logged,) = [one for one in seeds if one["origin"] == "log"]
    assert [entry["op"] for entry in logged["entries"]] == ["POST /things", "GET /things/{id}"]
    assert ["added" in entry for entry in logged["entries"]] == [True, False]
    (bound,) = logged["bindings"]
    assert {name: bound[name] for name in ("entry", "in", "param", "from_entry")} == {
        "entry": 1,
        "in": "path",
        "param": "id",
        "from_entry": 0,
    }
    assert bound["pointer"]
    assert {one["entries"][-1]["op"] for one in seeds if one["origin"] == "augmented"} == {
        "GET /things",
        "POST /things",
    }


def test_the_same_number_gives_the_same_seeds(lobrest: Commands, demo: DemoProcess):
    first, again, other = (lobrest("enhance", demo.spec, "--seed", number) for number in (5, 5, 6))
    clear(first, 0)
    assert len(first.stdout.splitlines()) > 50
    assert first.stdout == again.stdout
    assert first.stdout != other.stdout


def test_without_logs_every_operation_is_augmented(lobrest: Commands, sound: Small):
    ended = lobrest("enhance", sound.spec)
    clear(ended, 0)
    assert [json.loads(line)["origin"] for line in ended.stdout.splitlines()] == ["augmented"] * 3


def test_the_listing_is_for_people_and_says_what_is_left_out(lobrest: Commands, demo: DemoProcess, log: Path):
    ended = lobrest("enhance", demo.spec, log, "--text", "--limit", "2", "--op", "*/merge")
    clear(ended, 0)
    assert ended.stdout.count("seed ") == 2
    assert "← answer of step 1 /id" in ended.stdout
    assert "/merge" in ended.stdout
    assert "--limit 0 shows all" in ended.said


def test_lines_can_be_chosen_too(lobrest: Commands, sound: Small, tmp_path: Path):
    out = tmp_path / "seeds.jsonl"
    clear(lobrest("enhance", sound.spec, "--op", "post", "--out", out), 0)
    assert [json.loads(line)["entries"][-1]["op"] for line in out.read_text().splitlines()] == [
        "POST /things",
        "GET /things/{id}",
    ]
    ended = lobrest("enhance", sound.spec, "--limit", "1")
    clear(ended, 0)
    assert len(ended.stdout.splitlines()) == 1
