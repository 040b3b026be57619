"""``lobrest record``: a recording reverse proxy."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from lobrest.app.record import Recorder, RecordOrder, parse_listen
from lobrest.app.userkey import user_key
from lobrest.cli.options import AsJson, NoColor, Quiet
from lobrest.cli.talk import Talk
from lobrest.report.wording import count

Upstream = Annotated[
    str,
    typer.Option("--upstream", metavar="URL", help="The service to pass requests on to.", show_default=False),
]
Listen = Annotated[
    str,
    typer.Option(
        "--listen", metavar="ADDR", help="Where clients connect: a port, or host:port; 0 finds one."
    ),
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="F", help="The log; lines are added.", show_default=False)
]
BodyLimit = Annotated[
    int, typer.Option("--body-limit", metavar="KIB", help="Longer bodies pass and are not kept.", min=0)
]
Rotate = Annotated[int, typer.Option("--rotate", metavar="MIB", help="Begin a new file at this size.", min=1)]
Files = Annotated[int, typer.Option("--files", metavar="N", help="Older files to keep.", min=1, max=999)]
Insecure = Annotated[bool, typer.Option("--insecure", help="Accept any certificate of the service.")]


def record(
    upstream: Upstream,
    out: Out,
    listen: Listen = "127.0.0.1:8099",
    body_limit: BodyLimit = 256,
    rotate: Rotate = 256,
    files: Files = 9,
    insecure: Insecure = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Stand between clients and a service, and write a log that lobrest reads. Ctrl-C ends it."""
    talk = Talk(as_json, quiet, not no_color)
    host, port = parse_listen(listen)
    order = RecordOrder(
        upstream, host, port, out, user_key(), body_limit << 10, rotate << 20, files, insecure
    )
    recorder = Recorder(order)

    def ready(url: str) -> None:
        if as_json:
            talk.write(json.dumps({"listen": url, "upstream": upstream, "out": str(out)}))
        talk.say(f"recording {upstream} at {url} into {out}; Ctrl-C ends it")

    asyncio.run(_until_stopped(recorder, ready))
    lost = ", ".join(f"{number} {kind}" for kind, number in recorder.failures.most_common())
    talk.say(f"{count(recorder.recorded, 'request')} recorded" + (f"; {lost}" if lost else ""))


async def _until_stopped(recorder: Recorder, ready: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await recorder.serve(ready=ready, stop=stop)
