"""``lobrest report``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear


@pytest.fixture(scope="module")
def work(lobrest: Commands, faulty: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "work"
    clear(lobrest("run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", out), 1)
    return out


def test_each_form_is_written(lobrest: Commands, work: Path, tmp_path: Path):
    html, junit, sarif = (tmp_path / name for name in ("r.html", "r.xml", "r.sarif"))
    ended = lobrest("report", work, "--html", html, "--junit", junit, "--sarif", sarif)
    clear(ended, 0)
    assert html.read_text().lstrip().lower().startswith("<!doctype html")
    failures = list(ElementTree.fromstring(junit.read_text()).iter("failure"))
    assert len(failures) == 1
    (run,) = json.loads(sarif.read_text())["runs"]
    assert len(run["results"]) == 1


def test_without_a_form_it_tells_where_the_report_is(lobrest: Commands, work: Path):
    ended = lobrest("report", work)
    clear(ended, 0)
    assert Path(ended.stdout.strip()).is_file()


def test_what_is_not_there_is_status_2(lobrest: Commands, work: Path, tmp_path: Path):
    clear(lobrest("report", tmp_path), 2, "no work folder")
    clear(lobrest("report", work, "--junit", "/proc/x.xml"), 2, "cannot be written")


def test_the_summary_as_json(lobrest: Commands, work: Path):
    ended = lobrest("report", work, "--json")
    clear(ended, 0)
    assert json.loads(ended.stdout) == json.loads((work / "summary.json").read_text())


def test_several_runs_are_compared(lobrest: Commands, work: Path, tmp_path: Path):
    again = [tmp_path / "same-1", tmp_path / "same-2"]
    for place in again:
        shutil.copytree(work, place)
    html = tmp_path / "c.html"
    ended = lobrest("report", *again, f"other={work}", "--html", html, "--json")
    clear(ended, 0)
    told = json.loads(ended.stdout)
    assert [(group["name"], group["runs"]) for group in told["groups"]] == [("same", 2), ("other", 1)]
    assert told["bugs_found_by"][0]["groups"] == ["same", "other"]
    assert {each["a12"] for each in told["contrasts"]} == {0.5}
    assert "Which run found which bugs" in html.read_text()
    table = lobrest("report", *again, f"other={work}")
    clear(table, 0)
    assert "A12 0.50 (none)" in table.stdout
    clear(lobrest("report", work, work, "--junit", tmp_path / "x"), 2, "only --html and --json")


def test_a_campaign_that_was_killed_has_a_report_too(lobrest: Commands, work: Path, tmp_path: Path):
    place = tmp_path / "killed"
    shutil.copytree(work, place)
    (place / "summary.json").unlink()
    (place / "report.html").unlink()
    clear(lobrest("report", place, "--html", tmp_path / "k.html"), 0)
    assert "1 bug found in" in (tmp_path / "k.html").read_text()
