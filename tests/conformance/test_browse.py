"""Looking around gives the same on every database, and the same as going through everything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.samples import LIST, MAKE, bug, exchange, seed
from tests.unit.web.recorded import record

from lobrest.app.control import Wish, wished
from lobrest.model.event import (
    BugFound,
    CampaignEnded,
    Event,
    ExchangeDone,
    FlowReplayed,
    OperationCovered,
    Outage,
    Played,
    SeedAdded,
)
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.store import CampaignStore, open_store
from lobrest.store.browse import Browser, RequestFilter, open_browser
from lobrest.web.picture import State
from lobrest.web.watched import watch

RARE = OperationId("DELETE /projects/{id}")
KINDS = ("first", "mutate", "walk")


def events(plays: int) -> Iterator[Event]:
    """Plays of four requests; a rare operation once in fifty plays, no answer once in seven."""
    for play in range(plays):
        at = play / 10
        kind = KINDS[play % 3]
        yield Played(at, play, SeedId(f"s{play % 5}"), kind, ("splice", "value") if play % 3 else (), 4, 3)
        for step in range(4):
            operation = RARE if step == 3 and play % 50 == 0 else (LIST, MAKE)[step % 2]
            status = 0 if step == 2 and play % 7 == 0 else (200, 201, 404, 500)[(play + step) % 4]
            yield ExchangeDone(
                at,
                SeedId(f"s{play % 5}"),
                play,
                exchange(operation, status, body=b"x" * (300 * step), at=at, step=step),
            )


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgresql_place")


@pytest.fixture
def store(place: str) -> Iterator[CampaignStore]:
    opened = open_store(place, create=True)
    yield opened
    opened.close()


@pytest.fixture
def browser(place: str, store: CampaignStore) -> Iterator[Browser]:
    store.record(events(300))
    store.record([SeedAdded(1.0, seed("s1"), "first"), SeedAdded(2.0, seed("s2", "s1"), "mutate: 1.5 new")])
    store.record([SeedAdded(2.5, seed("s3", "s2", "gone"), "first"), FlowReplayed(3.0, SeedId("s1"))])
    store.record(
        [
            OperationCovered(0.5, LIST),
            OperationCovered(4.0, MAKE),
            BugFound(3.5, bug(1)),
            BugFound(9.0, bug(2)),
        ]
    )
    store.record(
        [Outage(5.0, True, "after it"), Outage(6.0, False, "again"), CampaignEnded(31.0, "time is up")]
    )
    store.put_state("name", b"\x00\x01")
    store.flush()
    opened = open_browser(place)
    yield opened
    opened.close()


def all_lines(browser: Browser) -> list[tuple[int, str, int, str, str]]:
    page = browser.requests(RequestFilter(), limit=5000)
    assert page.older is None
    return [(line.id, line.operation, line.status, line.kind, line.actor) for line in page.lines]


def test_without_a_filter_everything_is_there_newest_first(browser: Browser):
    found = all_lines(browser)
    assert [number for number, *_ in found] == list(range(1200, 0, -1))
    assert {kind for *_, kind, _ in found} == set(KINDS)
    assert browser.newest() == 1200


@pytest.mark.parametrize("limit", [1, 7, 50])
@pytest.mark.parametrize(
    "wanted",
    [
        RequestFilter(),
        RequestFilter(operation=LIST),
        RequestFilter(operation=RARE),
        RequestFilter(status="404"),
        RequestFilter(status="4xx"),
        RequestFilter(status="none"),
        RequestFilter(status="2XX", operation=MAKE),
        RequestFilter(kind="walk"),
        RequestFilter(kind="walk", operation=RARE),
        RequestFilter(actor="ann", status="5xx"),
        RequestFilter(actor="nobody"),
        RequestFilter(text="delete"),
        RequestFilter(text="PROJECTS get", kind="first"),
        RequestFilter(operation="GET /nothing"),
        RequestFilter(status="nonsense"),
        RequestFilter(kind="nonsense"),
    ],
    ids=str,
)
def test_pages_together_are_what_fits(browser: Browser, wanted: RequestFilter, limit: int):
    def fits(operation: str, status: int, kind: str, actor: str) -> bool:
        shown = f"{operation.split()[0]} /projects?q=%20 {operation}".lower()
        return (
            wanted.operation in ("", operation)
            and wanted.has_status(status)
            and wanted.kind in ("", kind)
            and wanted.actor in ("", actor)
            and all(word in shown for word in wanted.text.lower().split())
        )

    expected = [number for number, *facts in all_lines(browser) if fits(*facts)]
    found: list[int] = []
    before = None
    for _ in range(3 + 1200 // limit if limit > 1 else 40):
        page = browser.requests(wanted, before=before, limit=limit)
        assert len(page.lines) <= limit
        found.extend(line.id for line in page.lines)
        before = page.older
        if before is None:
            assert found == expected
            break
    assert found == expected[: len(found)]
    if not wanted.after_the_index and not wanted.kind:
        assert browser.total(wanted) == len(expected)
    else:
        assert browser.total(wanted) is None or not wanted.after_the_index


def test_a_filter_that_nothing_fits_ends_early_and_says_where(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lobrest.store.browse._MOST_LOOKED_AT", 100)
    monkeypatch.setattr("lobrest.store.browse._PIECE", 40)
    page = browser.requests(RequestFilter(text="nowhere"))
    assert page.lines == ()
    assert page.older is not None
    assert 100 <= page.looked_at < 200
    assert page.older == 1201 - page.looked_at
    turns = 0
    while page.older is not None:
        page = browser.requests(RequestFilter(text="nowhere"), before=page.older)
        turns += 1
    assert turns > 5


def test_a_request_and_its_play(browser: Browser):
    stored = browser.exchange(6)
    assert stored is not None
    assert (stored.execution, stored.exchange.step) == (1, 1)
    play = browser.play(stored.execution)
    assert play is not None
    assert (play.seed, play.kind, play.mutators) == ("s1", "mutate", ("splice", "value"))
    assert (play.first, play.requests, play.good) == (5, 4, 3)
    assert [line.id for line in browser.lines_of_play(play)] == [5, 6, 7, 8]
    whole = browser.exchanges_of_play(play)
    assert [one.id for one in whole] == [5, 6, 7, 8]
    assert [len(one.exchange.response.body) for one in whole if one.exchange.response] == [0, 300, 600, 900]
    assert [one.execution for one in browser.plays_of_seed(SeedId("s1"), limit=3)] == [296, 291, 286]
    assert browser.exchange(9999) is None
    assert browser.play(9999) is None
    assert [one.exchange.status for one in browser.refused(MAKE, limit=2)] == [404, 500]


def test_sums(browser: Browser, store: CampaignStore):
    sums = browser.statuses()
    assert sum(one.total for one in sums) == 1200
    assert sum(one.kept for one in sums) == 1200
    assert sum(one.seconds for one in sums) == pytest.approx(
        0.25 * sum(one.total for one in sums if one.status)
    )
    assert browser.covered() == store.covered()
    assert browser.failures() == {"timeout": 43}
    assert browser.kinds() == KINDS
    assert browser.timeline() == store.timeline()
    assert browser.last_second() == 31.0
    assert [one.cause for one in browser.outages()] == ["after it", "again"]
    assert browser.endings() == store.endings()
    assert browser.state("name") == b"\x00\x01"
    assert browser.state("other") is None


def test_bugs_and_seeds(browser: Browser, store: CampaignStore):
    assert browser.bugs() == store.bugs()
    assert browser.bug(2) == store.bugs()[1]
    assert browser.bug(3) is None
    first = browser.seeds(limit=2)
    assert [(place, one.seed.id) for place, one in first.seeds] == [(1, "s1"), (2, "s2")]
    assert first.after == 2
    rest = browser.seeds(after=2)
    assert ([one.seed.id for _, one in rest.seeds], rest.after) == (["s3"], None)
    assert [one.seed.id for _, one in browser.seeds(why="first").seeds] == ["s1", "s3"]
    assert (browser.seed_count(), browser.seed_count(why="first")) == (3, 2)
    assert [one.seed.id for one in browser.lineage(SeedId("s3"))] == ["s3", "s2", "s1"]
    assert browser.lineage(SeedId("gone")) == ()
    assert browser.seeds_named("s") == ("s1", "s2", "s3")
    assert browser.seeds_named("s2") == ("s2",)
    assert browser.seeds_named("%") == ()
    assert browser.replayed_flows() == {"s1": (MAKE, MAKE)}


def test_it_sees_what_is_written_while_it_looks(browser: Browser, store: CampaignStore):
    assert browser.running()
    assert browser.timeline()[-1].requests == 1200
    store.record(ExchangeDone(40.0 + at, SeedId("s9"), 400 + at, exchange()) for at in range(60))
    store.flush()
    assert browser.timeline() == store.timeline()
    assert browser.newest() == 1260
    store.close()
    for _ in range(100):  # a server notices a moment later that somebody has gone
        if not browser.running():
            break
        time.sleep(0.05)
    assert not browser.running()


def test_a_long_campaign_is_drawn_together(place: str, store: CampaignStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lobrest.store.browse._MOST_TICKS", 64)
    store.record(ExchangeDone(float(at), SeedId("s"), at, exchange()) for at in range(500))
    store.flush()
    browser = open_browser(place)
    seen = browser.timeline()
    store.record(ExchangeDone(float(at), SeedId("s"), at, exchange()) for at in range(500, 900))
    store.flush()
    later = browser.timeline()
    browser.close()
    assert (seen[-1].requests, later[-1].requests) == (500, 900)
    assert len(later) <= 200
    assert all(abs(point.requests - point.t_s) <= 32 for point in later)


def test_a_campaign_in_any_database_is_shown_and_steered(place: str, tmp_path: Path):
    running = record(place, folder=tmp_path)
    (watched,) = watch([place])
    assert watched.state() is State.RUNNING
    assert len(watched.picture().bugs) == 9
    watched.steer(Wish.PAUSE)
    assert (watched.state(), wished(tmp_path)) == (State.PAUSED, Wish.PAUSE)
    watched.close()
    running.close()
