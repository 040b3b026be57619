"""How the want of people is told."""

from __future__ import annotations

import json

from lobrest.fuzz.shortage import Shortage, Unplayed
from lobrest.model.operation import OperationId
from lobrest.model.summary import FlowTotals, OperationTotals, StageTimes, Summary
from lobrest.report.shortage import shortage_json, shortage_lines

APPROVE = OperationId("POST /requests/{id}/approve")
FOUND = Shortage(1, 4, 3, (Unplayed((APPROVE,), 3, APPROVE, "403 not your own\nrequest"),))


def summary(found: Shortage | None) -> Summary:
    extra = {} if found is None else {"people": shortage_json(found)}
    return Summary(
        "made up", "default", 0, "", 1.0, 0, 0.0, OperationTotals(0, 0, 0, ()), (), FlowTotals(0, 0), (), (),
        StageTimes(), extra=extra,
    )  # fmt: skip


def test_it_says_how_many_flows_how_many_people_and_what_to_do():
    first, example = shortage_lines(summary(FOUND))
    assert "4 logged flows" in first and "up to 3" in first and "1 credential" in first and "--auth" in first
    assert APPROVE in example and "403 not your own request" in example


def test_where_nobody_is_missing_nothing_is_said():
    assert list(shortage_lines(summary(Shortage(2)))) == []
    assert list(shortage_lines(summary(None))) == []


def test_scripts_get_the_same():
    told = shortage_json(FOUND)
    assert json.loads(json.dumps(told)) == told
    assert (told["flows_not_played"], told["people_needed"], told["credentials"]) == (4, 3, 1)
    assert told["examples"][0]["failed"] == APPROVE
