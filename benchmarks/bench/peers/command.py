"""A tool that is on no registry, given as a command line in a file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cache import Cache
from ..peer import Task
from ..problem import BenchError


@dataclass(frozen=True, slots=True)
class Command:
    """Words with places to fill: ``{spec}``, ``{url}``, ``{origin}``, ``{seconds}``, ``{minutes}``,
    ``{hours}``, ``{seed}``, ``{out}``, ``{header}``, ``{users}``; ``{logs}`` stands for any number of words.
    """

    name: str
    words: tuple[str, ...]

    def install(self, cache: Cache) -> None:
        """Whoever gives the command has installed it."""

    def version(self) -> str:
        return self.words[0]

    def missing(self, task: Task) -> str:
        return (
            "there are no logs of this service here" if "{logs}" in self.words and not task.json_logs else ""
        )

    def command(self, task: Task) -> list[str | Path]:
        user = task.credentials[0] if task.credentials else None
        places = {
            "spec": task.document,
            "url": task.origin + task.base_path,
            "origin": task.origin,
            "seconds": task.seconds,
            "minutes": -(-task.seconds // 60),
            "hours": f"{task.seconds / 3600:.4f}",
            "seed": task.seed,
            "out": task.out,
            "header": f"{user.header}: {user.value}" if user else "",
            "users": task.credentials_file,
        }
        words: list[str | Path] = []
        for word in self.words:
            if word == "{logs}":
                words += task.json_logs
                continue
            for place, value in places.items():
                word = word.replace("{" + place + "}", str(value))
            words.append(word)
        return words


def read_commands(path: Path) -> tuple[Command, ...]:
    """The tools of a TOML file: ``[name]`` with ``command = ["words", "{spec}", …]``."""
    try:
        rows: dict[str, Any] = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BenchError(f"cannot read the tools in {path}: {error}") from error
    for name, row in rows.items():
        if not isinstance(row, dict) or not isinstance(row.get("command"), list):
            raise BenchError(f"{path}: [{name}] has no command", hint='write command = ["tool", "{spec}"]')
    return tuple(Command(name, tuple(str(word) for word in row["command"])) for name, row in rows.items())
