"""What a tool is to the benchmark: a command line, built from what every tool is given alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .cache import Cache
from .service import Credential


@dataclass(frozen=True, slots=True)
class Task:
    """The same for every tool: the document, the address, the users, the time, and a folder to write to."""

    cache: Cache
    document: Path
    origin: str
    """Scheme, host and port of the proxy."""
    base_path: str
    credentials: tuple[Credential, ...]
    credentials_file: Path
    """The users in the Web Fuzzing Commons authentication format."""
    json_logs: tuple[Path, ...]
    combined_logs: tuple[Path, ...]
    seconds: int
    seed: int
    out: Path


class Tool(Protocol):
    """One file in ``peers/`` each."""

    @property
    def name(self) -> str: ...

    def install(self, cache: Cache) -> None: ...

    def version(self) -> str:
        """What exactly was run."""
        ...

    def command(self, task: Task) -> list[str | Path]: ...

    def missing(self, task: Task) -> str:
        """Why the tool cannot take part here (no logs, no jar), or nothing."""
        ...


def write_credentials(path: Path, credentials: Sequence[Credential]) -> None:
    """The users as a Web Fuzzing Commons file with fixed headers (JSON is YAML too)."""
    users = [
        {"name": user.name, "fixedHeaders": [{"name": user.header, "value": user.value}]}
        for user in credentials
    ]
    path.write_text(json.dumps({"auth": users}, indent=1))
    path.chmod(0o600)
