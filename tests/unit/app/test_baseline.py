"""Known bugs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobrest.app.baseline import Baseline, compared, known_numbers, read_baseline, words, write_baseline
from lobrest.errors import ConfigError, StoreError
from lobrest.model.summary import BugResult, FlowTotals, OperationTotals, StageTimes, Summary


def summary(*identities: str) -> Summary:
    bugs = tuple(
        BugResult(number, f"GET /{one}", 500, f"boom {one}\nmore", 1.0, True, 2, identity=one)
        for number, one in enumerate(identities, 1)
    )
    return Summary(
        "s", "default", 0, "2026-01-05T09:00:00+00:00", 1.0, 1, 1.0, OperationTotals(0, 0, 0, ()), (),
        FlowTotals(0, 0), bugs, (), StageTimes(),
    )  # fmt: skip


def test_new_known_and_gone(tmp_path: Path):
    path = tmp_path / "deep" / "baseline.json"
    write_baseline(path, read_baseline(path).with_bugs(summary("a", "b")))
    told = compared(summary("b", "c"), read_baseline(path))
    assert told.extra["baseline"]["new"] == [2]
    assert told.extra["baseline"]["known"] == [1]
    assert [one["op"] for one in told.extra["baseline"]["gone"]] == ["GET /a"]
    assert known_numbers(told) == {1}
    assert words(told) == "1 new bug, 1 known, 1 not met again"
    assert words(summary("a")) == ""


def test_the_file_is_the_same_whatever_the_order_and_keeps_what_was_not_met(tmp_path: Path):
    one, other = tmp_path / "1.json", tmp_path / "2.json"
    write_baseline(one, Baseline().with_bugs(summary("a", "b")).with_bugs(summary("c")))
    write_baseline(other, Baseline().with_bugs(summary("c", "b", "a")))
    assert one.read_text() == other.read_text()
    assert len(one.read_text().splitlines()) == 8  # a line a bug
    assert json.loads(one.read_text())["bugs"][0]["message"] == "boom a more"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"version": 1}', '{"version": 2, "bugs": []}', '{"version": 1, "bugs": [{"kind": 3}]}'],
)
def test_what_is_no_baseline_is_an_error(text: str, tmp_path: Path):
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(ConfigError):
        read_baseline(path)


def test_a_file_that_cannot_be_written_is_an_error():
    with pytest.raises(StoreError):
        write_baseline(Path("/proc/x/y"), Baseline())
