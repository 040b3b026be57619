from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.campaign import P, campaign
from tests.unit.web.recorded import opening

from lobrest.model.summary import Point
from lobrest.store.browse import StatusSum
from lobrest.web.picture import Moment, State, bug_result, pictured

NOW = Moment(
    statuses=[
        StatusSum("GET /projects", 200, 5, 5, 0.5),
        StatusSum("GET /projects", 404, 2, 2, 0.1),
        StatusSum(f"POST {P}/transfer", 403, 3, 3, 0.2),
    ],
    covered={"GET /projects": 1.5},
    timeline=(Point(10.0, 10, 1, 2),),
    bugs=campaign().bugs[:2],
    replayed=4,
    seconds=10.0,
)


def test_a_running_campaign_shows_what_has_happened_so_far():
    data = pictured(opening(campaign(), Path("w")), NOW, State.RUNNING)
    summary = data.summary
    assert (summary.requests, summary.requests_per_s, summary.duration_s) == (10, 1.0, 10.0)
    assert (summary.operations.covered, summary.operations.attempted) == (1, 2)
    assert {module.name for module in summary.modules if module.covered} == {"projects"}
    assert (summary.flows.replayed, len(summary.bugs)) == (4, 2)
    assert data.unreached is not None
    reasons = {each.op: str(each.obstacle) for each in data.unreached}
    assert "GET /projects" not in reasons
    assert reasons[f"POST {P}/transfer"] == "always refused"
    assert data.flows is not None
    assert [node.op for node in data.flows.nodes if node.covered] == ["GET /projects"]
    assert not any(edge.covered for edge in data.flows.edges)


@pytest.mark.parametrize("state", [State.ENDED, State.BROKEN_OFF])
def test_a_campaign_that_has_ended_shows_its_report(state: State):
    final = replace(campaign(), summary=replace(campaign().summary, requests=10), bugs=())
    assert pictured(final, NOW, state) == replace(final, bugs=NOW.bugs)
    assert pictured(final, NOW, State.RUNNING).summary.operations.covered == 1
    more = replace(NOW, statuses=[*NOW.statuses, StatusSum("GET /user", 200, 1, 1, 0.1)])
    assert pictured(final, more, state).summary.requests == 11


def test_a_bug_in_a_summary():
    bug = campaign().bugs[0]
    result = bug_result(bug)
    assert (result.n, result.op, result.steps, result.kind) == (1, bug.key.operation, 7, "server-error")
    assert result.identity == bug.key.identity
