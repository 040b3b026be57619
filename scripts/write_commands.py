"""Writes docs/reference/commands.md from the commands themselves: python scripts/write_commands.py [--check]."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo, OptionInfo

from lobrest.cli import Program

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
_COMMON = ("config", "as_json", "quiet", "no_color")
_HEAD = """\
# Commands

`lobrest COMMAND --help` says the same in the terminal.
This page is made from the program by `python scripts/write_commands.py`.

Every command takes `--quiet` and `--no-color` (`NO_COLOR` works too).
Where they make sense there are `--json` (a machine-readable result on standard output, all talk on standard error)
and `--config F` (else `lobrest.toml` is looked for upwards from the working folder).
Durations are written `30s`, `10m`, `2h`.

| exit status | |
|---|---|
| 0 | it ran and found nothing wrong |
| 1 | it ran and found bugs (with `--baseline`: new ones) |
| 2 | wrong use or unusable input: one line says what, where, and what to do |
| 3 | the target cannot be reached or refuses the credentials |
| 130 | stopped by the user, everything found so far kept |
"""


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    kind: Any
    info: Any
    default: Any

    @property
    def metavar(self) -> str:
        """What stands for its value."""
        if self.info.metavar:
            return str(self.info.metavar)
        kinds = [self.kind, *typing.get_args(self.kind)]
        enums = [one for one in kinds if isinstance(one, type) and issubclass(one, Enum)]
        return "|".join(str(one.value) for one in enums[0]) if enums else "VALUE"

    @property
    def words(self) -> tuple[str, ...]:
        """How an option is written."""
        given = (
            self.info.default,
            *(self.info.param_decls or ()),
        )  # inside Annotated the first is no default
        words = tuple(one for one in given if isinstance(one, str) and one.startswith("-"))
        return words or (f"--{self.name.replace('_', '-')}",)

    @property
    def needed(self) -> bool:
        """Must it be given?"""
        return self.default is inspect.Parameter.empty

    def line(self) -> str:
        """One line of the list."""
        told = " ".join((self.info.help or "").split())
        if isinstance(self.info, ArgumentInfo):
            return f"- `{self.metavar}`: {told}"
        value = "" if self.kind is bool else f" `{self.metavar}`"
        return f"- {', '.join(f'`{word}`' for word in self.words)}{value}: {told}{self._usual()}"

    def _usual(self) -> str:
        shown = self.info.show_default if isinstance(self.info.show_default, str) else self.default
        if self.kind is bool or self.needed or shown is None or self.info.show_default is False:
            return ""
        return f" Default: {getattr(shown, 'value', shown)}."


def page() -> str:
    """The page as it should be."""
    sections = []
    for name, entry in Program.entries.items():
        function = getattr(importlib.import_module(entry.module), entry.function)
        sections.append("\n".join(_section(name, function)))
    return "\n".join([_HEAD, *sections])


def _section(name: str, function: Any) -> Iterator[str]:
    parameters = list(_parameters(function))
    arguments = [one for one in parameters if isinstance(one.info, ArgumentInfo)]
    options = [one for one in parameters if one not in arguments and one.name not in _COMMON]
    needed = [f"{one.words[0]} {one.metavar}" for one in options if one.needed]
    yield f"## `{' '.join(['lobrest', name, *(one.metavar for one in arguments), *needed])}`"
    yield ""
    yield " ".join((function.__doc__ or "").split())
    yield ""
    yield from (one.line() for one in [*arguments, *options])
    yield f"- also {', '.join(f'`{one.words[0]}`' for one in parameters if one.name in _COMMON)}"
    yield ""


def _parameters(function: Any) -> Iterator[_Parameter]:
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, *extras = typing.get_args(hints[name]) or (hints[name],)
        for info in extras:
            if isinstance(info, ArgumentInfo | OptionInfo):
                yield _Parameter(name, kind, info, parameter.default)


def main() -> int:
    """Write the page, or with ``--check`` say whether it is current."""
    text = page()
    if "--check" in sys.argv[1:]:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
        print("current" if current else f"{PAGE} is out of date: run python scripts/write_commands.py")
        return 0 if current else 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
