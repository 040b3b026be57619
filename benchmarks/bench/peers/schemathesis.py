"""Schemathesis from PyPI with the settings its documentation recommends for a timed run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..peer import Task

REQUIREMENTS = ("schemathesis==4.32.5",)


@dataclass(frozen=True, slots=True)
class Schemathesis:
    """It takes one user, the first; two workers on a small machine."""

    name: str = "schemathesis"

    def install(self, cache: Cache) -> None:
        cache.python(self.name, REQUIREMENTS)

    def version(self) -> str:
        return REQUIREMENTS[0]

    def missing(self, task: Task) -> str:  # noqa: ARG002 - it needs nothing but the document
        return ""

    def command(self, task: Task) -> list[str | Path]:
        binaries = task.cache.python(self.name, REQUIREMENTS)
        user = task.credentials[:1]
        headers = [part for one in user for part in ("--header", f"{one.header}: {one.value}")]
        return [
            binaries / "st", "run", task.document, "--url", task.origin + task.base_path, *headers,
            "--max-time", str(task.seconds), "--workers", "2", "--seed", str(task.seed),
            "--suppress-health-check", "all", "--no-color",
        ]  # fmt: skip
