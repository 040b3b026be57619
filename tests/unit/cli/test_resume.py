"""``lobrest resume``, and ``--learnt``: a campaign after a campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear

from lobrest.store import open_store


@pytest.fixture(scope="module")
def work(lobrest: Commands, faulty: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of sixty requests."""
    out = tmp_path_factory.mktemp("resume") / "work"
    clear(lobrest("run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", out), 1)
    return out


def test_a_campaign_goes_on(lobrest: Commands, work: Path):
    before = json.loads((work / "summary.json").read_text())
    ended = lobrest("resume", work, "--max-requests", 40)
    clear(ended, 1, "requests, ")
    after = json.loads((work / "summary.json").read_text())
    assert before["requests"] < after["requests"] <= 100
    assert {bug["n"] for bug in before["bugs"]} <= {bug["n"] for bug in after["bugs"]}
    assert after["operations"]["covered"] >= before["operations"]["covered"]
    assert after["duration_s"] > before["duration_s"]
    assert after["started"] == before["started"]
    store = open_store(work, create=False, readonly=True)
    assert store.totals().requests == after["requests"]
    assert len(store.endings()) == 2
    store.close()


def test_time_can_be_added(lobrest: Commands, faulty: Small, tmp_path: Path):
    out = tmp_path / "work"
    clear(lobrest("run", faulty.spec, "--target", faulty.url, "--time", "1s", "--out", out), 1)
    clear(lobrest("resume", out), 2, "the time is spent: 1.0 s were asked for")
    clear(lobrest("resume", out, "--time", "1s"), 1)
    assert json.loads((out / "summary.json").read_text())["duration_s"] >= 2.0


def test_other_people_are_refused(lobrest: Commands, work: Path):
    ended = lobrest("resume", work, "--auth", "eve:pw")
    clear(ended, 2, "the campaign was run as none; --auth gives eve")


def test_a_running_campaign_is_not_resumed(lobrest: Commands, work: Path):
    store = open_store(work, create=False)
    try:
        clear(lobrest("resume", work), 2, "is in use by another campaign (process")
    finally:
        store.close()


def test_what_cannot_be_resumed_is_told(lobrest: Commands, work: Path, tmp_path: Path):
    clear(lobrest("resume", tmp_path), 2, "no work folder")
    open_store(tmp_path / "bare", create=True).close()
    clear(lobrest("resume", tmp_path / "bare"), 2, "before its first request")
    clear(lobrest("resume", work, "--store", "postgresql://h/db"), 2, "in its folder")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "lobrest.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    clear(lobrest("resume", damaged), 2, "damaged")


def test_a_campaign_begins_with_what_another_has_learnt(
    lobrest: Commands, faulty: Small, work: Path, tmp_path: Path
):
    out = tmp_path / "second"
    ended = lobrest(
        "run", faulty.spec, "--target", faulty.url, "--max-requests", 20, "--out", out, "--learnt", work
    )
    assert ended.status in (0, 1), ended.stderr
    clear(
        lobrest("run", faulty.spec, "--target", faulty.url, "--learnt", tmp_path, "--out", tmp_path / "x"),
        2,
        "no work folder",
    )
