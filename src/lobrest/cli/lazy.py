"""Commands that are imported when they are used: to tell the version no compiler need be loaded."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and one line about it for the list of commands."""

    module: str
    function: str
    about: str


# Typer names no types for built commands that hold across its versions: hence ``Any`` for them.
class Commands(Mapping[str, Any]):
    """Built commands by name, each imported at its first use."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            entry = self._entries[name]
            function = getattr(importlib.import_module(entry.module), entry.function)
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
            alone.command(name, short_help=entry.about)(function)
            self._built[name] = get_command(alone)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class LazyGroup(TyperGroup):
    """A program with the commands of ``entries``, in that order."""

    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": None})
        self.commands = Commands(self.entries)  # type: ignore[assignment]  # nobody adds to it

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """The names; nothing is imported for them."""
        return list(self.entries)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ARG002
        """The list of commands in the help; nothing is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.about) for name, entry in self.entries.items()])
