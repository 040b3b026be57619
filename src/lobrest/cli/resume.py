"""``lobrest resume``: go on with a campaign that stopped, was stopped or was killed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.campaign import Budget
from lobrest.app.duration import parse_duration, show_duration
from lobrest.app.reporting import report_data, write_report
from lobrest.app.resume import Before, changed_since, recall, recall_material, recall_order
from lobrest.app.session import Order
from lobrest.app.storage import open_campaign_store
from lobrest.app.target import origin, refuse_production
from lobrest.app.work import WorkFolder
from lobrest.cli.options import AsJson, Config, NoColor, Quiet, talk_and_settings
from lobrest.cli.run import Auth, IKnow, finish, played
from lobrest.errors import UsageError
from lobrest.transport import Credentials, read_credentials

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A work folder.", show_default=False)]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="URL", help="The service, where it has moved.", show_default=False),
]
Time = Annotated[
    str | None,
    typer.Option("--time", metavar="D", help="How much longer.", show_default="what is left"),
]
Requests = Annotated[
    int | None, typer.Option("--max-requests", metavar="N", help="At most so many more.", min=1)
]
StoreUrl = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="Its PostgreSQL, with a password.", show_default=False),
]


def resume(
    folder: Folder,
    auth: Auth = None,
    target: Target = None,
    time: Time = None,
    max_requests: Requests = None,
    store: StoreUrl = None,
    i_know: IKnow = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Go on with a campaign where it stopped or was killed, with the time that is left.

    Specification and logs are not needed again. Credentials are: they are never kept.
    """
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    work = WorkFolder.open(folder)
    credentials = read_credentials(auth or settings.texts("auth"), environment=os.environ)
    order = _order(work, store or "", credentials)
    opened = open_campaign_store(work.path, readonly=False, url=store or "", keep=order.keep)
    try:
        prepared = recall_material(opened, source=str(work.path))
        before = recall(opened, prepared, source=str(work.path))
        order = _prolonged(order, before, time, max_requests)
        if target is not None and target != order.target:
            refuse_production(target, prepared.spec, allowed=i_know)
            order = replace(order, target=target)
        for name in changed_since(before.inputs):
            talk.say(f"{name} has changed since; the campaign goes on with what was read then")
        _write_bugs(work, before, order)
        spent = before.result.seconds
        talk.say(
            f"{show_duration(spent)} spent, {before.result.requests} requests, "
            f"{len(opened.covered())} operations, {len(opened.bugs())} bugs so far"
        )
        outcome = played(prepared, order, work, talk, "going on with", before=before)
    finally:
        opened.close()
    write_report(report_data(prepared, outcome, work, target=order.target), work, store_url=store or "")
    finish(outcome, work, talk)


def _order(work: WorkFolder, url: str, credentials: Credentials) -> Order:
    """What was asked for; the store is opened for writing, since an older one is brought up to date by that."""
    opened = open_campaign_store(work.path, readonly=False, url=url)
    try:
        return recall_order(opened, Order, credentials, source=str(work.path))
    finally:
        opened.close()


def _prolonged(order: Order, before: Before, time: str | None, requests: int | None) -> Order:
    """The order with what is left of its budget, or with more."""
    spent, sent = before.result.seconds, before.result.requests
    seconds = order.budget.seconds if time is None else spent + parse_duration(time)
    most = order.budget.requests
    if requests is not None:
        most = sent + requests
    elif time is not None and most is not None and most <= sent:
        most = None
    if seconds <= spent:
        raise UsageError(
            f"the time is spent: {show_duration(order.budget.seconds)} were asked for",
            hint="--time 10m goes on for ten minutes more",
        )
    if most is not None and most <= sent:
        raise UsageError(
            f"the requests are spent: {most} were asked for",
            hint="--max-requests 1000 sends a thousand more",
        )
    return replace(order, budget=Budget(seconds, most))


def _write_bugs(work: WorkFolder, before: Before, order: Order) -> None:
    """A kill may have come between a bug, or a shorter form of it, and its folder."""
    for bug in before.store.bugs():
        work.write_bug(bug, origin=origin(order.target), started=before.started)
