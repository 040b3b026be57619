"""Processes and ports of a run: started in a group of their own, ended by their id."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .problem import BenchError

NOBODY = 65534


def unprivileged() -> int | None:
    """The user id for programs that refuse to run as root, or None when this is no root."""
    return NOBODY if os.geteuid() == 0 else None


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(slots=True)
class Child:
    """A process of ours and where its output went."""

    name: str
    popen: subprocess.Popen[bytes]
    output: Path

    @property
    def alive(self) -> bool:
        return self.popen.poll() is None

    def last_words(self, lines: int = 3) -> str:
        """The end of what it printed, in one line."""
        text = self.output.read_text(errors="replace").strip() if self.output.is_file() else ""
        return " | ".join(text.splitlines()[-lines:]) or "(no output)"

    def stop(self, *, patience_seconds: float = 60.0) -> None:
        """Ask it to end (so that coverage is written), and end it when it does not."""
        if not self.alive:
            return
        self.popen.send_signal(signal.SIGTERM)
        try:
            self.popen.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait()


def start(
    name: str,
    command: Sequence[str | Path],
    *,
    output: Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: int | None = None,
) -> Child:
    """Start a process that writes both streams to a file."""
    with output.open("wb") as sink:
        try:
            popen = subprocess.Popen(
                [str(part) for part in command],
                cwd=folder,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=[] if user is not None else None,
            )
        except FileNotFoundError as error:
            raise BenchError(f"{name}: {command[0]} is not installed") from error
    return Child(name, popen, output)


def wait_for(child: Child, url: str, *, seconds: float = 180.0) -> None:
    """Return once a GET of the URL is answered, with whatever status below 500."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not child.alive:
            raise BenchError(f"{child.name} ended while starting: {child.last_words()}")
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError as error:
            if error.code < 500:
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise BenchError(f"{child.name} did not answer {url} within {seconds:.0f} s: {child.last_words()}")
