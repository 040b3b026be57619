"""The library: what the command line does, as functions that take and give values.

Everything here is offered as ``lobrest.…``; this module is imported when it is first used.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lobrest.app import flows
from lobrest.app.campaign import Budget
from lobrest.app.clock import today
from lobrest.app.documents import read_spec
from lobrest.app.duration import parse_duration
from lobrest.app.flow_results import FlowResult, PlayedStep, flow_names, play_flows
from lobrest.app.pipeline import Prepared, Reading
from lobrest.app.pipeline import read_logs as read_table
from lobrest.app.reporting import report_data, write_report
from lobrest.app.session import Order, run_session
from lobrest.app.target import refuse_production
from lobrest.app.work import WorkFolder
from lobrest.enhance import enhanced
from lobrest.errors import LobrestError
from lobrest.logs import LogTable
from lobrest.model.bug import Bug
from lobrest.model.corpus import Corpus
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Seed
from lobrest.model.slice import Profile, Slice
from lobrest.model.summary import Summary
from lobrest.resources import analyse
from lobrest.spec.router import Router
from lobrest.transport import read_credentials

__all__ = [
    "Bug",
    "Campaign",
    "CampaignResult",
    "FlowResult",
    "LobrestError",
    "Mined",
    "PlayedStep",
    "Seed",
    "Slice",
    "Summary",
    "complete",
    "load_spec",
    "mine",
    "read_logs",
    "replay",
    "run",
]

Source = str | Path
"""A file; for specifications a URL too, for logs a folder or a pattern too."""
Say = Callable[[str], None]
"""Told in one line what is being done."""


def _nothing(_: str) -> None:
    """Says nothing."""


def load_spec(source: Source) -> ApiSpec:
    """The OpenAPI or Swagger document of a file or URL. Its defects are in ``warnings``.

    Raises ``SpecError`` where it has no usable operation.
    """
    return read_spec(str(source))


def read_logs(spec: Source | ApiSpec, *logs: Source, format: str = "auto", say: Say = _nothing) -> LogTable:
    """Requests of the service that the logs show, as a table: users, operations, instances, what was dropped.

    Raises ``LogError`` where nothing in them belongs to the service.
    """
    loaded = spec if isinstance(spec, ApiSpec) else load_spec(spec)
    reading = Reading(format=format)
    return read_table(loaded, analyse(loaded), Router(loaded), [str(log) for log in logs], reading, say)


@dataclass(frozen=True, slots=True)
class Mined:
    """A service as its specification and its logs show it."""

    prepared: Prepared
    """What the stages before completion gave, for whoever needs all of it."""
    profile: Profile = Profile.DEFAULT

    @property
    def spec(self) -> ApiSpec:
        """The specification."""
        return self.prepared.spec

    @property
    def resources(self) -> ResourceModel:
        """What the service keeps, what creates and lists it, and which parameters refer to it."""
        return self.prepared.model

    @property
    def flows(self) -> tuple[Slice, ...]:
        """Business flows: pieces of the log that belong together."""
        return self.prepared.slices

    @property
    def names(self) -> tuple[str, ...]:
        """A readable name for each flow."""
        return flow_names(self.prepared.slices)

    @property
    def corpus(self) -> Corpus:
        """Parameter values that once worked."""
        return self.prepared.corpus


def mine(
    spec: Source,
    *logs: Source,
    format: str = "auto",
    profile: Profile | str = Profile.DEFAULT,
    everything: bool = False,
    say: Say = _nothing,
) -> Mined:
    """Analyse a specification, read logs and cut them into flows. Arazzo documents count as logs.

    Of flows that do the same only a few are kept, unless ``everything`` is asked for.
    Without logs there are no flows, and a campaign works from the specification alone.
    """
    reading = Reading(format=format, profile=Profile(profile))
    prepared = flows.prepare(str(spec), [str(log) for log in logs], reading, say, everything=everything)
    return Mined(prepared, reading.profile)


def complete(mined: Mined, *, seed: int = 0) -> tuple[Seed, ...]:
    """Flows completed with what they need, and one for each operation that no log shows."""
    prepared = mined.prepared
    return tuple(
        enhanced(
            prepared.spec,
            prepared.model,
            prepared.corpus,
            prepared.slices,
            chance=random.Random(seed),
            now=today(),
            reuse=mined.profile is not Profile.PAPER,
        )
    )


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """How a campaign went."""

    summary: Summary
    bugs: tuple[Bug, ...]
    folder: Path | None = None
    """The work folder, where one was asked for."""

    @property
    def ok(self) -> bool:
        """Was nothing found?"""
        return not self.bugs


@dataclass(frozen=True, slots=True)
class Campaign:
    """A test of a live service that is about to be made.

    ``auth`` is one value a user: ``'Header: value'``, ``name:password`` or an authentication file.
    A target that the logs or the specification name is refused unless ``i_know``; this machine never is.
    """

    mined: Mined
    target: str
    auth: Sequence[str] = ()
    time: str | float = "10m"
    max_requests: int | None = None
    seed: int = 0
    concurrency: int = 8
    rate: float | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    allow: Sequence[str] = ()
    out: Path | str | None = None
    """A new folder for everything that is found; None keeps nothing but the result."""
    i_know: bool = False
    say: Say = field(default=_nothing, repr=False)

    def run(self) -> CampaignResult:
        """Play and fuzz until the time is up. To be called where no event loop is running."""
        order = self._order()
        folder = WorkFolder.create(Path(self.out), stem="lobrest-work") if self.out is not None else None
        outcome = run_session(self.mined.prepared, order, folder, say=self.say)
        if folder is not None:
            data = report_data(self.mined.prepared, outcome, folder, target=self.target)
            write_report(data, folder)
        path = folder.path if folder is not None else None
        return CampaignResult(outcome.summary, tuple(outcome.engine.state.triage.bugs), path)

    def replay(self, flows: Sequence[int] | None = None) -> tuple[FlowResult, ...]:
        """Play mined flows once each, without mutation: all, or those at these places; a result a flow."""
        return play_flows(self.mined.prepared, self._order(), flows)

    def _order(self) -> Order:
        table = self.mined.prepared.table
        refuse_production(
            self.target,
            self.mined.spec,
            allowed=self.i_know,
            logged=table.statistics.hosts if table is not None else (),
            more_logged=table is not None and table.statistics.hosts_left_out > 0,
        )
        seconds = parse_duration(self.time) if isinstance(self.time, str) else float(self.time)
        return Order(
            target=self.target,
            credentials=read_credentials(list(self.auth), environment=os.environ),
            budget=Budget(seconds, self.max_requests),
            random_seed=self.seed,
            profile=self.mined.profile,
            concurrency=self.concurrency,
            rate=self.rate,
            include=tuple(self.include),
            exclude=tuple(self.exclude),
            allow=tuple(self.allow),
        )


def run(
    spec: Source,
    *logs: Source,
    target: str,
    auth: Sequence[str] = (),
    time: str | float = "10m",
    max_requests: int | None = None,
    seed: int = 0,
    out: Path | str | None = None,
    i_know: bool = False,
) -> CampaignResult:
    """Everything at once: mine, complete, and test a live service."""
    return Campaign(
        mine(spec, *logs),
        target,
        auth,
        time=time,
        max_requests=max_requests,
        seed=seed,
        out=out,
        i_know=i_know,
    ).run()


def replay(
    spec: Source, *logs: Source, target: str, auth: Sequence[str] = (), i_know: bool = False
) -> tuple[FlowResult, ...]:
    """Mine, complete, and play every flow once."""
    return Campaign(mine(spec, *logs), target, auth, time="24h", i_know=i_know).replay()
