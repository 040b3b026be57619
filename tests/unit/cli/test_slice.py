"""``lobrest slice``: stage 2 as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear

LINE = '10.0.0.{} - {} [01/Jan/2026:00:00:{:02} +0000] "GET /things/{} HTTP/1.1" 200 2 "-" "x"\n'


def written(tmp_path: Path) -> Path:
    lines = [LINE.format(1, "ann", at, 7) for at in (0, 5, 9)] + [
        LINE.format(2, "bo", at, 8) for at in (1, 50)
    ]
    file = tmp_path / "a.log"
    file.write_text("".join(lines))
    return file


def test_one_json_line_a_slice_on_standard_output_and_the_talk_elsewhere(
    lobrest: Commands, sound: Small, tmp_path: Path
):
    ended = lobrest("slice", sound.spec, written(tmp_path), "--mlt", "10s", "--stw", "20s", "--json")
    clear(ended, 0)
    slices = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(len(one["entries"]) for one in slices) == [1, 1, 3]
    for one in slices:
        assert set(one) >= {"strategies", "user", "entries"}
        assert set(one["strategies"]) <= {"mlts", "stws"}
        for entry in one["entries"]:
            assert set(entry) >= {"source", "time", "op", "status", "params", "instances"}
            assert set(entry["params"]) >= {"path", "query", "body"}
            assert entry["source"].startswith(str(tmp_path / "a.log") + ":")
            (instance,) = entry["instances"]
            assert set(instance) == {"resource", "value", "parent", "role"}
            assert (instance["resource"], instance["role"]) == ("/things", "uses")
    assert "slices" in ended.stderr


def test_a_longer_window_makes_fewer_slices_and_a_file_takes_them(
    lobrest: Commands, sound: Small, tmp_path: Path
):
    out = tmp_path / "slices.jsonl"
    ended = lobrest("slice", sound.spec, written(tmp_path), "--mlt", "1m", "--stw", "1m", "--out", out, "-q")
    clear(ended, 0)
    assert ended.stdout == ""
    assert ended.stderr == ""
    assert len(out.read_text().splitlines()) == 2


def test_logs_are_needed_and_the_file_must_be_writable(lobrest: Commands, sound: Small, tmp_path: Path):
    clear(lobrest("slice", sound.spec), 2, "no log")
    log = written(tmp_path)
    clear(lobrest("slice", sound.spec, log, "--out", "/proc/x.jsonl"), 2, "cannot be written")
    clear(lobrest("slice", sound.spec, log, "--profile", "ours"), 2, "profile")
    clear(lobrest("slice", sound.spec, log, "--resources", "missing.json"), 2, "missing.json")
    clear(lobrest("slice", sound.spec, log, "--mlt", "long"), 2, "long")
    clear(lobrest("slice", sound.spec, log, "--format", "nonsense"), 2, "nonsense")
