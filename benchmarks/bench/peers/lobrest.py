"""lobrest in its variants: with bodies in the log, with plain access logs, without logs, and in parts."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..peer import Task
from ..service import REPOSITORY, lobrest_program


@dataclass(frozen=True, slots=True)
class Lobrest:
    """One way to run it.

    The service is thrown away after the run, so nothing is held back beyond what no tool is given.
    """

    name: str
    logs: str
    options: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        """``make`` has installed it."""

    def version(self) -> str:
        """The commit of this checkout, and whether it had changes; the given program when one was given."""
        if os.environ.get("LOBREST"):
            return str(lobrest_program())
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
        return told.stdout.strip() or "unknown"

    def chosen_logs(self, task: Task) -> tuple[Path, ...]:
        return {"json": task.json_logs, "combined": task.combined_logs}.get(self.logs, ())

    def missing(self, task: Task) -> str:
        if self.logs != "none" and not self.chosen_logs(task):
            return f"there are no {self.logs} logs of this service here"
        return ""

    def command(self, task: Task) -> list[str | Path]:
        users: list[str | Path] = ["--auth", task.credentials_file] if task.credentials else []
        return [
            lobrest_program(), "run", task.document, *self.chosen_logs(task),
            "--target", task.origin, "--time", f"{task.seconds}s", "--seed", str(task.seed),
            "--out", task.out / "lobrest", "--no-color", "--allow", "*", *users, *self.options,
        ]  # fmt: skip
