from __future__ import annotations

from tests.conformance.samples import LIST, bug, done, seed

from lobrest.model.event import (
    BugConfirmed,
    BugFound,
    CampaignEnded,
    FlowReplayed,
    OperationCovered,
    Outage,
    SeedAdded,
)
from lobrest.model.seed import SeedId
from lobrest.store.batch import Batch, Numbers
from lobrest.store.keeping import Keeping
from lobrest.store.records import Keep


def batch(keep: Keep = Keep.ALL) -> Batch:
    return Batch(Keeping(keep), Numbers(exchange=10, seed=20, outage=30, ending=40))


def test_numbering_goes_on() -> None:
    made = batch()
    made.record([done(0.0), SeedAdded(0.0, seed(), ""), Outage(0.0, True, "x"), CampaignEnded(0.0, "y")])
    assert [row[0] for row in (*made.exchanges, *made.outages, *made.endings)] == [11, 31, 41]
    assert made.seeds[0][1] == 21
    assert len(made) == 4


def test_counts_are_added_up() -> None:
    made = batch(Keep.BUGS)
    made.record([done(0.1), done(0.9), done(1.0, status=0)])
    assert made.totals == {(LIST, 200): 2, (LIST, 0): 1}
    assert made.ticks == {0: 2, 1: 1}
    assert made.failures == {"timeout": 1}
    assert made.exchanges == []
    assert made.kept == {}


def test_the_latest_of_a_key_counts() -> None:
    made = batch()
    made.record([BugFound(0.0, bug(1)), BugConfirmed(1.0, bug(1, confirmed=True))])
    made.put_state("a", b"1")
    made.put_state("a", b"2")
    made.put_fact("b", "1")
    made.put_fact("b", "2")
    assert [row[5] for row in made.bugs.values()] == [1]
    assert list(made.state.values()) == [("a", b"2")]
    assert list(made.facts.values()) == [("b", "2")]


def test_equal_bodies_are_one() -> None:
    made = batch()
    made.record(done(0.0, body=b"x" * 1000, sent=b"x" * 1000) for _ in range(5))
    assert len(made.exchanges) == 5
    assert len(made.bodies) == 1


def test_moments_are_rows() -> None:
    made = batch()
    made.record([OperationCovered(1.5, LIST), FlowReplayed(2.5, SeedId("a"))])
    assert made.covered == [(LIST, 1.5)]
    assert made.flows == [("a", 2.5)]
