from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.campaign import campaign

from lobrest.model.summary import Summary
from lobrest.report.comparison import contrasts, found_by, group_rows, groups_of, shared_label
from lobrest.report.data import Run


def covering(operations: int, bugs: int = 0) -> Summary:
    summary = campaign().summary
    return replace(
        summary, operations=replace(summary.operations, covered=operations), bugs=summary.bugs[:bugs]
    )


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("with-logs-3", "with-logs"), ("with_logs_12", "with_logs"), ("run7", "run"), ("lobrest-work", "lobrest-work"),
        ("12", "12"), ("a.b.1", "a.b"), ("", ""), ("r-1-2", "r-1"),
    ],
)  # fmt: skip
def test_numbered_runs_share_a_name(name: str, label: str) -> None:
    assert shared_label(name) == label


def test_runs_of_one_name_are_one_group_with_its_spread() -> None:
    runs = [Run("a", covering(50)), Run("b", covering(30)), Run("a", covering(60)), Run("a", covering(40))]
    groups = groups_of(runs)
    assert [(group.label, len(group.summaries)) for group in groups] == [("a", 3), ("b", 1)]
    first, second = group_rows(groups)
    assert (str(first.operations), str(second.operations)) == ("50 (40–60)", "30")
    assert (first.runs, first.total) == (3, 64)
    assert first.flows is not None


def test_contrasts_need_several_runs() -> None:
    single = groups_of([Run("a", covering(50)), Run("b", covering(30))])
    assert contrasts(single) == ()
    assert contrasts(single[:1]) == ()
    several = groups_of(
        [Run(label, covering(some, 2)) for label, some in (("a", 50), ("a", 51), ("b", 30), ("b", 51))]
    )
    found = {each.measure: each for each in contrasts(several)}
    assert found["operations covered"].effect == pytest.approx(0.625)
    assert found["operations covered"].p == 1.0
    assert (found["bugs"].effect, found["bugs"].size) == (0.5, "none")


def test_the_same_bug_in_other_words_of_another_run_is_one() -> None:
    summary = campaign().summary
    first, second, *_ = summary.bugs
    numbered = replace(second, message="row 4 of 8e00aa is gone")
    runs = (
        Run("a", replace(summary, bugs=(first, numbered))),
        Run("b", replace(summary, bugs=(first, replace(numbered, message="row 5 of 9f00aa is gone")))),
        Run("c", replace(summary, bugs=(replace(first, status=502),))),
        Run("c", replace(summary, bugs=(replace(first, kind="slow"),))),
    )
    assert found_by(groups_of(runs)) == (((0, 1), 2), ((2,), 2))
    assert found_by(()) == ()
