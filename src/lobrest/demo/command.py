"""`python -m lobrest.demo`: serve until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from lobrest.demo.company import authentication, founded
from lobrest.demo.faults import Faults, parse_faults
from lobrest.demo.server import create_app
from lobrest.demo.service import BASE_PATH

WRONG_USE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lobrest.demo", description="A small forge to test against."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    parser.add_argument("--faults", default="on", help="on, off, or names separated by commas")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input ends")
    options = parser.parse_args(arguments)
    try:
        faults = parse_faults(options.faults)
    except ValueError as error:
        return _complain(str(error))
    return serve(options.host, options.port, faults, exit_with_parent=options.exit_with_parent)


def serve(host: str, port: int, faults: Faults, *, exit_with_parent: bool = False) -> int:
    """Serves until SIGINT or SIGTERM (or, on request, the end of standard input). Returns the exit status.

    The first line on standard output says where: `{"url", "spec", "logs", "auth"}`.
    """
    try:
        listener = _listen(host, port)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        return _complain(
            f"cannot listen on {host}:{port}: {reason}; choose another --port, or 0 for a free one"
        )
    # Removed by `with`, whichever way the service ends short of being killed.
    with listener, tempfile.NamedTemporaryFile("w", prefix="lobrest-demo-auth-", suffix=".json") as auth:
        json.dump(authentication(founded()), auth, indent=1)
        auth.flush()
        asyncio.run(_serve(listener, faults, Path(auth.name), exit_with_parent=exit_with_parent))
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError):
        listener.close()
        raise
    return listener


async def _serve(listener: socket.socket, faults: Faults, auth: Path, *, exit_with_parent: bool) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    # Broken requests are a client's affair: they are answered, not written to standard error.
    silent = logging.Logger("lobrest.demo", logging.CRITICAL + 1)
    runner = web.AppRunner(create_app(faults), access_log=None, logger=silent, shutdown_timeout=0.5)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    if exit_with_parent:
        threading.Thread(target=_watch_input, args=(loop, stop), daemon=True).start()
    _announce(listener, auth)
    await stop.wait()
    await runner.cleanup()


def _watch_input(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # os.read and not sys.stdin: a buffered reader cannot be left alone in a thread at exit.
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(stop.set)


def _announce(listener: socket.socket, auth: Path) -> None:
    host, port = listener.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    line = {
        "url": address + BASE_PATH,
        "spec": address + "/openapi.json",
        "logs": [str(path) for path in shipped_logs()],
        "auth": str(auth),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def shipped_logs() -> list[Path]:
    """The request logs that come with the service: the same traffic in two formats."""
    return sorted((Path(__file__).parent / "logs").glob("*.log.gz"))


def _complain(text: str) -> int:
    sys.stderr.write(f"lobrest demo: {text}\n")
    return WRONG_USE
