"""The demo service that lobrest ships: small, in memory, with faults planted at known depths."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cache import Cache
from ..client import call
from ..problem import BenchError
from ..process import Child, start
from ..service import Covered, Credential, Place, Started, lobrest_program, read_json
from ..specification import base_path


@dataclass(frozen=True, slots=True)
class Demo:
    """Several users in several roles; it announces its own logs and users when it starts."""

    name: str = "demo"
    held_back: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        """Nothing to fetch: it is part of the program."""

    def start(self, place: Place) -> Started:
        child = start(
            "the demo service",
            [lobrest_program(), "demo", "--serve", "--faults", "on", "--port", str(place.port)],
            output=place.folder / "demo.txt",
        )
        announced = first_line(child)
        document = call("GET", str(announced["spec"]))
        credentials = tuple(
            Credential(str(user["name"]), str(header["value"]), str(header["name"]))
            for user in read_users(Path(str(announced["auth"])))
            for header in user["fixedHeaders"][:1]
        )
        logs = tuple(Path(str(path)) for path in announced["logs"])
        return Started(document, base_path(document), credentials, [child], logs)

    def logs(self, kind: str) -> tuple[Path, ...]:  # noqa: ARG002 - the running service names them
        return ()

    def coverage(self, place: Place) -> tuple[Covered, ...]:  # noqa: ARG002 - planted faults say more here
        return ()


def first_line(child: Child) -> dict[str, Any]:
    """What the service announces on its first line."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        text = child.output.read_text()
        if "\n" in text:
            return dict(json.loads(text.partition("\n")[0]))
        if not child.alive:
            break
        time.sleep(0.1)
    raise BenchError(f"the demo service did not announce itself: {child.last_words()}")


def read_users(path: Path) -> list[dict[str, list[dict[str, str]]]]:
    return list(read_json(path)["auth"])
