"""The tools of the benchmark by name."""

from __future__ import annotations

from ..peer import Tool
from ..problem import BenchError
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
)


def tool(name: str) -> Tool:
    """The tool of that name."""
    for known in TOOLS:
        if known.name == name:
            return known
    raise BenchError(f"no tool named {name}", hint=f"known: {', '.join(one.name for one in TOOLS)}")
