"""Going on with a campaign that ended or was killed: what is kept for that, and how it is read back.

Kept are the order without its credentials, the inputs by name and digest, and what was made of them: a log that
has moved on or gone is not missed. Credentials are kept nowhere; whoever goes on gives them anew.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from lobrest.app.campaign import Result
from lobrest.app.keeper import PROGRESS
from lobrest.app.outline import log_reading
from lobrest.app.pipeline import Prepared
from lobrest.errors import StoreError, UsageError
from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.state import EngineState
from lobrest.model.bug import Bug
from lobrest.model.corpus import Corpus
from lobrest.model.event import BugFound
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Slice
from lobrest.model.summary import StageTimes
from lobrest.report.data import LogReading
from lobrest.spec.router import Router
from lobrest.store import CampaignStore
from lobrest.store.codec import Codec, Codecs, pack, to_json, unpack
from lobrest.store.snapshot import PREFIX, Snapshots
from lobrest.transport import Credentials

_ORDER: Final = "order"
_BEGINNING: Final = "beginning"
_MATERIAL: Final = "material"
_VERSION: Final = 1
_ENDS: Final = 1 << 16
_DAMAGE: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, zlib.error)

Order = TypeVar("Order")


@dataclass(frozen=True, slots=True)
class Mark:
    """An input as it was: enough to see that it has changed since."""

    name: str
    size: int = -1
    """-1 where it is not a file."""
    digest: str = ""
    """Of its first and last 64 KiB."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """When and from what a campaign began."""

    now: float
    """The present moment that requests speak of."""
    started: str
    inputs: tuple[Mark, ...] = ()
    version: int = _VERSION


@dataclass(frozen=True, slots=True)
class _Material:
    """``Prepared`` without what can be made from the rest."""

    spec: ApiSpec
    model: ResourceModel
    corpus: Corpus
    slices: tuple[Slice, ...]
    stages: StageTimes
    logs: LogReading | None = None
    slice_count: int = 0
    max_lead_seconds: float = 0.0
    window_seconds: float = 0.0


@dataclass(slots=True)
class Before:
    """Where a campaign has got to."""

    store: CampaignStore
    state: EngineState | None
    """None: it was killed before anything moved."""
    snapshots: Snapshots
    result: Result
    now: float
    started: datetime
    inputs: tuple[Mark, ...] = field(default_factory=tuple)


def marks_of(sources: Sequence[str]) -> tuple[Mark, ...]:
    """Inputs as they are now; what is no file has only its name."""
    return tuple(_mark(source) for source in sources)


def _mark(source: str) -> Mark:
    path = Path(source)
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            digest = hashlib.blake2b(file.read(_ENDS), digest_size=16)
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    except (OSError, ValueError):
        return Mark(source)
    return Mark(str(path.absolute()), size, digest.hexdigest())


def changed_since(inputs: Sequence[Mark]) -> list[str]:
    """Names of inputs that are not what they were, or not there."""
    return [mark.name for mark in inputs if mark.size >= 0 and _mark(mark.name) != mark]


def remember(
    store: CampaignStore,
    prepared: Prepared,
    order: object,
    *,
    now: float,
    started: datetime,
    inputs: Sequence[Mark] = (),
) -> None:
    """Keep what going on needs, apart from the engine's state. Nothing secret is in it."""
    beginning = Beginning(now, started.isoformat(), tuple(inputs))
    material = _Material(
        prepared.spec,
        prepared.model,
        prepared.corpus,
        prepared.slices,
        prepared.stages,
        log_reading(prepared),
        prepared.slice_count,
        prepared.max_lead_seconds,
        prepared.window_seconds,
    )
    names_only = Codec(lambda given: list(given.names), tuple)
    store.put_pieces(
        {
            _BEGINNING: pack(Beginning, beginning),
            _ORDER: to_json(Codecs({Credentials: names_only}).of(type(order)).encode(order)),
            _MATERIAL: to_json(Codecs().of(_Material).encode(material)),
        }
    )


def recall_order(store: CampaignStore, kind: type[Order], credentials: Credentials, *, source: str) -> Order:
    """The order of before with the credentials of now, whose names must be the same."""

    def same(names: Any) -> Credentials:
        if list(credentials.names) != names:
            wanted = ", ".join(map(str, names)) or "none"
            given = ", ".join(credentials.names) or "none"
            raise UsageError(
                f"the campaign was run as {wanted}; --auth gives {given}",
                source=source,
                hint="credentials are not kept: give the same --auth in the same order",
            )
        return credentials

    content = _piece(store, _ORDER, source)
    try:
        order: Order = Codecs({Credentials: Codec(_same, same)}).of(kind).decode(json.loads(content))
    except _DAMAGE as error:
        raise _damaged(source, error) from error
    return order


def recall_material(store: CampaignStore, *, source: str) -> Prepared:
    """What the inputs gave."""
    content = _piece(store, _MATERIAL, source)
    try:
        kept: _Material = Codecs().of(_Material).decode(json.loads(content))
    except _DAMAGE as error:
        raise _damaged(source, error) from error
    return Prepared(
        kept.spec,
        kept.model,
        Router(kept.spec),
        kept.corpus,
        kept.slices,
        kept.stages,
        slice_count=kept.slice_count,
        max_lead_seconds=kept.max_lead_seconds,
        window_seconds=kept.window_seconds,
        logs=kept.logs,
    )


def recall(store: CampaignStore, prepared: Prepared, *, source: str) -> Before:
    """Where the campaign has got to: the last snapshot, and what the store has beyond it."""
    beginning = recall_beginning(store, source)
    snapshots = Snapshots(prepared.slices)
    pieces = store.pieces(PREFIX)
    result = _result(store, source)
    state = snapshots.read(pieces, source=source) if pieces else None
    if state is not None:
        state.go_on()
        for operation in store.covered():
            if operation in prepared.spec.operations:
                state.feedback.covered.add(operation)
        for operation, counts in store.statuses().items():
            state.feedback.statuses[operation] = dict(counts)
        _agree_on_bugs(store, state)
    return Before(
        store,
        state,
        snapshots,
        result,
        beginning.now,
        datetime.fromisoformat(beginning.started),
        beginning.inputs,
    )


def recall_knowledge(store: CampaignStore, *, source: str) -> Knowledge:
    """What a campaign has learnt about its service."""
    prepared = recall_material(store, source=source)
    return Snapshots(prepared.slices).read(store.pieces(PREFIX), source=source).knowledge


def _agree_on_bugs(store: CampaignStore, state: EngineState) -> None:
    """What the state has and the store has not was about to be recorded; of two forms the later one counts."""
    known: dict[int, Bug] = {bug.number: bug for bug in store.bugs()}
    for case in state.triage.cases.values():
        if case.bug.number not in known:
            store.record([BugFound(case.bug.first_seen_s, case.bug)])


def _result(store: CampaignStore, source: str) -> Result:
    """Figures so far, the exact ones from the store."""
    kept = store.pieces(PROGRESS).get(PROGRESS)
    try:
        result = unpack(Result, kept) if kept is not None else Result()
    except _DAMAGE as error:
        raise _damaged(source, error) from error
    totals = store.totals()
    result.requests = totals.requests
    result.seconds = max([result.seconds, totals.last_at, *(ending.at for ending in store.endings())])
    result.failures = dict(totals.failures)
    for outage in result.outages:
        if outage.ended_s is None:
            outage.ended_s = result.seconds
    result.reason, result.stopped, result.dead = "", False, False
    return result


def recall_beginning(store: CampaignStore, source: str) -> Beginning:
    """When and from what the campaign began."""
    content = _piece(store, _BEGINNING, source)
    try:
        beginning = unpack(Beginning, content)
    except _DAMAGE as error:
        raise _damaged(source, error) from error
    if beginning.version != _VERSION:
        raise StoreError("was begun by a newer lobrest", source=source, hint="update lobrest")
    return beginning


def _piece(store: CampaignStore, name: str, source: str) -> bytes:
    content = store.pieces(name).get(name)
    if content is None:
        raise StoreError(
            "the campaign was stopped before its first request, or is of a version that kept no state",
            source=source,
            hint="start it anew; its bugs and requests can be looked at",
        )
    return content


def _damaged(source: str, error: Exception) -> StoreError:
    return StoreError(
        f"what the campaign was given is damaged: {error!r:.200}", source=source, hint="start a new campaign"
    )


def _same(value: Any) -> Any:
    return value
