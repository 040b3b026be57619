"""``lobrest demo``: everything, on a service that comes along."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.campaign import Budget
from lobrest.app.duration import parse_duration
from lobrest.app.oracles import failing
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.reporting import report_data, write_report
from lobrest.app.session import Order
from lobrest.app.work import WorkFolder
from lobrest.cli.options import AsJson, NoColor, Quiet
from lobrest.cli.run import played
from lobrest.cli.talk import Talk
from lobrest.demo import DemoProcess, DemoStartError
from lobrest.errors import TargetError
from lobrest.model.summary import Summary
from lobrest.report.data import Run
from lobrest.report.summary import summary_to_json
from lobrest.report.terminal import final_picture
from lobrest.transport import read_credentials

Serve = Annotated[bool, typer.Option("--serve", help="Only serve the demo until stopped.")]
Port = Annotated[int, typer.Option("--port", help="Port to serve on; 0 finds a free one.", min=0, max=65535)]
Faults = Annotated[str, typer.Option("--faults", help="The planted faults: on, off, or names.")]
Time = Annotated[str, typer.Option("--time", metavar="D", help="How long each of the two runs takes.")]
SeedNumber = Annotated[int, typer.Option("--seed", metavar="N", help="The same number, the same decisions.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Work folder.", show_default=False)]


def demo(
    serve: Serve = False,
    port: Port = 0,
    faults: Faults = "on",
    time: Time = "40s",
    seed: SeedNumber = 1,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Test the embedded demo service with the shipped logs, and show what logs are worth."""
    if serve:
        _serve(port, faults)
    talk = Talk(as_json, quiet, not no_color)
    seconds = parse_duration(time)
    folder = WorkFolder.create(out, stem="lobrest-demo")
    talk.say("lobrest demo: a small forge with planted faults, and the logs of the people who use it")
    with folder.or_nothing():
        baseline, stopped = _without_logs(port, faults, seconds, seed, talk)
    folder.write("baseline.json", summary_to_json(baseline))
    folder.write_summary(baseline)  # until the other run has its own
    if stopped:
        talk.say(f"stopped before the run with logs; work folder: {folder.path}")
        raise typer.Exit(130)
    with _started(port, faults) as service:
        prepared = prepare(service.spec, [str(log) for log in _json_logs(service)], Reading(), talk.say)
        order = _order(service, seconds, seed)
        outcome = played(prepared, order, folder, talk, "with logs")
    data = report_data(
        prepared,
        outcome,
        folder,
        target=order.target,
        label="with logs",
        others=[Run("without logs", baseline)],
    )
    report = write_report(data, folder)
    if talk.json:
        talk.write(summary_to_json(outcome.summary))
    else:
        talk.results.print(final_picture(data))
        talk.results.print(f"report:      {report}", markup=False, soft_wrap=True)
        talk.results.print(
            "your own:    lobrest run SPEC LOG --target URL [--auth FILE]", markup=False, soft_wrap=True
        )
        talk.results.print(f"work folder: {folder.path}", markup=False, soft_wrap=True)
    if outcome.result.stopped:
        raise typer.Exit(130)
    if failing(outcome.summary):
        raise typer.Exit(1)


def _without_logs(port: int, faults: str, seconds: float, seed: int, talk: Talk) -> tuple[Summary, bool]:
    """The same program without logs: what a specification alone is worth."""
    with _started(port, faults) as service:
        prepared: Prepared = prepare(service.spec, [], Reading(), lambda _: None)
        outcome = played(prepared, _order(service, seconds, seed), None, talk, "without logs")
    return outcome.summary, outcome.result.stopped


def _order(service: DemoProcess, seconds: float, seed: int) -> Order:
    return Order(
        target=service.url,
        credentials=read_credentials([str(service.auth)], environment=os.environ),
        budget=Budget(seconds),
        random_seed=seed,
        concurrency=1,  # one request after the other: the same answers, and so the same campaign, every time
    )


def _started(port: int, faults: str) -> DemoProcess:
    return _Demo(port=port, faults=faults)


class _Demo(DemoProcess):
    """A demo that cannot start is a target that cannot be reached."""

    def __enter__(self) -> DemoProcess:
        try:
            return super().__enter__()
        except DemoStartError as error:
            raise TargetError(str(error), hint="give --port another number") from error


def _json_logs(service: DemoProcess) -> list[str]:
    """Both shipped logs show the same traffic; the one with bodies tells more."""
    logs = [str(log) for log in service.logs]
    return [log for log in logs if "json" in Path(log).name] or logs


def _serve(port: int, faults: str) -> None:
    """Become the service: signals, exit status and first line are its own."""
    command = [sys.executable, "-m", "lobrest.demo", "--port", str(port), "--faults", faults]
    os.execv(sys.executable, command)
