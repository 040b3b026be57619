"""Counts per second and moments of discovery, drawn together into a few points."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate

from lobrest.model.summary import Point


def timeline(
    ticks: Mapping[int, int], covered: Iterable[float], bugs: Iterable[float], *, points: int
) -> tuple[Point, ...]:
    """Totals at the ends of equal spans of whole seconds, from the first to the last thing that happened."""
    found = sorted(bugs)
    reached = sorted(covered)
    last = max(
        [*(second + 1 for second in ticks), *(math.ceil(at) for at in (*reached[-1:], *found[-1:]))],
        default=0,
    )
    if last <= 0 or points < 1:
        return ()
    seconds = sorted(ticks)
    sums = list(accumulate((ticks[second] for second in seconds), initial=0))
    width = math.ceil(last / points)
    ends = range(width, last + width, width)
    return tuple(
        Point(
            t_s=float(min(end, last)),
            requests=sums[bisect_right(seconds, end - 1)],
            covered=bisect_right(reached, end),
            bugs=bisect_right(found, end),
        )
        for end in ends
    )
