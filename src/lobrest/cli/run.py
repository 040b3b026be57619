"""``lobrest run``."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.baseline import read_baseline
from lobrest.app.campaign import Budget
from lobrest.app.cleanup import Tidiness
from lobrest.app.compare import Counterpart
from lobrest.app.dryrun import Rehearsal, rehearse
from lobrest.app.duration import parse_duration, show_duration
from lobrest.app.flows import prepare
from lobrest.app.learnt import lessons_of
from lobrest.app.nginx_conf import template_from
from lobrest.app.oracles import fail_on, failing, oracle_names, tally
from lobrest.app.pipeline import Prepared, Reading
from lobrest.app.reporting import report_data, write_report
from lobrest.app.resume import Before, marks_of
from lobrest.app.session import Order, Outcome, run_session
from lobrest.app.settings import Settings
from lobrest.app.target import refuse_production
from lobrest.app.work import REPORT, WorkFolder
from lobrest.cli.against import Against, AgainstAuth, counterpart, tell_differences
from lobrest.cli.baseline import BaselineFile, UpdateBaseline, compared_with
from lobrest.cli.live import LiveView
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    LeadTime,
    LogsArgument,
    NoColor,
    ProfileOption,
    Quiet,
    ResourcesFile,
    SpecArgument,
    WindowTime,
    talk_and_settings,
)
from lobrest.cli.talk import Talk
from lobrest.errors import ConfigError, TargetError, UsageError
from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.state import Depth
from lobrest.model.bug import BugKind, Severity
from lobrest.model.slice import Profile
from lobrest.model.summary import BugResult
from lobrest.report.shortage import shortage_lines
from lobrest.report.summary import summary_to_json
from lobrest.store import Keep
from lobrest.transport import read_credentials

Target = Annotated[
    str | None, typer.Option("--target", metavar="URL", help="The service to test.", show_default=False)
]
Time = Annotated[str | None, typer.Option("--time", metavar="D", help="How long.", show_default="10m")]
MaxRequests = Annotated[
    int | None, typer.Option("--max-requests", metavar="N", help="At most so many.", min=1)
]
SeedNumber = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="The same number, the same decisions.")
]
Auth = Annotated[
    list[str] | None,
    typer.Option(
        "--auth",
        metavar="A",
        help="A user of the service: 'Header: value', name:password, or an authentication file; env:NAME works.",
        show_default=False,
    ),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Work folder.", show_default=False)]
Rate = Annotated[
    float | None, typer.Option("--rate", metavar="N", help="At most N requests a second.", min=0.01)
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", metavar="N", help="Flows at once.", min=1, max=256)
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="P",
        help="Only operations, paths, tags or methods like this.",
        show_default=False,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="P", help="No operations, paths, tags or methods like this.", show_default=False
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="P", help="Send even what is held back for safety.", show_default=False),
]
Stages = Annotated[Depth, typer.Option("--stages", help="How far: slices as they are, enhanced, or fuzzed.")]
KeepOption = Annotated[Keep, typer.Option("--keep", help="What the database keeps of requests and answers.")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="postgresql://host/database[#campaign]: keep everything there, not in the work folder.",
        show_default=False,
    ),
]
Learnt = Annotated[
    Path | None,
    typer.Option(
        "--learnt",
        metavar="DIR",
        help="Work folder of an earlier campaign: begin with what it has learnt.",
        show_default=False,
    ),
]
Oracles = Annotated[
    list[str] | None,
    typer.Option(
        "--oracles",
        metavar="O",
        help="What is looked for besides 5XX: +name, -name, all, none; see docs/reference/findings.md.",
        show_default=False,
    ),
]
FailOn = Annotated[
    Severity | None,
    typer.Option("--fail-on", help="Least severity for exit status 1.", show_default="low"),
]
Cleanup = Annotated[
    bool, typer.Option("--cleanup", help="Delete what the run has made, in time and at its end.")
]
CleanupTime = Annotated[
    str | None,
    typer.Option("--cleanup-time", metavar="D", help="For cleaning up at the end.", show_default="2m"),
]
CleanupBeyond = Annotated[
    int | None,
    typer.Option(
        "--cleanup-beyond",
        metavar="N",
        help="Delete the oldest finished things while more than N are there.",
        show_default="2000",
        min=1,
    ),
]
Coverage = Annotated[
    str | None,
    typer.Option(
        "--coverage",
        metavar="C",
        help="Lines of the service as feedback: go:DIR, coverage.py:FILE or URL, jacoco:HOST:PORT, command:….",
        show_default=False,
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing at all.")]
IKnow = Annotated[bool, typer.Option("--i-know", help="Test a host that the specification or the logs name.")]


def run(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    target: Target = None,
    time: Time = None,
    max_requests: MaxRequests = None,
    seed: SeedNumber = None,
    auth: Auth = None,
    out: Out = None,
    rate: Rate = None,
    concurrency: Concurrency = None,
    include: Include = None,
    exclude: Exclude = None,
    allow: Allow = None,
    stages: Stages = Depth.FUZZ,
    keep: KeepOption = Keep.ALL,
    store: StoreOption = None,
    learnt: Learnt = None,
    log_format: Format = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    resources: ResourcesFile = None,
    oracles: Oracles = None,
    fail_on_severity: FailOn = None,
    cleanup: Cleanup = False,
    cleanup_time: CleanupTime = None,
    cleanup_beyond: CleanupBeyond = None,
    coverage: Coverage = None,
    dry_run: DryRun = False,
    i_know: IKnow = False,
    against: Against = None,
    against_auth: AgainstAuth = None,
    baseline: BaselineFile = None,
    update_baseline: UpdateBaseline = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Mine logs, complete flows, and test a live service. Without LOG, from the specification alone."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    source, log_sources = inputs(spec, logs, settings)
    reading = reading_of(settings, log_format, profile, mlt, stw, resources)
    where = target or settings.text("target")
    if where is None:
        raise UsageError(
            "no target", hint="write --target http://host:port; nothing is tested unless it is named"
        )
    order = Order(
        target=where,
        credentials=read_credentials(auth or settings.texts("auth"), environment=os.environ),
        budget=Budget(parse_duration(time or settings.text("time") or "10m"), max_requests),
        random_seed=seed if seed is not None else int(settings.number("seed", least=0) or 0),
        profile=reading.profile,
        depth=stages,
        concurrency=concurrency or int(settings.number("concurrency", least=1) or 8),
        rate=rate if rate is not None else settings.number("rate", least=0.01),
        include=tuple(include or settings.texts("include")),
        exclude=tuple(exclude or settings.texts("exclude")),
        allow=tuple(allow or settings.texts("allow")),
        oracles=oracle_names(oracles or (), settings),
        extra={"fail_on": fail_on(fail_on_severity, settings).value},
        keep=keep,
        tidiness=tidiness_of(cleanup, cleanup_time, cleanup_beyond, settings),
        coverage=coverage or settings.text("coverage") or "",
        store=store or settings.text("store") or "",
        inputs=marks_of([source, *log_sources]),
    )
    if dry_run:
        show_rehearsal(
            rehearse(
                prepare(source, log_sources, reading, talk.say, everything=stages is not Depth.FUZZ), order
            ),
            talk,
        )
        return
    known = learnt or (Path(settings.text("learnt") or "") if settings.text("learnt") else None)
    baseline = baseline or (Path(settings.text("baseline") or "") if settings.text("baseline") else None)
    if baseline is not None:
        read_baseline(baseline)  # what is wrong with it is told before anything is sent
    folder = WorkFolder.create(out, stem="lobrest-work")
    with folder.or_nothing():
        prepared = prepare(source, log_sources, reading, talk.say, everything=stages is not Depth.FUZZ)
        read = prepared.table.statistics if prepared.table is not None else None
        guard = partial(
            refuse_production,
            spec=prepared.spec,
            allowed=i_know,
            logged=read.hosts if read else (),
            more_logged=read is not None and read.hosts_left_out > 0,
        )
        guard(where)
        others = read_credentials(against_auth or (), environment=os.environ)
        beside = counterpart(against, others, order, prepared, guard)
        lessons = lessons_of(known, prepared, order.credentials) if known is not None else None
        outcome = played(prepared, order, folder, talk, learnt=lessons, beside=beside)
    if baseline is not None:
        outcome.summary = compared_with(baseline, outcome.summary, update=update_baseline, talk=talk)
        folder.write_summary(outcome.summary)
    write_report(report_data(prepared, outcome, folder, target=where), folder, store_url=order.store)
    finish(outcome, folder, talk, beside)


def inputs(spec: str | None, logs: list[str] | None, settings: Settings) -> tuple[str, tuple[str, ...]]:
    """The specification and the logs, from the command line or the settings."""
    source = spec or settings.text("spec")
    if source is None:
        raise UsageError("no specification", hint="name an OpenAPI file or URL first")
    return source, tuple(logs or settings.texts("logs"))


def show_rehearsal(rehearsal: Rehearsal, talk: Talk) -> None:
    """What would be sent."""
    if talk.json:
        talk.write(json.dumps(rehearsal.to_json(), ensure_ascii=False, indent=2))
        return
    for line in rehearsal.lines():
        talk.results.print(line, markup=False, soft_wrap=True)


def tidiness_of(cleanup: bool, time: str | None, beyond: int | None, settings: Settings) -> Tidiness | None:
    """Whether and how the run cleans up behind itself: naming a limit asks for it too."""
    if not (cleanup or time or beyond or settings.switch("cleanup")):
        return None
    usual = Tidiness()
    return Tidiness(
        parse_duration(time) if time else usual.seconds, beyond if beyond is not None else usual.beyond
    )


def reading_of(
    settings: Settings,
    log_format: str | None,
    profile: Profile | None,
    mlt: str | None,
    stw: str | None,
    resources: Path | None,
) -> Reading:
    """How logs are read: flags win over the settings file."""
    lead, window = mlt or settings.text("mlt"), stw or settings.text("stw")
    return Reading(
        format=log_format or settings.text("format") or "auto",
        profile=profile or _profile(settings),
        max_lead_seconds=None if lead in (None, "auto") else parse_duration(lead),
        window_seconds=None if window in (None, "auto") else parse_duration(window),
        fields=settings.table("fields"),
        overrides=settings.table("resources"),
        resources=resources,
        follow_references=settings.switch("follow_references"),
        template=template_from(settings.text("log_format") or ""),
    )


def played(
    prepared: Prepared,
    order: Order,
    folder: WorkFolder | None,
    talk: Talk,
    label: str = "testing",
    *,
    learnt: Knowledge | None = None,
    before: Before | None = None,
    beside: Counterpart | None = None,
) -> Outcome:
    """The campaign, watched."""
    left = order.budget.seconds - (before.result.seconds if before is not None else 0.0)
    talk.say(f"{label} {order.target} for up to {show_duration(left)}; Ctrl-C ends it in order")
    shown = replace(order, budget=replace(order.budget, seconds=left))
    with LiveView(talk, shown, len(prepared.spec.operations), label) as view:
        return run_session(
            prepared,
            order,
            folder,
            sinks=[view.told],
            begun=view.begun,
            learnt=learnt,
            before=before,
            say=talk.warn,
            beside=beside,
        )


def finish(outcome: Outcome, folder: WorkFolder, talk: Talk, beside: Counterpart | None = None) -> None:
    """The last words, and the exit status: beside a second service, whether the two differ."""
    summary = outcome.summary
    different = beside is not None and tell_differences(beside, folder, talk)
    if talk.json:
        talk.write(summary_to_json(summary))
    else:
        operations = summary.operations
        talk.results.print(
            f"{summary.requests} requests in {show_duration(summary.duration_s)}: "
            f"{operations.covered} of {operations.total} operations answered 2XX, "
            f"{summary.flows.replayed} of {summary.flows.total} logged flows replayed, "
            f"{tally(summary.bugs)}",
            markup=False,
        )
        entries = summary.extra["entries"]
        if entries["played"]:
            talk.results.print(
                f"{entries['repeated']} of {entries['played']} requests answered 2XX in the log are again",
                markup=False,
            )
        for line in shortage_lines(summary):
            talk.results.print(line, markup=False, soft_wrap=True)
        for found in sorted(summary.bugs, key=lambda one: -one.steps):
            talk.results.print(
                f"  bug {found.n}: {headline(found)} after {found.steps} steps: {found.message[:90]}",
                markup=False,
                soft_wrap=True,
            )
        talk.results.print(f"report: {folder.path / REPORT}", markup=False, soft_wrap=True)
        talk.results.print(f"work folder: {folder.path}", markup=False, soft_wrap=True)
    for operation in outcome.result.quarantined:
        talk.warn(f"{operation} takes the service down; after the second time it was sent no more")
    if outcome.cleaned is not None:
        talk.say(outcome.cleaned.words())
    if outcome.result.dead:
        talk.warn("the service went away and did not come back; what was found until then is kept")
        raise typer.Exit(TargetError.exit_status)
    if outcome.result.stopped:
        raise typer.Exit(130)
    if different or (failing(summary) and beside is None):
        raise typer.Exit(1)


def headline(found: BugResult) -> str:
    """The status of a failure, the kind of anything else."""
    usual = found.kind == BugKind.SERVER_ERROR
    return f"{found.status if usual else f'{found.kind} ({found.severity})'} {found.op}"


def _profile(settings: Settings) -> Profile:
    written = settings.text("profile") or Profile.DEFAULT.value
    if written not in {one.value for one in Profile}:
        raise ConfigError(
            f"{written!r} is no profile",
            source=str(settings.path),
            hint=f"one of {', '.join(one.value for one in Profile)}",
        )
    return Profile(written)
