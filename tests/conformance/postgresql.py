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


@contextmanager
def postgresql_server(folder_of: Path) -> Iterator[str]:
    """The URL of a fresh server that listens on a socket in its own folder only."""
    # The server refuses root, and a user without rights must be able to reach the folder.
    user = None
    if os.geteuid() == 0:
        user = pwd.getpwnam("nobody").pw_uid
    folder = Path(tempfile.mkdtemp(prefix="lobrest-pg-"))
    if user is not None:
        os.chown(folder, user, -1)
    data = folder / "data"
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}

    def run(*command: str) -> None:
        subprocess.run(
            command, check=True, user=user, env=environment, cwd=folder, stdout=subprocess.DEVNULL, timeout=60
        )

    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=20"
    try:
        run(
            str(folder_of / "initdb"),
            "-D",
            str(data),
            "-U",
            "lobrest",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
        )
        run(
            str(folder_of / "pg_ctl"),
            "-D",
            str(data),
            "-o",
            options,
            "-l",
            str(folder / "log"),
            "-w",
            "start",
        )
        try:
            yield f"postgresql://lobrest@/postgres?host={folder}"
        finally:
            run(str(folder_of / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
