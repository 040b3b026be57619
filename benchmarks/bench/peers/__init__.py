"""The tools of the benchmark by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..peer import Tool
from ..problem import BenchError
from .command import Command, read_commands
from .evomaster import EvoMaster
from .lobrest import Lobrest
from .schemathesis import Schemathesis

TOOLS: tuple[Tool, ...] = (
    Lobrest("lobrest", logs="json"),
    Lobrest("lobrest-combined", logs="combined"),
    Lobrest("lobrest-spec", logs="none"),
    Lobrest("lobrest-paper", logs="json", options=("--profile", "paper")),
    Lobrest("slices-init", logs="json", options=("--stages", "slices")),
    Lobrest("slices-enhanced", logs="json", options=("--stages", "enhanced")),
    Schemathesis(),
    EvoMaster(),
)


def tools(names: Iterable[str], file: Path | None) -> tuple[Tool, ...]:
    """The tools of those names, and all that a file describes."""
    given: tuple[Command, ...] = read_commands(file) if file else ()
    return (*(tool(name) for name in names if name), *given)


def tool(name: str) -> Tool:
    """The tool of that name."""
    for known in TOOLS:
        if known.name == name:
            return known
    raise BenchError(f"no tool named {name}", hint=f"known: {', '.join(one.name for one in TOOLS)}")
