"""``lobrest ui``: the dashboard of a campaign that runs or has ended."""

from __future__ import annotations

import asyncio
import os
import signal
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import typer

from lobrest.cli.options import Config, NoColor, Quiet, talk_and_settings
from lobrest.transport import read_credentials
from lobrest.web.access import Access
from lobrest.web.server import serve
from lobrest.web.site import Site
from lobrest.web.watched import watch

Places = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR…",
        help="Work folders, folders of them, or postgresql://…#name.",
        show_default=False,
    ),
]
Port = Annotated[int, typer.Option("--port", help="Port to serve on; 0 finds a free one.", min=0, max=65535)]
Auth = Annotated[
    list[str] | None,
    typer.Option(
        "--auth",
        metavar="A",
        help="A user of the service, as for run: to run bugs and flows again from a page.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="URL",
        help="Where bugs and flows are run again; by default where the campaign ran.",
        show_default=False,
    ),
]
Open = Annotated[bool, typer.Option("--open", help="Open it in the browser.")]


def ui(
    places: Places,
    port: Port = 0,
    auth: Auth = None,
    target: Target = None,
    open_it: Open = False,
    config: Config = None,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Look at campaigns in the browser, live or after the fact; pause, resume and stop them."""
    talk, settings = talk_and_settings(config, as_json=False, quiet=quiet, no_color=no_color)
    credentials = read_credentials(auth or settings.texts("auth"), environment=os.environ)
    campaigns = watch(places)
    site = Site(tuple(campaigns), Access(), credentials, target or "")

    def ready(address: str) -> None:
        talk.write(address)
        talk.say("only this machine can open it, and only with the token in the address; Ctrl-C ends it")
        if open_it:
            webbrowser.open(address)

    try:
        asyncio.run(_until_stopped(site, port, ready))
    finally:
        for watched in campaigns:
            watched.close()


async def _until_stopped(site: Site, port: int, ready: Callable[[str], None]) -> None:
    serving = asyncio.create_task(serve(site, port=port, ready=ready))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError):  # no signals here: Ctrl-C raises as usual
            loop.add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving
