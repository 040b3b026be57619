"""A campaign in figures."""

from __future__ import annotations

from tests.unit.enhance.world import forge
from tests.unit.fuzz.script import answer, drive, engine_of
from tests.unit.fuzz.test_engine import Forge, slices

from lobrest.app.campaign import Result
from lobrest.app.summarise import summarise
from lobrest.model.exchange import Request, Response
from lobrest.model.summary import Point, StageTimes


def test_every_figure_of_the_interface():
    world = forge()
    world.operation("GET /never", tags=("rare",))
    engine = engine_of(world, slices(world), random_seed=9)
    small = Forge()

    def service(request: Request) -> Response:
        failing = request.operation in ("GET /licences", "GET /never")
        return answer(500 if failing else 200, {"message": "boom"}) if failing else small(request)

    drive(world, engine, service, plays=120, window=2)
    result = Result(
        requests=500, seconds=10.0, timeline=[Point(1.0, 50, 3, 1)], failures={"timeout": 2}, reason="r"
    )
    summary = summarise(
        engine, result, profile="default", started="2026", stages=StageTimes(read_s=1.0), extra={"more": 1}
    )
    assert (summary.service, summary.seed, summary.requests, summary.requests_per_s) == (
        "made up",
        9,
        500,
        50.0,
    )
    assert summary.operations.total == len(world.spec.operations)
    assert summary.operations.covered == len(engine.state.feedback.covered)
    assert summary.operations.covered < summary.operations.attempted <= summary.operations.total
    rows = {row.op: row for row in summary.operations.list}
    assert set(rows) == set(world.spec.operations)
    assert set(rows["GET /never"].statuses) == {"500"}
    assert rows["GET /never"].module == "rare"
    modules = {one.name: (one.total, one.covered) for one in summary.modules}
    assert modules["rare"] == (1, 0)
    assert sum(total for total, _ in modules.values()) == summary.operations.total
    assert sum(covered for _, covered in modules.values()) == summary.operations.covered
    assert summary.flows.total == 3
    assert 0 < summary.flows.replayed <= 3
    assert [bug.n for bug in summary.bugs] == list(range(1, len(summary.bugs) + 1))
    assert {bug.op for bug in summary.bugs} >= {"GET /licences", "GET /never"}
    assert all(bug.steps >= 1 for bug in summary.bugs)
    assert summary.timeline == (Point(1.0, 50, 3, 1),)
    assert summary.stages.read_s == 1.0
    assert summary.extra["failures"] == {"timeout": 2}
    assert summary.extra["more"] == 1


def test_a_campaign_that_did_nothing():
    world = forge()
    summary = summarise(engine_of(world), Result(), profile="paper", started="2026", stages=StageTimes())
    assert (summary.requests, summary.requests_per_s, summary.bugs) == (0, 0.0, ())
    assert summary.operations.attempted == 0
