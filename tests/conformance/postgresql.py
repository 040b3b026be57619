"""A PostgreSQL of our own: started in a temporary folder as an unprivileged user, and stopped again."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """The folder of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


class Server:
    """A fresh server that listens on a socket in its own folder only."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # The server refuses root, and a user without rights must be able to reach the folder.
        self._user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="lobrest-pg-"))
        if self._user is not None:
            os.chown(self._folder, self._user, -1)
        self.url = f"postgresql://lobrest@/postgres?host={self._folder}"

    def create(self) -> None:
        """An empty database."""
        self._run("initdb", "-U", "lobrest", "-A", "trust", "--no-sync", "-E", "UTF8")

    def start(self) -> None:
        """Return when it answers."""
        options = f"-c listen_addresses= -c unix_socket_directories={self._folder} -c fsync=off"
        self._run("pg_ctl", "-o", options, "-l", str(self._folder / "log"), "-w", "start")

    def stop(self) -> None:
        """At once, as in a crash."""
        self._run("pg_ctl", "-m", "immediate", "-w", "stop")

    def remove(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), "-D", str(self._folder / "data"), *arguments],
            check=True,
            user=self._user,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            timeout=120,
        )


@contextmanager
def postgresql_server(programs: Path) -> Iterator[Server]:
    """A running server, stopped and removed afterwards."""
    server = Server(programs)
    try:
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        server.remove()
