"""One campaign from what a person asked for to a finished work folder."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lobrest.app.campaign import Budget, Campaign, Result, Sink
from lobrest.app.clock import SystemClock, today
from lobrest.app.control import Gate, GatedTransport, forget_wishes, obey
from lobrest.app.outline import keep_outline, opening
from lobrest.app.people import ask_people
from lobrest.app.pipeline import Prepared
from lobrest.app.summarise import summarise
from lobrest.app.target import base_path, origin
from lobrest.app.work import WorkFolder
from lobrest.errors import CredentialsError, TargetError, UsageError
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Player
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.safety import held_back
from lobrest.fuzz.state import Attempt, Depth, Material, Rules
from lobrest.model.event import BugConfirmed, BugFound, Event
from lobrest.model.slice import Profile
from lobrest.model.summary import Summary
from lobrest.spec.router import Router
from lobrest.store import CampaignStore, Keep, MemoryStore, open_store
from lobrest.transport import Credentials, HttpTransport


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be tested, and how."""

    target: str
    credentials: Credentials
    budget: Budget
    random_seed: int = 0
    profile: Profile = Profile.DEFAULT
    depth: Depth = Depth.FUZZ
    concurrency: int = 8
    rate: float | None = None
    keep: Keep = Keep.ALL
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Outcome:
    """What a campaign left."""

    engine: Engine
    result: Result
    summary: Summary
    started: datetime


Planned = Callable[[Attempt], None]


def run_session(
    prepared: Prepared,
    order: Order,
    folder: WorkFolder | None,
    *,
    sinks: Sequence[Sink] = (),
    planned: Planned | None = None,
    begun: Callable[[Engine], None] | None = None,
) -> Outcome:
    """Play and fuzz until the budget is spent or Ctrl-C; the folder is complete either way."""
    return asyncio.run(_session(prepared, order, folder, sinks, planned, begun))


async def _session(
    prepared: Prepared,
    order: Order,
    folder: WorkFolder | None,
    sinks: Sequence[Sink],
    planned: Planned | None,
    begun: Callable[[Engine], None] | None,
) -> Outcome:
    started = datetime.now(UTC)
    spec, model = prepared.spec, prepared.model
    base = base_path(order.target, spec)
    names = order.credentials.names
    transport = HttpTransport(
        origin(order.target), order.credentials, rate=order.rate, concurrency=order.concurrency
    )
    try:
        await _reach(transport, order)
        router = Router(spec)
        people = await ask_people(spec, model, router, transport, names, base_path=base)
        for credential in order.credentials:
            if credential.name not in people and credential.username:
                people[credential.name] = {"username": credential.username, "name": credential.username}
        back = held_back(spec, include=order.include, exclude=order.exclude, allow=order.allow)
        if len(back) == len(spec.operations):
            raise UsageError("no operation is left to send", hint="look at --include, --exclude and --allow")
        now = today()
        engine = Engine(
            Material(spec, model, prepared.corpus, prepared.slices),
            Rules(
                order.random_seed,
                names,
                people,
                now,
                depth=order.depth,
                held_back=frozenset(back),
                reuse=order.profile is not Profile.PAPER,
            ),
        )
        if begun is not None:
            begun(engine)
        store = (
            open_store(folder.path, create=True, keep=order.keep)
            if folder is not None
            else MemoryStore(Keep.BUGS)
        )
        keeper = _Keeper(folder, store, order, started)
        gate = Gate(SystemClock())
        campaign = Campaign(
            engine,
            Player(spec, model, Renderer(spec, router, base_path=base), now=now),
            GatedTransport(transport, gate),
            gate,
            order.budget,
            sinks=[keeper, *sinks],
            window=4 * order.concurrency if order.concurrency > 1 else 1,
            planned=planned,
            gate=gate,
        )
        _stop_on_signals(campaign)
        obeying = None
        if folder is not None:
            forget_wishes(folder.path)
            obeying = asyncio.create_task(obey(folder.path, gate, campaign))
            data = opening(
                prepared,
                target=order.target,
                folder=folder.path,
                profile=order.profile.value,
                seed=order.random_seed,
                started=started.isoformat(timespec="seconds"),
                flows=engine.flows,
                budget_s=order.budget.seconds,
                actors=names,
                held_back=back,
            )
            keep_outline(store, data)
        try:
            result = await campaign.run()
        finally:
            if obeying is not None:
                obeying.cancel()
            store.close()
    finally:
        await transport.close()
    summary = summarise(
        engine,
        result,
        profile=order.profile.value,
        started=started.isoformat(timespec="seconds"),
        stages=prepared.stages,
        extra={"held_back": {str(op): why for op, why in back.items()}, **order.extra},
    )
    if folder is not None:
        folder.write_summary(summary)
    return Outcome(engine, result, summary, started)


async def _reach(transport: HttpTransport, order: Order) -> None:
    """Fail early and clearly where nobody answers or every login is refused."""
    reached = await transport.probe()
    if order.credentials.names and set(reached.refused) >= set(order.credentials.names):
        raise CredentialsError(
            "the service refuses every credential", source=order.target, hint="check --auth"
        )
    if reached.status == 0:
        raise TargetError("nobody answers", source=order.target, hint="is the service up?")


class _Keeper:
    """Records everything; a bug is safe, and its folder written, before anybody is told of it."""

    def __init__(
        self, folder: WorkFolder | None, store: CampaignStore, order: Order, started: datetime
    ) -> None:
        self._folder = folder
        self._store = store
        self._origin = origin(order.target)
        self._started = started

    def __call__(self, events: Sequence[Event]) -> None:
        if self._folder is None:
            return
        self._store.record(events)
        if any(isinstance(event, BugFound) for event in events):
            self._store.flush()
        for event in events:
            if isinstance(event, BugFound | BugConfirmed):
                self._folder.write_bug(event.bug, origin=self._origin, started=self._started)


def _stop_on_signals(campaign: Campaign) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, campaign.stop)
        except (NotImplementedError, RuntimeError):
            return  # not the main thread, or a platform without signals: Ctrl-C raises as usual


def default_folder(stem: str, wanted: Path | None) -> WorkFolder:
    """The folder named, or a new one here."""
    return WorkFolder.create(wanted, stem=stem)
