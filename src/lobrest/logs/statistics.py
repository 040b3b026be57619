"""What was read, kept and dropped, and how far apart a user's requests are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats import Detection
from lobrest.model.entry import Place
from lobrest.model.operation import OperationId

MOST_HOSTS = 64
QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """One file."""

    name: str
    detection: Detection
    lines: int
    kept: int
    warning: str = ""
    """What was wrong with the file as a whole, such as an archive that ends too early."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Lines dropped for one reason."""

    reason: str
    count: int
    places: tuple[Place, ...]
    """The first few."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A value of an answer that a later request sent."""

    source: OperationId
    pointer: str
    target: OperationId
    location: str
    parameter: str
    count: int


@dataclass(frozen=True, slots=True)
class LogStatistics:
    """All of a reading."""

    files: tuple[FileStatistics, ...]
    lines: int
    not_requests: int
    """Comments, directives and blank lines."""
    kept: int
    dropped: tuple[Dropped, ...]
    """Most frequent first."""
    first: float | None
    last: float | None
    """When the first and the last kept request began, seconds since the epoch."""
    users: int
    operations_used: int
    operations_unused: tuple[OperationId, ...]
    """In the specification, never in the log with a 2XX or 3XX."""
    unknown: tuple[tuple[str, int], ...]
    """Requests that are not in the specification, as templates, most frequent first."""
    creations: int
    """Requests that made something."""
    creations_known: int
    """Those whose new identity is known."""
    backward_jumps: int
    """How often a file's clock went back by more than a minute."""
    hosts: tuple[str, ...] = ()
    """Names of the hosts that requests were sent to, where the format tells, most frequent first; at most
    ``MOST_HOSTS``.
    """
    hosts_left_out: int = 0
    """How many more there were, as far as they were counted."""
    gaps: Mapping[float, float] = field(default_factory=dict)
    """Quantiles of the seconds between neighbouring requests of one user."""
    suggested_mlt_seconds: float | None = None
    suggested_stw_seconds: float | None = None
    """Δ for MLTS and STWS that fit the pace of this log, where somebody was asked for it."""


def gaps_of(
    times: NDArray[np.float64], queue_order: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Seconds between neighbours of each user's queue."""
    if len(queue_order) < 2:
        return np.zeros(0)
    gaps = np.diff(times[queue_order])
    keep = np.ones(len(gaps), dtype=bool)
    inner = starts[(starts > 0) & (starts < len(queue_order))]
    keep[inner - 1] = False
    return gaps[keep]


def quantiles(gaps: NDArray[np.float64]) -> dict[float, float]:
    """The distribution in a few numbers."""
    if not len(gaps):
        return {}
    return dict(zip(QUANTILES, np.quantile(gaps, QUANTILES).round(3).tolist(), strict=True))
