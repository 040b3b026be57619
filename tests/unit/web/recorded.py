"""The made-up forge campaign of the report's tests, recorded as a campaign records it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.unit.report.campaign import FLOWS, JSON_HEADERS, campaign, seeds, slices
from tests.unit.report.test_html import hostile_campaign

from lobrest.app.outline import keep_outline
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
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Origin, Seed, SeedId, Wire
from lobrest.report.data import ReportData
from lobrest.store import CampaignStore, open_store

PLAYS = 60


def opening(data: ReportData, folder: Path) -> ReportData:
    """What was known before the first request."""
    summary = data.summary
    rows = tuple(replace(row, statuses={}) for row in summary.operations.list)
    return replace(
        data,
        summary=replace(
            summary,
            requests=0,
            duration_s=0.0,
            bugs=(),
            timeline=(),
            operations=replace(summary.operations, list=rows, covered=0, attempted=0),
            modules=tuple(replace(module, covered=0) for module in summary.modules),
            flows=replace(summary.flows, replayed=0),
            extra={"actors": ["ann", "bela"], "budget_s": 600.0, "held_back": {}},
        ),
        bugs=(),
        others=(),
        folder=str(folder),
    )


def events(data: ReportData) -> Iterator[Event]:
    """Plays of logged flows with a few refusals, a failure, an outage, and the bugs."""
    flows = [_wired(seed) for seed in seeds(slices(random.Random(7)))[:20]]
    child = replace(
        flows[0], id=SeedId("child0000001"), parents=(flows[0].id,), mutations=("splice", "value")
    )
    for number, seed in enumerate(flows):
        yield SeedAdded(number / 10, seed, "log")
        if number % 3 == 0:
            yield FlowReplayed(number / 10, seed.id)
    yield SeedAdded(3.0, child, "mutate: 2.5 new")
    seen: set[str] = set()
    for play in range(PLAYS):
        at = play / 2
        seed = flows[play % len(flows)] if play % 4 else child
        ways = FLOWS[play % len(FLOWS)]
        kind = "first" if play < 20 else ("mutate", "probe", "walk")[play % 3]
        yield Played(
            at, play, seed.id, kind, ("splice",) if kind == "mutate" else (), len(ways), len(ways) - 1
        )
        for step, op in enumerate(ways):
            yield ExchangeDone(at, seed.id, play, _exchange(op, play, step, at))
            if op not in seen and play > 2:
                seen.add(op)
                yield OperationCovered(at, OperationId(op))
    yield Outage(20.0, True, "after GET /projects")
    yield Outage(22.0, False, "answers again")
    for bug in data.bugs:
        yield BugFound(bug.first_seen_s, bug)


def record(place: str | Path, data: ReportData | None = None, *, folder: Path | None = None) -> CampaignStore:
    """The campaign in a new store, still open: as if it was running."""
    shown = data if data is not None else campaign()
    store = open_store(place, create=True)
    keep_outline(store, opening(shown, folder or Path(str(place))))
    store.record(events(shown))
    store.flush()
    return store


def recorded(place: str | Path, data: ReportData | None = None) -> None:
    """A campaign that has ended."""
    store = record(place, data)
    store.record([CampaignEnded(31.0, "time is up")])
    store.close()


def hostile(place: Path, text: str) -> None:
    """A campaign in which everything that came from outside is the given text."""
    data = hostile_campaign(text)
    store = open_store(place, create=True)
    keep_outline(store, opening(data, place))
    op = OperationId(f"GET /{text}")
    request = Request(op, text, f"/{text}", ((text, text),), text.encode("utf-8", "replace"), text)
    exchange = Exchange(
        request, Response(500, ((text, text),), text.encode("utf-8", "replace"), 0.1), None, 1.0, 0
    )
    base = seeds(slices(random.Random(7)))[0]
    step = replace(base.steps[0], entry=replace(base.steps[0].entry, operation=op, user=text), reason=text)
    seed = replace(base, steps=(step,), notes=(text,), mutations=(text,))
    store.record(
        [
            SeedAdded(0.5, seed, text[:200]),
            Played(1.0, 0, seed.id, text[:200], (text[:200],), 1, 0),
            ExchangeDone(1.0, seed.id, 0, exchange),
            Outage(2.0, True, text),
            *(BugFound(1.0, replace(bug, evidence=text)) for bug in data.bugs),
            CampaignEnded(3.0, text),
        ]
    )
    store.close()


def _exchange(op: str, play: int, step: int, at: float) -> Exchange:
    method, path = op.split()
    target = "/api/v1" + path.replace("{id}", str(play)).replace("{merge_request_iid}", "3")
    body = b'{"name": "thing", "password": "hunter2hunter2"}' if method == "POST" else None
    request = Request(
        OperationId(op), method, f"{target}?token=sesame", JSON_HEADERS, body, ("ann", "bela")[play % 2]
    )
    if play == 11 and step == 1:
        return Exchange(request, None, Failure.TIMEOUT, at, step)
    status = 404 if (play + step) % 7 == 0 else 500 if play == 30 else 201 if method == "POST" else 200
    answer = b'{"id": %d, "message": "%s"}' % (play, b"404 Not Found" if status == 404 else b"fine")
    return Exchange(request, Response(status, JSON_HEADERS, answer, 0.004 * (step + 1)), None, at, step)


def _wired(seed: Seed) -> Seed:
    """With a value that flows from the creation to the step after it."""
    if len(seed.steps) < 2 or seed.steps[0].origin is not Origin.CREATION:
        return seed
    ref = ParameterRef(seed.steps[1].entry.operation, Location.PATH, "id")
    return replace(seed, wires=(Wire(1, ref, 0, ResourceInstance(ResourceName("/projects"), "16")),))
