"""PostgreSQL and Redis of one run: own data in the run's folder, loopback only."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from .cache import Cache, run_command
from .problem import BenchError
from .process import Child, free_port, start, unprivileged

SETTINGS = (
    "listen_addresses=127.0.0.1", "fsync=off", "synchronous_commit=off", "max_connections=200",
)  # fmt: skip


def postgres_binaries(cache: Cache) -> Path:
    """The folder with ``initdb`` and ``postgres``, of the newest version on this machine."""
    for root in (Path("/"), cache.folder / "debian" / "postgresql"):
        found = sorted(root.glob("usr/lib/postgresql/*/bin/initdb"))
        if found:
            return found[-1].parent
    if os.geteuid() == 0:
        raise BenchError("PostgreSQL is not installed", hint="on Debian: apt install postgresql")
    cache.debian("postgresql")
    return postgres_binaries(cache)


def start_postgres(cache: Cache, folder: Path) -> tuple[Child, int]:
    """A fresh PostgreSQL with a superuser ``postgres`` without password; the process and its port."""
    binaries = postgres_binaries(cache)
    user = unprivileged()
    data = folder / "postgres"
    data.mkdir()
    if user:
        os.chown(data, user, user)
    run_command(
        [binaries / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"],
        what="preparing PostgreSQL", folder=data, user=user,
    )  # fmt: skip
    port = free_port()
    settings = [part for setting in SETTINGS for part in ("-c", setting)]
    child = start(
        "PostgreSQL",
        [binaries / "postgres", "-D", data, "-p", str(port), "-k", data, *settings],
        output=folder / "postgres.txt",
        folder=data,
        user=user,
    )
    wait_until_ready(child, [binaries / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)])
    return child, port


def create_database(cache: Cache, port: int, name: str) -> None:
    """An empty database."""
    run_command(
        [
            postgres_binaries(cache) / "createdb",
            "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", name,
        ],
        what=f"creating the database {name}",
    )  # fmt: skip


def start_redis(cache: Cache, folder: Path) -> tuple[Child, int]:
    """A fresh Redis that keeps nothing; the process and its port."""
    port = free_port()
    child = start(
        "Redis",
        [
            cache.program("redis-server", "redis-server"),
            "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder,
        ],
        output=folder / "redis.txt",
    )  # fmt: skip
    wait_until_ready(child, [cache.program("redis-cli", "redis-tools"), "-e", "-p", str(port), "ping"])
    return child, port


def wait_until_ready(child: Child, probe: list[str | Path], *, seconds: float = 60.0) -> None:
    """Return once the probe succeeds."""
    deadline = time.monotonic() + seconds
    while child.alive and time.monotonic() < deadline:
        if subprocess.run([str(part) for part in probe], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise BenchError(f"{child.name} did not start: {child.last_words()}")
