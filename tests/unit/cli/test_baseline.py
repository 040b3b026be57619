"""``--baseline``, of ``lobrest run`` and ``lobrest report``."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear


def test_only_new_bugs_fail(lobrest: Commands, faulty: Small, tmp_path: Path):
    baseline = tmp_path / "baseline.json"

    def run(name: str, *rest: object) -> Path:
        folder = tmp_path / name
        wanted = 1 if name == "first" else 0
        ended = lobrest(
            "run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", folder,
            "--baseline", baseline, *rest,
        )  # fmt: skip
        clear(ended, wanted)
        return folder

    first = run("first")
    assert not baseline.exists()
    (number,) = json.loads((first / "summary.json").read_text())["extra"]["baseline"]["new"]
    clear(lobrest("report", first, "--baseline", baseline), 1)
    clear(lobrest("report", first, "--baseline", baseline, "--update-baseline"), 0)
    (known,) = json.loads(baseline.read_text())["bugs"]
    assert known["operation"] == "GET /things/{id}"
    second = run("second")
    told = json.loads((second / "summary.json").read_text())["extra"]["baseline"]
    assert told == {"new": [], "known": [number], "gone": []}
    junit, sarif, wfc = (tmp_path / name for name in ("j.xml", "s.json", "w.json"))
    clear(lobrest("report", second, "--junit", junit, "--sarif", sarif, "--wfc", wfc), 0)
    assert not list(ElementTree.fromstring(junit.read_text()).iter("failure"))
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    assert result["baselineState"] == "unchanged"
    assert json.loads(wfc.read_text())["faults"]["totalNumber"] == 1


def test_a_run_can_make_the_baseline(lobrest: Commands, faulty: Small, tmp_path: Path):
    command = ("run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", tmp_path / "work")
    clear(lobrest(*command, "--baseline", tmp_path / "b.json", "--update-baseline"), 0)
    assert len(json.loads((tmp_path / "b.json").read_text())["bugs"]) == 1


def test_a_broken_baseline_is_told_before_anything_is_sent(lobrest: Commands, tmp_path: Path, faulty: Small):
    (tmp_path / "b.json").write_text("<<<<<<< HEAD")
    command = ("run", faulty.spec, "--target", "http://127.0.0.1:9", "--out", tmp_path / "work")
    clear(lobrest(*command, "--baseline", tmp_path / "b.json"), 2, "is no baseline")
