from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.campaign import campaign

from lobrest.model.bug import BugKind, Severity
from lobrest.report.data import Run
from lobrest.report.views import baseline_states, bug_views, module_rows, sections, state_of, templates


def test_severe_bugs_come_first_and_other_kinds_are_named() -> None:
    data = campaign()
    mild, *rest = data.bugs
    mild = replace(
        mild, severity=Severity.INFO, key=replace(mild.key, kind=BugKind.SLOW), evidence="9 s, not 1 s"
    )
    results = tuple(
        replace(result, kind="slow", severity="info") if result.n == mild.number else result
        for result in data.summary.bugs
    )
    views = bug_views(replace(data, bugs=(mild, *rest), summary=replace(data.summary, bugs=results)))
    assert views[-1].result.n == mild.number
    assert (views[-1].kind, views[-1].evidence) == ("slow", "9 s, not 1 s")
    assert {view.kind for view in views[:-1]} == {""}


def test_a_baseline_says_what_is_new() -> None:
    summary = replace(campaign().summary, extra={"baseline": {"new": [1], "known": [2, "x"], "gone": ["…"]}})
    assert baseline_states(summary) == {1: "new", 2: "known"}
    assert baseline_states(replace(summary, extra={"baseline": "nonsense"})) == {}
    states = {view.result.n: view.state for view in bug_views(replace(campaign(), summary=summary))}
    assert (states[1], states[2], states[3]) == ("new", "known", "")


def test_modules_of_several_runs_show_the_median_of_each_group() -> None:
    data = campaign()
    low = replace(data.summary, modules=tuple(replace(one, covered=0) for one in data.summary.modules))
    rows = module_rows(
        replace(data, label="a", others=(Run("a", data.summary), Run("b", low), Run("a", low)))
    )
    assert [len(row.shares) for row in rows] == [2] * len(rows)
    assert rows[0].shares[0][1] == module_rows(replace(data, others=()))[0].shares[0][1]
    assert rows[0].shares[1][:2] == ("0", 0)


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        ({}, "untried"), ({"200": 0}, "untried"), ({"404": 2}, "refused"), ({"0": 1}, "refused"),
        ({"500": 1}, "failed"),
        ({"200": 1, "404": 1}, "covered"), ({"200": 1, "503": 1}, "covered-failed"),
    ],
)  # fmt: skip
def test_the_state_of_an_operation(statuses: dict[str, int], state: str) -> None:
    assert state_of(statuses) == state


def test_every_part_can_be_drawn_alone() -> None:
    environment = templates("lobrest.report")
    parts = [name for name in environment.list_templates() if name.startswith("parts/")]
    assert len(parts) >= 11
    for part in parts:
        assert "<" in environment.get_template(part).render(**sections(campaign()), links=None)
