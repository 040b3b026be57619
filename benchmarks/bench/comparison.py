"""Results of one service side by side: by tool, with every tool compared to one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .measurement import Result, read_result
from .problem import BenchError
from .statistics import Spread, a12, mann_whitney_greater, spread

Figure = Callable[[Result], float]

TOOL_ORDER = (
    "lobrest", "lobrest-combined", "lobrest-spec", "lobrest-paper", "slices-init", "slices-enhanced",
    "schemathesis", "evomaster",
)  # fmt: skip
ABLATION = ("slices-init", "slices-enhanced", "lobrest")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs of one length on one service, by tool in a fixed order."""

    service: str
    seconds: int
    runs: dict[str, tuple[Result, ...]]

    def spread(self, tool: str, figure: Figure) -> Spread:
        return spread([figure(run) for run in self.runs[tool]])

    def against(self, tool: str, other: str, figure: Figure) -> tuple[float, float]:
        """A12 and the one-sided p-value that ``tool`` has more than ``other``."""
        left = [figure(run) for run in self.runs[tool]]
        right = [figure(run) for run in self.runs[other]]
        return a12(left, right), mann_whitney_greater(left, right)

    @property
    def operations(self) -> int:
        return len(self.any_run.operations)

    @property
    def any_run(self) -> Result:
        return next(iter(self.runs.values()))[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the service whose coverage was measured."""
        seen: dict[str, None] = {}
        for runs in self.runs.values():
            for run in runs:
                seen |= {one.part: None for one in run.coverage}
        return tuple(seen)

    def modules(self) -> dict[str, int]:
        """Modules of the document with the number of their operations."""
        result: dict[str, int] = {}
        for operation in self.any_run.operations:
            result[operation.module] = result.get(operation.module, 0) + 1
        return result

    def faults(self, tool: str) -> frozenset[tuple[str, int, str]]:
        """Distinct 5XX over all runs of a tool."""
        return frozenset(fault.key for run in self.runs[tool] for fault in run.counted.faults)

    def ever_covered(self, tool: str) -> frozenset[str]:
        """Operations that some run of the tool covered."""
        return frozenset(op for run in self.runs[tool] for op in run.counted.covered)


def covered(run: Result) -> float:
    """Operations with a 2XX."""
    return len(run.counted.covered)


def modules_covered(run: Result) -> float:
    """Modules with at least one operation covered."""
    return len({one.module for one in run.operations if one.id in run.counted.covered})


def attempted(run: Result) -> float:
    return len(run.counted.statuses)


def distinct_faults(run: Result) -> float:
    return len(run.counted.faults)


def busy_faults(run: Result) -> float:
    """Of the distinct 5XX those that say no more than: try again later."""
    return sum(fault.status == 503 for fault in run.counted.faults)


def requests(run: Result) -> float:
    return run.counted.requests


def rate(run: Result) -> float:
    """Requests a second over the time the tool had."""
    return run.counted.requests / run.plan.seconds


def part_percent(part: str) -> Figure:
    """Percent of the statements of one part of the service."""

    def percent(run: Result) -> float:
        return next((one.percent for one in run.coverage if one.part == part), 0.0)

    return percent


def comparisons(results: Iterable[Result]) -> tuple[Comparison, ...]:
    """Grouped by service and length of the runs."""
    groups: dict[tuple[str, int], dict[str, list[Result]]] = {}
    for result in results:
        key = (result.plan.service, result.plan.seconds)
        groups.setdefault(key, {}).setdefault(result.plan.tool, []).append(result)
    return tuple(
        Comparison(service, seconds, {tool: tuple(by_tool[tool]) for tool in sorted(by_tool, key=position)})
        for (service, seconds), by_tool in sorted(groups.items())
    )


def position(tool: str) -> tuple[int, str]:
    return (TOOL_ORDER.index(tool) if tool in TOOL_ORDER else len(TOOL_ORDER), tool)


def read_folder(folder: Path) -> tuple[Result, ...]:
    """Every result in a folder, in the order of their names."""
    files: Sequence[Path] = sorted(folder.glob("*.json"))
    if not files:
        raise BenchError(f"no results in {folder}", hint="make some by `make bench`")
    return tuple(read_result(file) for file in files)
