"""Everything a report can show, as values. A section that is absent is left out of the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lobrest.model.bug import Bug
from lobrest.model.resource import ResourceModel
from lobrest.model.summary import Summary


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log and what was taken from it."""

    name: str
    format: str
    lines: int
    kept: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Lines that were not used, and why."""

    reason: str
    count: int
    example: str = ""


@dataclass(frozen=True, slots=True)
class LogReading:
    """What was read from the logs."""

    files: tuple[LogFile, ...]
    dropped: tuple[Dropped, ...] = ()
    users: int = 0
    operations: int = 0
    """Distinct operations of the specification that the logs show."""
    first: float | None = None
    last: float | None = None
    """Times of the first and the last entry, seconds since the epoch."""

    @property
    def lines(self) -> int:
        """All lines read."""
        return sum(file.lines for file in self.files)

    @property
    def kept(self) -> int:
        """Lines that became entries."""
        return sum(file.kept for file in self.files)


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """The slices that were cut, and what completion made of them."""

    total: int
    entries: int
    by_strategy: dict[str, int] = field(default_factory=dict)
    longest: int = 0
    seeds: int = 0
    added: int = 0
    """Steps that completion put in front."""
    augmented: int = 0
    """Seeds of operations that no log shows."""


@dataclass(frozen=True, slots=True)
class FlowNode:
    """An operation on the map of flows."""

    op: str
    module: str
    count: int
    """How often the logs show it."""
    position: float
    """Where in its flows it stands on average: 0 first, 1 last."""
    covered: bool


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """One operation right after another in the same flow."""

    before: str
    after: str
    count: int
    covered: bool
    """Did the campaign do both, in this order, with success?"""


@dataclass(frozen=True, slots=True)
class FlowMap:
    """Which operation follows which, most frequent first."""

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True, slots=True)
class DayEntry:
    """One request of a day. Steps that completion added have no time of their own."""

    at: float
    op: str
    status: int = 0
    added: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DaySlice:
    """One flow of a day."""

    entries: tuple[DayEntry, ...]
    strategies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserDay:
    """One user's day, cut into flows."""

    user: str
    date: str
    slices: tuple[DaySlice, ...]


class Obstacle(StrEnum):
    """Why an operation was never answered 2XX."""

    NOT_TRIED = "not tried"
    HELD_BACK = "held back"
    NO_CREATOR = "no creator"
    REFUSED = "always refused"
    FAILED = "always failed"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Unreached:
    """An operation that was never answered 2XX."""

    op: str
    module: str
    obstacle: Obstacle
    detail: str = ""
    messages: tuple[tuple[str, int], ...] = ()
    """What the service said, most frequent first."""


@dataclass(frozen=True, slots=True)
class TimeShare:
    """Seconds that one activity took."""

    activity: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """Another campaign to compare with: its name and its result."""

    label: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class ReportData:
    """A campaign, as far as it is known."""

    summary: Summary
    label: str = "this run"
    """What the campaign is called where several are compared."""
    target: str = ""
    spec: str = ""
    """The document: title, version and dialect in one line."""
    bugs: tuple[Bug, ...] = ()
    logs: LogReading | None = None
    slices: SliceFacts | None = None
    resources: ResourceModel | None = None
    flows: FlowMap | None = None
    day: UserDay | None = None
    unreached: tuple[Unreached, ...] | None = None
    times: tuple[TimeShare, ...] = ()
    others: tuple[Run, ...] = ()
    folder: str = ""
    """The work folder, as it should be typed."""
    version: str = ""
