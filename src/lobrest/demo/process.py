"""The service as a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec

SECONDS_TO_STOP = 5.0


class DemoStartError(RuntimeError):
    """The process ended before it served; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """The first line a serving process writes."""

    url: str
    spec: str
    logs: list[str]
    auth: str


class DemoProcess:
    """A context manager: inside it the service answers at `url`; afterwards process and files are gone.

    The process also ends when this one does, however that happens: it watches its standard input.
    """

    def __init__(self, *, port: int = 0, host: str = "127.0.0.1", faults: str = "on") -> None:
        self._command = [
            *(sys.executable, "-m", "lobrest.demo", "--exit-with-parent"),
            *("--port", str(port), "--host", host, "--faults", faults),
        ]
        self._announcement: Announcement | None = None
        self._running = ExitStack()

    def __enter__(self) -> DemoProcess:
        with ExitStack() as running:
            # A file and not a pipe: nobody reads it while the service runs.
            complaints = running.enter_context(tempfile.TemporaryFile())
            # A session of its own: Ctrl-C at the terminal reaches the caller, who decides when this ends.
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
            running.callback(_stop, process)
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                process.wait()
                complaints.seek(0)
                said = complaints.read().decode(errors="replace").strip()
                raise DemoStartError(said or "the demo service did not start")
            self._announcement = msgspec.json.decode(line, type=Announcement)
            self._running = running.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._announcement = None
        self._running.close()

    @property
    def url(self) -> str:
        """The base address of the operations."""
        return self._serving.url

    @property
    def spec(self) -> str:
        """The address of the OpenAPI document."""
        return self._serving.spec

    @property
    def auth(self) -> Path:
        """The users and their headers, in the Web Fuzzing Commons authentication format."""
        return Path(self._serving.auth)

    @property
    def logs(self) -> list[Path]:
        return [Path(name) for name in self._serving.logs]

    @property
    def _serving(self) -> Announcement:
        if self._announcement is None:
            raise RuntimeError("the demo service is not running: use it inside `with`")
        return self._announcement


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
