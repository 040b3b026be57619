"""What a service is to the benchmark: how it starts from nothing, who uses it, what it tells afterwards."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from .cache import Cache
from .process import Child

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Credential:
    """One user of the service and the header that proves it."""

    name: str
    value: str = field(repr=False)
    header: str = "Authorization"


def basic(user: str, password: str) -> Credential:
    """A user by HTTP Basic."""
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return Credential(user, f"Basic {token}")


@dataclass(frozen=True, slots=True)
class Covered:
    """Statements (or lines) of one part of the service: how many there are and how many ran."""

    part: str
    covered: int
    total: int

    @property
    def percent(self) -> float:
        return 100.0 * self.covered / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where one run may work: the cache, an empty folder, and the addresses of service and proxy."""

    cache: Cache
    folder: Path
    port: int
    proxy_port: int
    measure: bool = True
    """Whether the coverage of the service's code is to be measured, when the service allows it."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.proxy_port}"


@dataclass(slots=True)
class Started:
    """A service that answers: its processes (stopped in reverse), its document and its users."""

    document: dict[str, Any]
    base_path: str
    credentials: tuple[Credential, ...]
    children: list[Child]
    logs: tuple[Path, ...] = ()
    """Logs that only the running service can name (the demo ships its own)."""
    upstream: tuple[str, int] | None = None
    """Host and port the proxy speaks to when that is not the place's own."""

    def stop(self) -> None:
        for child in reversed(self.children):
            with contextlib.suppress(ProcessLookupError):
                child.stop()


class Service(Protocol):
    """One file in ``services/`` each."""

    @property
    def name(self) -> str: ...

    @property
    def held_back(self) -> tuple[str, ...]:
        """Operations no tool is given, because one call would switch the service or the account off."""
        ...

    def install(self, cache: Cache) -> None:
        """Fetch and build what is not in the cache yet."""
        ...

    def start(self, place: Place) -> Started:
        """Start on fresh state."""
        ...

    def logs(self, kind: str) -> tuple[Path, ...]:
        """Recorded traffic of that kind (``json`` or ``combined``), none when there is none here."""
        ...

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        """What ran, read after the service was stopped; empty when it cannot be told."""
        ...


def traffic(service: str, names: tuple[str, ...]) -> tuple[Path, ...]:
    """Recorded traffic beside the repository, or wherever ``LOBREST_BENCH_TRAFFIC`` points to."""
    folder = Path(os.environ.get("LOBREST_BENCH_TRAFFIC") or REPOSITORY.parent / "shared" / "traffic")
    return tuple(folder / service / name for name in names if (folder / service / name).is_file())


def lobrest_program() -> Path:
    """The program of this checkout, or the one that ``LOBREST`` names (to compare versions)."""
    return Path(os.environ.get("LOBREST") or REPOSITORY / ".venv/bin/lobrest")


def read_json(path: Path) -> Any:
    """A JSON file as Python values."""
    return json.loads(path.read_bytes())
