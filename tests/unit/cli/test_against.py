"""``lobrest replay --against``: exit statuses, and what is written and said."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small

LINE = '10.0.0.1 - ann [01/Jan/2026:00:00:00 +0000] "GET /things/7 HTTP/1.1" 200 2 "-" "x"\n'


def test_services_that_are_alike_are_status_0(lobrest: Commands, sound: Small, tmp_path: Path):
    (tmp_path / "a.log").write_text(LINE)
    out = tmp_path / "out"
    ended = lobrest(
        "replay", sound.spec, tmp_path / "a.log", "--target", sound.url, "--against", sound.url, "--out", out
    )
    assert ended.status == 0, ended.stderr
    assert "no differences" in ended.stdout
    assert json.loads((out / "differences.json").read_text())["differences"] == []


def test_services_that_differ_are_status_1_and_say_where(
    lobrest: Commands, sound: Small, faulty: Small, tmp_path: Path
):
    (tmp_path / "a.log").write_text(LINE)
    out = tmp_path / "out"
    ended = lobrest(
        "replay", sound.spec, tmp_path / "a.log", "--target", sound.url, "--against", faulty.url, "--out", out
    )
    assert ended.status == 1, ended.stderr
    assert "200 here, 500 there" in ended.stdout
    (only,) = json.loads((out / "differences.json").read_text())["differences"]
    assert (only["op"], only["aspect"], only["here"], only["there"]) == (
        "GET /things/{id}", "status", "200", "500",
    )  # fmt: skip
    assert {"summary.json", "report.html", "lobrest.db"} <= {one.name for one in out.iterdir()}


def test_faults_that_both_have_are_no_differences(lobrest: Commands, faulty: Small, tmp_path: Path):
    (tmp_path / "a.log").write_text(LINE)
    ended = lobrest(
        "replay", faulty.spec, tmp_path / "a.log", "--target", faulty.url, "--against", faulty.url, "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.status == 0, ended.stderr
    assert len(json.loads(ended.stdout)["bugs"]) == 1
    assert "no differences" in ended.stderr
