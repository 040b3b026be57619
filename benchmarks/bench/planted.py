"""Faults that the demo service has on purpose: which were found, and how deep they lie."""

from __future__ import annotations

from dataclasses import dataclass

from .comparison import Comparison
from .measurement import Result
from .service import REPOSITORY, read_json

MANIFEST = REPOSITORY / "src/lobrest/demo/faults.json"
KINDS = {
    "single": "one odd request",
    "steps": "after two or three right steps",
    "flow": "at the end of a business flow",
    "users": "between two users",
}


@dataclass(frozen=True, slots=True)
class Planted:
    """One fault of the manifest."""

    name: str
    operation: str
    kind: str
    depth: int
    message: str

    def found_in(self, run: Result) -> bool:
        """Whether a run showed it: the operation failed with its message."""
        return any(
            fault.op == self.operation and self.message in fault.answer for fault in run.counted.faults
        )


def planted() -> tuple[Planted, ...]:
    """The manifest, shallow ones first; empty where it is not there."""
    if not MANIFEST.is_file():
        return ()
    rows = read_json(MANIFEST)
    found = (
        Planted(row["name"], row["operation"], row["kind"], int(row["depth"]), row["message"]) for row in rows
    )
    return tuple(sorted(found, key=lambda one: (list(KINDS).index(one.kind), one.depth, one.name)))


def planted_table(comparison: Comparison) -> list[list[str]]:
    """By kind: how many there are, and how many a run of each tool found; the last row is the sum."""
    tools = list(comparison.runs)
    rows = [["planted faults", "there are", *tools]]
    everything = planted()
    for kind, words in KINDS.items():
        these = tuple(one for one in everything if one.kind == kind)
        rows.append([words, str(len(these)), *(mean_found(comparison, tool, these) for tool in tools)])
    rows.append(["all", str(len(everything)), *(mean_found(comparison, tool, everything) for tool in tools)])
    return rows


def mean_found(comparison: Comparison, tool: str, faults: tuple[Planted, ...]) -> str:
    runs = comparison.runs[tool]
    return f"{sum(fault.found_in(run) for run in runs for fault in faults) / len(runs):.1f}"
