"""One suite for every store: they keep the same and give back the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conformance.postgresql import Server
from tests.conformance.samples import LIST, MAKE, bug, done, seed

from lobrest.errors import StoreError
from lobrest.model.event import (
    BugConfirmed,
    BugFound,
    CampaignEnded,
    Event,
    FlowReplayed,
    OperationCovered,
    Outage,
    SeedAdded,
)
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.model.summary import Point
from lobrest.store import CampaignStore, Keep, MemoryStore, StoredSeed, open_store

OpenStore = Callable[..., CampaignStore]


class Backend:
    """A place for stores: opens them, and closes what is left open."""

    def __init__(self, place: str, *, lasting: bool) -> None:
        self._place = place
        self._open: list[CampaignStore] = []
        self.lasting = lasting
        """Does a store outlive its object?"""

    def open(self, *, create: bool = True, keep: Keep = Keep.ALL, readonly: bool = False) -> CampaignStore:
        store = open_store(self._place, create=create, keep=keep, readonly=readonly)
        self._open.append(store)
        return store

    def reopened(self, store: CampaignStore, *, keep: Keep = Keep.ALL) -> CampaignStore:
        """The same store after a restart of the program, where there is such a thing."""
        if not self.lasting:
            return store
        store.close()
        self._open.remove(store)
        return self.open(create=False, keep=keep)

    def close(self) -> None:
        for store in self._open:
            store.close()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    if request.param == "memory":
        made = Backend("memory:", lasting=False)
    elif request.param == "sqlite":
        made = Backend(str(tmp_path / "work folder"), lasting=True)
    else:
        made = Backend(request.getfixturevalue("postgresql_place"), lasting=True)
    yield made
    made.close()


def test_a_new_store_is_empty(backend: Backend) -> None:
    store = backend.reopened(backend.open())
    assert store.totals().requests == 0
    assert store.statuses() == {}
    assert store.covered() == {}
    assert store.timeline() == ()
    assert store.bugs() == ()
    assert store.exchanges() == ()
    assert store.seeds() == ()
    assert store.lineage(SeedId("s1")) == ()
    assert store.flows() == frozenset()
    assert store.outages() == ()
    assert store.endings() == ()
    assert store.state("random") is None
    assert store.fact("analyze") is None
    assert store.facts() == {}


def test_exchanges_come_back_as_they_were(backend: Backend) -> None:
    store = backend.open()
    events = [
        done(0.5, body=b"x" * 5000, sent=b""),
        done(1.5, MAKE, 201, execution=3, body=b"", sent=b"y" * 700),
        done(2.5, status=0),
        done(3.5, status=206, body=bytes(range(256)) * 2),
    ]
    store.record(events)
    store = backend.reopened(store)
    found = store.exchanges()
    assert [stored.exchange for stored in found] == [event.exchange for event in events]
    assert [(stored.id, stored.at, stored.seed, stored.execution) for stored in found] == [
        (1, 0.5, "s1", 0),
        (2, 1.5, "s1", 3),
        (3, 2.5, "s1", 0),
        (4, 3.5, "s1", 0),
    ]


def test_exchanges_come_in_pages_and_by_what_is_asked(backend: Backend) -> None:
    store = backend.open()
    store.record(done(at, MAKE if at % 2 else LIST, 500 if at % 3 == 0 else 200) for at in range(20))
    store.record([done(20, status=0)])
    assert [stored.id for stored in store.exchanges(limit=3)] == [1, 2, 3]
    assert [stored.id for stored in store.exchanges(after=18, limit=3)] == [19, 20, 21]
    assert store.exchanges(after=21) == ()
    assert [stored.id for stored in store.exchanges(operation=MAKE, after=2, limit=2)] == [4, 6]
    assert [stored.id for stored in store.exchanges(status=500)] == [1, 4, 7, 10, 13, 16, 19]
    assert [stored.id for stored in store.exchanges(operation=MAKE, status=500)] == [4, 10, 16]
    assert [stored.id for stored in store.exchanges(status=0)] == [21]


def test_counts_go_on_after_a_restart(backend: Backend) -> None:
    store = backend.open()
    store.record([done(0.1), done(0.2), done(1.0, MAKE, 500), done(1.1, status=0)])
    store = backend.reopened(store)
    store.record([done(2.0), done(2.1, status=0), OperationCovered(0.1, LIST)])
    store = backend.reopened(store)
    assert store.statuses() == {LIST: {200: 3, 0: 2}, MAKE: {500: 1}}
    totals = store.totals()
    assert (totals.requests, totals.exchanges_kept, totals.covered) == (6, 6, 1)
    assert totals.failures == {"timeout": 2}
    assert totals.last_at == 2.0
    assert [stored.id for stored in store.exchanges()] == [1, 2, 3, 4, 5, 6]


def test_the_first_cover_counts(backend: Backend) -> None:
    store = backend.open()
    store.record([OperationCovered(1.5, LIST), OperationCovered(2.5, LIST), OperationCovered(3.5, MAKE)])
    assert backend.reopened(store).covered() == {LIST: 1.5, MAKE: 3.5}


def test_the_timeline_adds_up(backend: Backend) -> None:
    store = backend.open()
    store.record([done(0.1), done(0.9), OperationCovered(0.9, LIST), done(3.2), BugFound(3.2, bug(at=3.2))])
    store = backend.reopened(store)
    assert store.timeline(points=2) == (Point(2.0, 2, 1, 0), Point(4.0, 3, 1, 1))


def test_bugs_come_back_in_their_latest_form(backend: Backend) -> None:
    store = backend.open()
    store.record([BugFound(4.0, bug(2)), BugFound(3.5, bug(1))])
    store = backend.reopened(store)
    store.record([BugConfirmed(9.0, bug(1, confirmed=True, count=7))])
    store = backend.reopened(store)
    assert store.bugs() == (bug(1, confirmed=True, count=7), bug(2))
    assert store.totals().bugs == 2


def test_seeds_keep_everything_and_their_lineage(backend: Backend) -> None:
    store = backend.open()
    store.record([SeedAdded(0.0, seed("a"), "log"), SeedAdded(1.0, seed("b"), "log")])
    store.record([SeedAdded(2.0, seed("c", "a", "b"), "new 2XX"), SeedAdded(9.0, seed("a"), "again")])
    store = backend.reopened(store)
    store.record([SeedAdded(3.0, seed("d", "c", "gone", "a"), "new pair")])
    a, b = StoredSeed(seed("a"), 0.0, "log"), StoredSeed(seed("b"), 1.0, "log")
    c = StoredSeed(seed("c", "a", "b"), 2.0, "new 2XX")
    d = StoredSeed(seed("d", "c", "gone", "a"), 3.0, "new pair")
    assert store.seeds() == (a, b, c, d)
    assert store.lineage(SeedId("d")) == (d, c, a, b)
    assert store.lineage(SeedId("gone")) == ()


def test_a_circle_of_parents_ends(backend: Backend) -> None:
    store = backend.open()
    store.record([SeedAdded(0.0, seed("a", "b"), ""), SeedAdded(0.0, seed("b", "a"), "")])
    assert [stored.seed.id for stored in store.lineage(SeedId("a"))] == ["a", "b"]


def test_flows_outages_and_endings(backend: Backend) -> None:
    store = backend.open()
    store.record([FlowReplayed(1.0, SeedId("a")), Outage(2.0, True, "refused"), Outage(3.0, False, "")])
    store.record([FlowReplayed(4.0, SeedId("a")), CampaignEnded(5.0, "stopped")])
    store = backend.reopened(store)
    store.record([CampaignEnded(9.0, "time is up")])
    store = backend.reopened(store)
    assert store.flows() == {"a"}
    assert store.totals().flows_replayed == 1
    assert store.outages() == (Outage(2.0, True, "refused"), Outage(3.0, False, ""))
    assert store.endings() == (CampaignEnded(5.0, "stopped"), CampaignEnded(9.0, "time is up"))


def test_state_and_facts_are_replaced(backend: Backend) -> None:
    store = backend.open()
    store.put_state("random", b"\x00\x01")
    store.put_state("random", b"\x00\x02" * 50_000)
    store.put_state("learnt", b"")
    store.put_fact("analyze", {"resources": [1, None, "\0\ud800é"], "seconds": 1.5})
    store.put_fact("read", [])
    store.put_fact("read", ["a"])
    store = backend.reopened(store)
    assert store.state("random") == b"\x00\x02" * 50_000
    assert store.state("learnt") == b""
    assert store.fact("analyze") == {"resources": [1, None, "\0\ud800é"], "seconds": 1.5}
    assert dict(store.facts()) == {"analyze": store.fact("analyze"), "read": ["a"]}


def test_pieces_are_replaced_and_forgotten(backend: Backend) -> None:
    store = backend.open()
    store.put_pieces({"a/1": b"one" * 1000, "a/2": b"", "b/%_": b"x"})
    store.put_pieces({"a/1": b"two" * 1000, "a/3": b"\0\xff"}, gone=["a/2", "never there"])
    store = backend.reopened(store)
    assert store.pieces("a/") == {"a/1": b"two" * 1000, "a/3": b"\0\xff"}
    store.put_pieces({}, gone=["a/3"])
    store.put_pieces({"a/3": b"again"})
    assert store.pieces() == {"a/1": b"two" * 1000, "a/3": b"again", "b/%_": b"x"}


@pytest.mark.parametrize(("keep", "kept"), [(Keep.ALL, 40), (Keep.INTERESTING, 10), (Keep.BUGS, 0)])
def test_what_is_not_kept_is_still_counted(backend: Backend, keep: Keep, kept: int) -> None:
    store = backend.open(keep=keep)
    store.record(done(at) for at in range(17))
    store = backend.reopened(store, keep=keep)
    store.record([done(at, MAKE, 500) for at in range(3)])
    store.flush()
    store.record([done(at, MAKE, 500) for at in range(20)])
    store.record([BugFound(3.5, bug())])
    store = backend.reopened(store, keep=keep)
    assert len(store.exchanges()) == store.totals().exchanges_kept == kept
    assert store.totals().requests == 40
    assert store.statuses() == {LIST: {200: 17}, MAKE: {500: 23}}
    assert store.bugs() == (bug(),)


def test_text_that_no_database_keeps_does_no_harm(backend: Backend) -> None:
    odd = OperationId("GET /\0\ud800")
    store = backend.open()
    store.record(
        [
            done(0.0, odd),
            OperationCovered(0.0, odd),
            Outage(0.0, True, "\0\udfff"),
            SeedAdded(0.0, seed("\ud800"), "\0"),
        ]
    )
    store.put_state("\0", b"1")
    store = backend.reopened(store)
    assert store.totals().requests == 1
    assert len(store.exchanges(operation=odd)) == 1
    assert store.state("\0") == b"1"
    assert len(store.lineage(SeedId("\ud800"))) == 1


def test_many_threads_may_record(backend: Backend) -> None:
    store = backend.open()

    def work() -> None:
        for number in range(200):
            store.record([done(number / 100)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = backend.reopened(store)
    assert store.totals().requests == 800
    assert [stored.id for stored in store.exchanges(limit=1000)] == list(range(1, 801))


def test_a_reader_sees_a_running_campaign(backend: Backend) -> None:
    if not backend.lasting:
        pytest.skip("the memory of one process cannot be read from another")
    store = backend.open()
    store.record([done(0.0), BugFound(3.5, bug())])
    store.flush()
    reader = backend.open(create=False, readonly=True)
    assert reader.totals().requests == 1
    store.record([done(1.0)])
    store.flush()
    assert reader.totals().requests == 2
    with pytest.raises(StoreError, match="reading only"):
        reader.record([done(2.0)])


def test_two_campaigns_do_not_mix(backend: Backend) -> None:
    if not backend.lasting:
        pytest.skip("each memory is its own")
    with pytest.raises(StoreError, match="no campaign"):
        backend.open(create=False)
    store = backend.open()
    with pytest.raises(StoreError, match="in use"):
        backend.open(create=False)
    backend.reopened(store).close()
    with pytest.raises(StoreError, match="already"):
        backend.open(create=True)


def test_a_lost_connection_loses_nothing(postgresql: Server, postgresql_place: str) -> None:
    store = open_store(postgresql_place, create=True)
    store.record([done(0.0), BugFound(3.5, bug())])
    store.flush()
    postgresql.stop()
    try:
        store.record([done(1.0)])
        with pytest.raises(StoreError, match="cannot be reached"):
            store.flush()
        with pytest.raises(StoreError, match="cannot be reached"):
            store.record([done(2.0)])
    finally:
        postgresql.start()
    store.flush()
    store.record([done(3.0)])
    assert store.totals().requests == 3
    assert store.bugs() == (bug(),)
    store.close()


EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        done,
        st.integers(0, 40).map(lambda tenth: tenth / 4),
        st.sampled_from([LIST, MAKE]),
        st.sampled_from([200, 404, 500, 0]),
        execution=st.integers(0, 3),
        body=st.binary(max_size=600),
    ),
    st.builds(OperationCovered, st.integers(0, 10).map(float), st.sampled_from([LIST, MAKE])),
    st.builds(
        lambda number, confirmed: BugFound(1.0, bug(number, confirmed=confirmed)),
        st.integers(1, 3),
        st.booleans(),
    ),
    st.builds(
        lambda at, name, parents: SeedAdded(at, seed(name, *parents), "why"),
        st.floats(0, 9),
        st.sampled_from("abc"),
        st.lists(st.sampled_from("abcd"), max_size=2),
    ),
    st.builds(FlowReplayed, st.floats(0, 9), st.sampled_from([SeedId("a"), SeedId("b")])),
    st.builds(Outage, st.floats(0, 9), st.booleans(), st.just("cause")),
    st.builds(CampaignEnded, st.floats(0, 9), st.just("done")),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=st.lists(st.lists(EVENTS, max_size=8), max_size=5), keep=st.sampled_from(list(Keep)))
def test_sqlite_agrees_with_memory(
    tmp_path_factory: pytest.TempPathFactory, groups: list[list[Event]], keep: Keep
) -> None:
    memory = MemoryStore(keep)
    backend = Backend(str(tmp_path_factory.mktemp("agreement")), lasting=True)
    stored = backend.open(keep=keep)
    for group in groups:
        memory.record(group)
        stored.record(group)
        stored = backend.reopened(stored, keep=keep)
    try:
        for store in (memory, stored):
            store.flush()
        assert stored.totals() == memory.totals()
        assert stored.statuses() == memory.statuses()
        assert stored.covered() == memory.covered()
        assert stored.timeline(points=7) == memory.timeline(points=7)
        assert stored.bugs() == memory.bugs()
        assert stored.exchanges() == memory.exchanges()
        assert stored.seeds() == memory.seeds()
        assert stored.flows() == memory.flows()
        assert stored.outages() == memory.outages()
        assert stored.endings() == memory.endings()
        for name in "abcd":
            assert stored.lineage(SeedId(name)) == memory.lineage(SeedId(name))
    finally:
        backend.close()
