"""The service as a process of its own."""

from __future__ import annotations

import subprocess
import sys
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
        self._process: subprocess.Popen[bytes] | None = None
        self._announcement: Announcement | None = None

    def __enter__(self) -> DemoProcess:
        # A session of its own: Ctrl-C at the terminal reaches the caller, who decides when this ends.
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            _, complaint = process.communicate()
            self._process = None
            said = complaint.decode(errors="replace").strip()
            raise DemoStartError(said or "the demo service did not start")
        self._announcement = msgspec.json.decode(line, type=Announcement)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process, self._process, self._announcement = self._process, None, None
        if process is None:
            return
        process.terminate()
        try:
            process.communicate(timeout=SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

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
