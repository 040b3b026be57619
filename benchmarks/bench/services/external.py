"""A service that is running already, described in a small file. Its state is whatever it is."""

from __future__ import annotations

import json
import tomllib
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..cache import Cache
from ..client import call
from ..problem import BenchError
from ..service import Covered, Credential, Place, Started
from ..specification import base_path


@dataclass(frozen=True, slots=True)
class External:
    """Address, document, logs and users out of a TOML file; the proxy goes to its address."""

    name: str
    url: str
    spec: str
    json_logs: tuple[Path, ...]
    combined_logs: tuple[Path, ...]
    users: tuple[Credential, ...]
    held_back: tuple[str, ...]

    @property
    def upstream(self) -> tuple[str, int]:
        """Host and port the proxy speaks to."""
        parts = urlsplit(self.url)
        return parts.hostname or "127.0.0.1", parts.port or 80

    def install(self, cache: Cache) -> None:
        """It is there already."""

    def start(self, place: Place) -> Started:  # noqa: ARG002 - it runs elsewhere
        try:
            with urllib.request.urlopen(self.url, timeout=30):
                pass
        except urllib.error.HTTPError:
            pass
        except OSError as error:
            raise BenchError(f"{self.name} does not answer at {self.url}: {error}") from error
        remote = self.spec.startswith(("http://", "https://"))
        document: dict[str, Any] = (
            call("GET", self.spec) if remote else json.loads(Path(self.spec).read_bytes())
        )
        path = urlsplit(self.url).path.rstrip("/") or base_path(document)
        return Started(document, path, self.users, [], upstream=self.upstream)

    def logs(self, kind: str) -> tuple[Path, ...]:
        return self.json_logs if kind == "json" else self.combined_logs

    def coverage(self, place: Place) -> tuple[Covered, ...]:  # noqa: ARG002 - nobody knows
        return ()


def read_service(path: Path) -> External:
    """The service of a TOML file: ``url``, ``spec``, ``logs``, ``combined_logs``, ``held_back``, ``user``."""
    try:
        row: dict[str, Any] = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BenchError(f"cannot read the service in {path}: {error}") from error
    missing = [key for key in ("url", "spec") if not isinstance(row.get(key), str)]
    if missing:
        raise BenchError(f"{path}: no {' and no '.join(missing)}")
    here = path.parent
    spec = row["spec"] if "://" in row["spec"] else str(here / row["spec"])
    return External(
        name=str(row.get("name", path.stem)),
        url=row["url"],
        spec=spec,
        json_logs=tuple(here / str(log) for log in row.get("logs", [])),
        combined_logs=tuple(here / str(log) for log in row.get("combined_logs", [])),
        users=tuple(
            Credential(str(user["name"]), str(user["value"]), str(user.get("header", "Authorization")))
            for user in row.get("user", [])
        ),
        held_back=tuple(str(operation) for operation in row.get("held_back", [])),
    )
