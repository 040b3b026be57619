"""One campaign from what a person asked for to a finished work folder."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lobrest.app.campaign import Budget, Campaign, Result, Sink
from lobrest.app.cleanup import THINGS, Cleaner, Journal, Tidiness
from lobrest.app.clock import SystemClock, today
from lobrest.app.collector import seldom_collecting
from lobrest.app.compare import Counterpart
from lobrest.app.control import Gate, GatedTransport, forget_wishes, obey
from lobrest.app.coverage import CoverageWatch
from lobrest.app.keeper import Keeper, Say
from lobrest.app.oracles import broken_headers
from lobrest.app.outline import keep_outline, opening
from lobrest.app.people import ask_people
from lobrest.app.pipeline import Prepared
from lobrest.app.resume import Before, Mark, remember
from lobrest.app.sparing import SparingTransport
from lobrest.app.storage import create_campaign_store
from lobrest.app.summarise import summarise
from lobrest.app.target import base_path, origin
from lobrest.app.work import WorkFolder
from lobrest.errors import CredentialsError, StoreError, TargetError, UsageError
from lobrest.fuzz.accounts import AccountsInUse
from lobrest.fuzz.cleanup import Counts, Ledger
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.oracles.catalogue import chosen
from lobrest.fuzz.oracles.desk import Choice
from lobrest.fuzz.play import Player
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.safety import NOT_INCLUDED, allowed, held_back
from lobrest.fuzz.state import Attempt, Depth, Material, Rules
from lobrest.model.event import Cleaning, Paused
from lobrest.model.slice import Profile
from lobrest.model.summary import Summary
from lobrest.probes import open_probe
from lobrest.spec.router import Router
from lobrest.store import CampaignStore, Keep, MemoryStore
from lobrest.store.snapshot import Snapshots
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
    oracles: frozenset[str] = field(default_factory=lambda: chosen(()))
    extra: Mapping[str, Any] = field(default_factory=dict)
    tidiness: Tidiness | None = None
    """What the campaign makes is taken away again; None leaves it."""
    coverage: str = ""
    """Where the line coverage of the service can be had; empty is nowhere."""
    store: str = ""
    """The URL of a database; empty is the work folder."""
    inputs: tuple[Mark, ...] = ()
    """What the material was made of."""


@dataclass(slots=True)
class Outcome:
    """What a campaign left."""

    engine: Engine
    result: Result
    summary: Summary
    started: datetime
    cleaned: Counts | None = None


Planned = Callable[[Attempt], None]


def run_session(
    prepared: Prepared,
    order: Order,
    folder: WorkFolder | None,
    *,
    sinks: Sequence[Sink] = (),
    planned: Planned | None = None,
    begun: Callable[[Engine], None] | None = None,
    learnt: Knowledge | None = None,
    before: Before | None = None,
    say: Say = lambda _: None,
    beside: Counterpart | None = None,
) -> Outcome:
    """Play and fuzz until the budget is spent or Ctrl-C; the folder is complete either way.

    ``learnt`` is what is known from elsewhere, ``before`` where this very campaign has got to, ``beside`` a second
    service that plays everything too.
    Raises ``StoreError`` where the store could not be written for long, after everything else was.
    """
    with seldom_collecting():
        return asyncio.run(
            _session(prepared, order, folder, sinks, planned, begun, learnt, before, say, beside)
        )


async def _session(
    prepared: Prepared,
    order: Order,
    folder: WorkFolder | None,
    sinks: Sequence[Sink],
    planned: Planned | None,
    begun: Callable[[Engine], None] | None,
    learnt: Knowledge | None,
    before: Before | None,
    say: Say,
    beside: Counterpart | None,
) -> Outcome:
    started = before.started if before is not None else datetime.now(UTC)
    spec, model = prepared.spec, prepared.model
    base = base_path(order.target, spec)
    names = order.credentials.names
    transport = HttpTransport(
        origin(order.target), order.credentials, rate=order.rate, concurrency=order.concurrency
    )
    try:
        await _reach(transport, order)
        if beside is not None:
            await beside.meet()
        router = Router(spec)
        people = await ask_people(spec, model, router, transport, names, base_path=base)
        for credential in order.credentials:
            if credential.name not in people and credential.username:
                people[credential.name] = {"username": credential.username, "name": credential.username}
        back = held_back(spec, include=order.include, exclude=order.exclude, allow=order.allow)
        if len(back) == len(spec.operations):
            raise UsageError("no operation is left to send", hint="look at --include, --exclude and --allow")
        now = before.now if before is not None else today()
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
                oracles=Choice(order.oracles, broken_headers(order.credentials)),
            ),
            before.state if before is not None else None,
        )
        if learnt is not None:
            engine.take_over(learnt)
        if begun is not None:
            begun(engine)
        if before is not None:
            store = before.store
        elif folder is not None:
            store = create_campaign_store(folder, order.store, order.keep)
            kept = replace(order, store="")
            remember(store, prepared, kept, now=now, started=started, inputs=order.inputs)
        else:
            store = MemoryStore(Keep.BUGS)
        snapshots = before.snapshots if before is not None else Snapshots(prepared.slices)
        clock = SystemClock()
        keeper = None
        if folder is not None:
            keeper = Keeper(
                folder,
                store,
                engine,
                snapshots,
                clock,
                origin=origin(order.target),
                started=started,
                say=say,
            )
        gate = Gate(clock)
        player = Player(spec, model, Renderer(spec, router, base_path=base), now=now)
        accounts = AccountsInUse(spec, model, people, allowed=allowed(spec, order.allow))
        way = GatedTransport(SparingTransport(transport, accounts), gate)
        cleaner = None
        if order.tidiness is not None:
            barred = [op for op, why in back.items() if why != NOT_INCLUDED]
            journal = Journal(folder.path / THINGS) if folder is not None else None
            ledger = Ledger(
                *(spec, model, router),
                base_path=base,
                people=people,
                barred=barred,
                changed=journal.changed if journal is not None else lambda _thing, _there: None,
            )
            ledger.remember(journal.things() if journal is not None and before is not None else ())
            cleaner = Cleaner(
                way,
                ledger,
                clock,
                everybody=names,
                beyond=order.tidiness.beyond,
                at_once=order.concurrency,
                progress=_telling(sinks),
                journal=journal,
            )
        lines = (
            CoverageWatch(open_probe(order.coverage), engine.state, clock, say=say)
            if order.coverage
            else None
        )
        campaign = Campaign(
            engine,
            player if beside is None else beside.beside(player),
            cleaner or way,
            gate,
            order.budget,
            sinks=[keeper, *sinks] if keeper is not None else sinks,
            window=4 * order.concurrency if order.concurrency > 1 else 1,
            planned=planned,
            observed=lines.observed if lines is not None else None,
            gate=gate,
            before=before.result if before is not None else None,
        )
        _stop_on_signals(campaign, cleaner)
        if keeper is not None:
            keeper.watch(campaign, gate)
            keeper.snapshot()
            store.flush()  # from the first request on there is something to go on from
        obeying = None
        if folder is not None:
            forget_wishes(folder.path)
            obeying = asyncio.create_task(obey(folder.path, gate, campaign, _pausing(sinks, gate)))
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
            if lines is not None:
                await lines.begin()
            result = await campaign.run()
        finally:
            if lines is not None:
                await lines.end()
            if obeying is not None:
                obeying.cancel()
            failed = _ended(keeper, store)
            gate.open()
            cleaned = await _cleaned(cleaner, order.tidiness, dead=campaign.result.dead)
    finally:
        await transport.close()
        if beside is not None:
            await beside.close()
    summary = summarise(
        engine,
        result,
        profile=order.profile.value,
        started=started.isoformat(timespec="seconds"),
        stages=prepared.stages,
        extra={
            "held_back": {str(op): why for op, why in back.items()},
            **({"cleanup": cleaned.summary} if cleaned is not None else {}),
            **({"coverage": lines.summary} if lines is not None else {}),
            **order.extra,
        },
    )
    if folder is not None:
        folder.write_summary(summary)
    if failed is not None:
        raise failed
    return Outcome(engine, result, summary, started, cleaned)


def _ended(keeper: Keeper | None, store: CampaignStore) -> StoreError | None:
    """Everything on the disk; else why not, to be said when the rest is done."""
    failed: StoreError | None = None
    try:
        if keeper is not None:
            keeper.end()
    except StoreError as error:
        failed = error
    try:
        store.close()
    except StoreError as error:
        failed = failed or error
    return failed


async def _reach(transport: HttpTransport, order: Order) -> None:
    """Fail early and clearly where nobody answers or every login is refused."""
    reached = await transport.probe()
    if order.credentials.names and set(reached.refused) >= set(order.credentials.names):
        raise CredentialsError(
            "the service refuses every credential", source=order.target, hint="check --auth"
        )
    if reached.status == 0:
        raise TargetError("nobody answers", source=order.target, hint="is the service up?")


def _stop_on_signals(campaign: Campaign, cleaner: Cleaner | None) -> None:
    """The first ends the campaign in order; the next, or one after its end, also what is done after it."""

    def told() -> None:
        if not campaign.ending:
            campaign.stop()
        elif cleaner is not None:
            cleaner.skip()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, told)
        except (NotImplementedError, RuntimeError):
            return  # not the main thread, or a platform without signals: Ctrl-C raises as usual


async def _cleaned(cleaner: Cleaner | None, tidiness: Tidiness | None, *, dead: bool) -> Counts | None:
    """What the campaign made is taken away, unless nobody is there to do it."""
    if cleaner is None or tidiness is None:
        return None
    return await cleaner.sweep(0.0 if dead else tidiness.seconds)


def _pausing(sinks: Sequence[Sink], gate: Gate) -> Callable[[bool], None]:
    def told(paused: bool) -> None:
        for sink in sinks:
            sink([Paused(gate.now(), paused)])

    return told


def _telling(sinks: Sequence[Sink]) -> Callable[[int, int], None]:
    def told(deleted: int, left: int) -> None:
        for sink in sinks:
            sink([Cleaning(deleted, left)])

    return told


def default_folder(stem: str, wanted: Path | None) -> WorkFolder:
    """The folder named, or a new one here."""
    return WorkFolder.create(wanted, stem=stem)
