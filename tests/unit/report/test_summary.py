from __future__ import annotations

import json

import pytest

from lobrest.errors import InputError
from lobrest.model.summary import (
    BugResult,
    FlowTotals,
    ModuleResult,
    OperationResult,
    OperationTotals,
    Point,
    StageTimes,
    Summary,
)
from lobrest.report.summary import summary_from_json, summary_to_json

SUMMARY = Summary(
    service="forge",
    profile="default",
    seed=7,
    started="2026-01-02T03:04:05Z",
    duration_s=60.0,
    requests=1200,
    requests_per_s=20.0,
    operations=OperationTotals(2, 2, 1, (OperationResult("GET /é", "m", {"500": 1, "200": 3}),)),
    modules=(ModuleResult("m", 2, 1),),
    flows=FlowTotals(5, 4),
    bugs=(BugResult(1, "GET /é", 500, "boom", 3.5, True, 2),),
    timeline=(Point(0.0, 0, 0, 0), Point(60.0, 1200, 1, 1)),
    stages=StageTimes(0.1, 0.2, 0.3, 0.4),
    extra={"slices": 12},
)


def test_it_comes_back_as_it_was() -> None:
    assert summary_from_json(summary_to_json(SUMMARY)) == SUMMARY


def test_the_text_has_the_documented_names_in_a_fixed_order() -> None:
    text = summary_to_json(SUMMARY)
    assert list(json.loads(text))[:8] == [
        "service", "profile", "seed", "started", "duration_s", "requests", "requests_per_s", "operations",
    ]  # fmt: skip
    assert list(json.loads(text)["operations"]["list"][0]["statuses"]) == ["200", "500"]
    assert text.endswith("}\n")


def test_a_later_version_may_say_more() -> None:
    document = json.loads(summary_to_json(SUMMARY)) | {"unheard_of": 1}
    assert summary_from_json(json.dumps(document)) == SUMMARY


@pytest.mark.parametrize("text", ["", "{}", "[1]", b"\xff\xfe", '{"service": 3}'])
def test_another_file_is_named_as_such(text: str | bytes) -> None:
    with pytest.raises(InputError, match=r"old/summary\.json: not a lobrest summary"):
        summary_from_json(text, source="old/summary.json")
