from __future__ import annotations

from dataclasses import replace

from tests.unit.report.campaign import MODULE_OF, P, campaign

from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Dependency, Resource, ResourceModel, ResourceName
from lobrest.model.seed import Origin, Seed, SeedId, Step
from lobrest.model.slice import Slice, Strategy
from lobrest.model.summary import OperationResult, OperationTotals, Summary
from lobrest.report.data import Obstacle
from lobrest.report.derive import (
    by_importance,
    covered_operations,
    flow_map,
    never_reached,
    slice_facts,
    time_shares,
    user_day,
)


def piece(*ops: str, at: float = 0.0, user: str = "ann", mined: bool = True) -> Slice:
    entries = tuple(
        LogEntry(at + index, OperationId(op), Arguments(), UserId(user), 200) for index, op in enumerate(ops)
    )
    return Slice(entries, (Strategy.MLTS,) if mined else ())


def with_operations(**statuses: dict[str, int]) -> Summary:
    results = tuple(OperationResult(f"GET /{name}", name, counts) for name, counts in statuses.items())
    return replace(campaign().summary, operations=OperationTotals(len(results), 0, 0, results))


def seed(source: Slice, *front: str, origin: Origin = Origin.LOG) -> Seed:
    made = tuple(
        Step(LogEntry(0.0, OperationId(op), Arguments(), UserId("ann"), 0), Origin.CREATION, "why")
        for op in front
    )
    return Seed(
        SeedId("s"), (*made, *(Step(entry, Origin.LOG) for entry in source.entries)), (), source, origin
    )


def test_steps_between_operations_are_counted() -> None:
    summary = with_operations(a={"200": 1}, b={"201": 1}, c={"404": 2})
    flows = flow_map([piece("GET /a", "GET /b"), piece("GET /a", "GET /b", "GET /c")], summary)
    assert [(edge.before, edge.after, edge.count, edge.covered) for edge in flows.edges] == [
        ("GET /a", "GET /b", 2, True),
        ("GET /b", "GET /c", 1, False),
    ]
    assert [(node.op, node.count, node.covered, node.module) for node in flows.nodes] == [
        ("GET /a", 2, True, "a"),
        ("GET /b", 2, True, "b"),
        ("GET /c", 1, False, "c"),
    ]
    assert [node.position for node in flows.nodes] == [0.0, 0.75, 1.0]


def test_pairs_that_were_done_decide_where_they_are_known() -> None:
    summary = with_operations(a={"200": 1}, b={"200": 1})
    flows = flow_map([piece("GET /a", "GET /b")], summary, done_pairs={("GET /b", "GET /a")})
    assert not flows.edges[0].covered


def test_a_day_with_what_completion_added() -> None:
    morning, evening = piece("GET /a", "GET /b", "GET /c", at=100.0), piece("GET /a", at=50_000.0)
    tomorrow = piece("GET /a", at=90_000.0)
    day = user_day([evening, morning, tomorrow], [seed(morning, "POST /a")])
    assert day is not None
    assert (day.user, day.date) == ("ann", "1970-01-01")
    assert [[entry.op for entry in each.entries] for each in day.slices] == [
        ["POST /a", "GET /a", "GET /b", "GET /c"],
        ["GET /a"],
    ]
    assert [entry.added for entry in day.slices[0].entries] == [True, False, False, False]
    assert user_day([piece("GET /a", mined=False)]) is None


def test_facts_of_slices() -> None:
    one, two = piece("GET /a", "GET /b"), piece("GET /c")
    facts = slice_facts([one, two], [seed(one, "POST /a", "POST /b"), seed(two, origin=Origin.AUGMENTED)])
    assert (facts.total, facts.entries, facts.longest, facts.added, facts.augmented) == (2, 3, 2, 2, 1)
    assert facts.by_strategy == {"mlts": 2}
    assert slice_facts([], []).longest == 0


def test_why_operations_were_not_reached() -> None:
    lonely = ResourceName("/runners")
    reference = ParameterRef(OperationId("GET /orphan"), Location.PATH, "id")
    model = ResourceModel("s", {lonely: Resource(lonely)}, {}, {}, {reference: Dependency(reference, lonely)})
    summary = with_operations(
        fine={"200": 1, "500": 1}, untried={}, held={}, orphan={"404": 7}, refused={"403": 3, "404": 1},
        failed={"500": 2, "0": 1}, lost={"0": 4},
    )  # fmt: skip
    found = never_reached(
        summary,
        model,
        messages={"GET /refused": {"no": 1, "forbidden": 3}},
        held_back={"GET /held": "deletes"},
    )
    assert {each.module: (each.obstacle, each.detail) for each in found} == {
        "untried": (Obstacle.NOT_TRIED, ""),
        "held": (Obstacle.HELD_BACK, "deletes"),
        "orphan": (Obstacle.NO_CREATOR, "nothing creates or lists /runners; 7 × 404"),
        "refused": (Obstacle.REFUSED, "3 × 403, 1 × 404"),
        "failed": (Obstacle.FAILED, "2 × 500"),
        "lost": (Obstacle.NO_ANSWER, "4 requests"),
    }
    assert next(each.messages for each in found if each.module == "refused") == (("forbidden", 3), ("no", 1))


def test_an_operation_is_covered_by_one_success() -> None:
    summary = with_operations(a={"204": 1}, b={"200": 0, "404": 1}, c={"302": 1})
    assert covered_operations(summary) == {"GET /a"}


def test_importance_is_confirmation_then_depth() -> None:
    bugs = campaign().bugs
    mixed = (bugs[8], bugs[4], bugs[0], replace(bugs[0], number=0, confirmed=False))
    assert [bug.number for bug in by_importance(mixed)] == [1, 5, 0, 9]


def test_where_the_time_went() -> None:
    shares = {share.activity: share.seconds for share in time_shares(campaign().summary)}
    assert shares["testing the service"] == 60.0
    assert shares["reading logs"] == 0.34


def test_the_made_up_campaign_is_consistent() -> None:
    data = campaign()
    assert {result.op for result in data.summary.operations.list} == set(MODULE_OF)
    assert data.unreached is not None
    assert {each.op for each in data.unreached} >= {f"POST {P}/transfer"}
