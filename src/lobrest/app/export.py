"""What can be exported: from a finished campaign, or from a specification and logs alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lobrest.app.clock import today
from lobrest.app.outline import OUTLINE
from lobrest.app.pipeline import Prepared
from lobrest.app.resume import recall_beginning, recall_material
from lobrest.app.storage import open_campaign_store
from lobrest.app.target import origin
from lobrest.app.work import WorkFolder
from lobrest.enhance import enhanced
from lobrest.export.flow import Flow, distinct, made_unique, played_flow
from lobrest.export.seed_flow import seed_flow
from lobrest.fuzz.render import Renderer
from lobrest.model.entry import LogEntry
from lobrest.model.exchange import Exchange
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Origin, SeedId
from lobrest.report.data import ReportData
from lobrest.store import CampaignStore
from lobrest.store.codec import unpack

_PAGE = 1000
_LOCAL = "http://localhost"
_UNKNOWN_ADDRESS = "openapi.json"


@dataclass(frozen=True, slots=True)
class Exportable:
    """Mined flows, and what is known besides them."""

    service: str
    address: str
    """Of the specification."""
    flows: tuple[Flow, ...]
    spec: ApiSpec | None = None
    model: ResourceModel | None = None
    entries: tuple[LogEntry, ...] = ()
    """The logged requests behind the flows; empty where only the campaign is known."""
    origin: str = _LOCAL
    """Scheme, host and port of the service that was played."""
    started: datetime = datetime(1970, 1, 1, tzinfo=UTC)


def of_prepared(prepared: Prepared, address: str, *, random_seed: int = 0) -> Exportable:
    """Flows that were mined and completed, none of them played."""
    spec = prepared.spec
    seeds = enhanced(
        spec,
        prepared.model,
        prepared.corpus,
        prepared.slices,
        chance=random.Random(random_seed),
        now=today(),
    )
    base = spec.base_paths[0] if spec.base_paths else ""
    renderer = Renderer(spec, prepared.router, base_path=base)
    flows = distinct(seed_flow(seed, prepared.model, renderer) for seed in seeds if seed.origin is Origin.LOG)
    return Exportable(spec.title or "the service", address, flows, spec, prepared.model, _entries(prepared))


def of_campaign(folder: WorkFolder) -> Exportable:
    """Flows that a campaign has replayed, as it played them; where none was kept, those that it was to play."""
    source = str(folder.path)
    store = open_campaign_store(folder.path, readonly=True)
    try:
        kept = store.state(OUTLINE)
        outline = unpack(ReportData, kept) if kept is not None else None
        prepared = recall_material(store, source=source)
        beginning = recall_beginning(store, source)
        replays = list(_replays(store))
    finally:
        store.close()
    unique = {ref for one in prepared.model.creations.values() for ref in one.identified_by}
    unique |= made_unique(exchange for exchanges in replays for exchange in exchanges)
    flows = distinct(played_flow(exchanges, unique=unique) for exchanges in replays)
    address = beginning.inputs[0].name if beginning.inputs else _UNKNOWN_ADDRESS
    known = Exportable(
        prepared.spec.title or "the service",
        address,
        flows,
        prepared.spec,
        prepared.model,
        _entries(prepared),
        origin(outline.target) if outline is not None and outline.target else _LOCAL,
        datetime.fromisoformat(beginning.started),
    )
    return known if flows else replace(known, flows=of_prepared(prepared, address).flows)


def _entries(prepared: Prepared) -> tuple[LogEntry, ...]:
    return tuple(entry for piece in prepared.slices for entry in piece.entries)


def _replays(store: CampaignStore) -> Iterator[Sequence[Exchange]]:
    """For each flow that was replayed the play of it with the fewest refusals."""
    best: dict[SeedId, tuple[int, list[Exchange]]] = {}
    for (seed, _), exchanges in _plays(store, store.flows()):
        last = {exchange.step: exchange for exchange in exchanges}
        refused = sum(not (one.ok or 300 <= one.status < 400) for one in last.values())
        whole = set(last) == set(range(len(last)))
        if whole and (seed not in best or refused < best[seed][0]):
            best[seed] = (refused, exchanges)
    for _, exchanges in sorted(best.values(), key=lambda one: one[0]):
        yield exchanges


def _plays(
    store: CampaignStore, wanted: frozenset[SeedId]
) -> Iterator[tuple[tuple[SeedId, int], list[Exchange]]]:
    """Plays of these seeds; the exchanges of one play are stored one after the other."""
    after = 0
    current: tuple[SeedId, int] | None = None
    exchanges: list[Exchange] = []
    while True:
        page = store.exchanges(after=after, limit=_PAGE)
        for stored in page:
            key = (stored.seed, stored.execution)
            if key != current:
                if current is not None and current[0] in wanted:
                    yield current, exchanges
                current, exchanges = key, []
            exchanges.append(stored.exchange)
        if len(page) < _PAGE:
            break
        after = page[-1].id
    if current is not None and current[0] in wanted:
        yield current, exchanges
