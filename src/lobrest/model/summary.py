"""The result of a campaign as ``summary.json`` has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class OperationResult:
    """One operation of the specification and the statuses it answered with."""

    op: str
    module: str
    statuses: dict[str, int]


@dataclass(frozen=True, slots=True)
class OperationTotals:
    """Operations declared, tried, and answered 2XX."""

    total: int
    attempted: int
    covered: int
    list: tuple[OperationResult, ...]


@dataclass(frozen=True, slots=True)
class ModuleResult:
    """One business module: its operations, and how many were covered."""

    name: str
    total: int
    covered: int


@dataclass(frozen=True, slots=True)
class FlowTotals:
    """Logged flows, and those replayed with every step 2XX."""

    total: int
    replayed: int


@dataclass(frozen=True, slots=True)
class BugResult:
    """One bug, in the order found."""

    n: int
    op: str
    status: int
    message: str
    first_seen_s: float
    confirmed: bool
    steps: int
    kind: str = "server-error"
    severity: str = "high"
    evidence: str = ""
    identity: str = ""
    """Equal for the same bug in every run."""


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of the campaign."""

    t_s: float
    requests: int
    covered: int
    bugs: int


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Seconds spent before the first request."""

    analyze_s: float = 0.0
    read_s: float = 0.0
    slice_s: float = 0.0
    enhance_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything a script needs to know of a campaign."""

    service: str
    profile: str
    seed: int
    started: str
    duration_s: float
    requests: int
    requests_per_s: float
    operations: OperationTotals
    modules: tuple[ModuleResult, ...]
    flows: FlowTotals
    bugs: tuple[BugResult, ...]
    timeline: tuple[Point, ...]
    stages: StageTimes
    version: int = 1
    extra: dict[str, Any] = field(default_factory=dict)
    """Further facts: logs read, slices, skipped flows, failures by kind."""
