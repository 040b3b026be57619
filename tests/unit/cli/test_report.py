"""``lobrest report``."""

from __future__ import annotations

import json
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
