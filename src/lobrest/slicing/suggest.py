"""Time limits for MLTS and STWS where nobody gives any, from the pauses between a user's requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from lobrest.model.slice import Profile
from lobrest.slicing.columns import Floats, QueueColumns

LEAST_GAPS: Final = 8
"""A user with fewer pauses has no rhythm."""
MOST_WEIGHT: Final = 1_000
"""Pauses of one user that are looked at, evenly, so that a bot does not decide for everybody."""
MOST_USERS: Final = 4_096
"""Users that are looked at; of more, an even sample."""
UPPER_QUARTILES: Final = 1.5
MEDIANS: Final = 4.5
"""The longest pause inside a flow, at most: so many upper quartiles, and so many medians, of all pauses."""
SHORTEST_SECONDS: Final = 2.0
"""Many logs have times in whole seconds only."""
LONGEST_SECONDS: Final = 3_600.0
WINDOW: Final = {Profile.DEFAULT: 6.0, Profile.PAPER: 2.5}
"""A window is as long as so many of the longest pauses inside a flow.

The paper starts anew at every entry that a slice skipped: its windows overlap, and reach further together.
"""
FALLBACK_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Δ of both strategies, in seconds."""

    mlts_seconds: float
    stws_seconds: float


def suggest_limits(queues: QueueColumns, profile: Profile = Profile.DEFAULT) -> TimeLimits:
    """Limits that follow the pace of the log.

    A user's pause inside a flow is taken to be at most half as long again as the upper quartile of all
    pauses, and at most a few medians where many pauses are between flows. The limit is the middle over the
    users. Nothing in it is a number of seconds: a log at another pace is cut in the same places.
    """
    limit = min(max(_usual_pause(queues), SHORTEST_SECONDS), LONGEST_SECONDS)
    return TimeLimits(mlts_seconds=_rounded(limit), stws_seconds=_rounded(limit * WINDOW[profile]))


def _usual_pause(queues: QueueColumns) -> float:
    sizes = np.diff(queues.queue_offsets)
    busy = np.flatnonzero(sizes > LEAST_GAPS)
    if not len(busy):
        gaps = _inner_gaps(queues)
        return _longest_pause(gaps) if len(gaps) else FALLBACK_SECONDS
    if len(busy) > MOST_USERS:
        busy = busy[np.linspace(0, len(busy) - 1, MOST_USERS).astype(np.int64)]
    bounds = zip(queues.queue_offsets[busy].tolist(), queues.queue_offsets[busy + 1].tolist(), strict=True)
    pauses = np.array([_longest_pause(_sampled_gaps(queues.times[begin:end])) for begin, end in bounds])
    order = np.argsort(pauses, kind="stable")
    weights = np.cumsum(np.minimum(sizes[busy] - 1, MOST_WEIGHT)[order])
    return float(pauses[order][np.searchsorted(weights, weights[-1] / 2)])


def _sampled_gaps(times: Floats) -> Floats:
    step = (len(times) - 1) // MOST_WEIGHT + 1
    return times[1::step] - times[:-1:step]


def _longest_pause(gaps: Floats) -> float:
    ordered = np.sort(gaps)
    return float(min(UPPER_QUARTILES * ordered[len(ordered) * 3 // 4], MEDIANS * ordered[len(ordered) // 2]))


def _inner_gaps(queues: QueueColumns) -> Floats:
    """All pauses, those between one user's last and the next user's first entry left out."""
    gaps = np.diff(queues.times)
    inner = np.ones(len(gaps), np.bool_)
    inner[queues.queue_offsets[1:-1] - 1] = False
    return gaps[inner]


def gap_percentiles(queues: QueueColumns, percents: tuple[float, ...] = (10, 25, 50, 75, 90, 99)) -> Floats:
    """How long users pause, over all users; empty where nobody sent two requests."""
    gaps = _inner_gaps(queues)
    return np.percentile(gaps, percents) if len(gaps) else np.empty(0)


def _rounded(seconds: float) -> float:
    """Two digits that count: a suggestion is no measurement."""
    return float(f"{seconds:.2g}")
