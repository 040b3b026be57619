"""Answers far slower than in the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import OperationId

_LOGGED: Final = 20
"""Answers the log must show before anything can be said."""
_SEEN: Final = 8
_FACTOR: Final = 5.0
_FLOOR_SECONDS: Final = 0.5
_KEPT: Final = 64


@dataclass(frozen=True, slots=True)
class Usual:
    """How long an operation took in the log."""

    samples: int
    median_s: float
    slow_s: float
    """Ninety-nine of a hundred were faster."""


@dataclass(slots=True)
class Durations:
    """The latest durations of 2XX answers, by operation; and the quickest answer of anything."""

    latest: dict[OperationId, list[float]] = field(default_factory=dict)


class SlownessOracle:
    """Compares medians, so that a busy moment on either side says nothing.

    How much slower the whole service is here than where the log was written is taken off first.
    """

    def __init__(self, usual: Mapping[OperationId, Usual], durations: Durations) -> None:
        self._usual = {name: one for name, one in usual.items() if one.samples >= _LOGGED}
        self._durations = durations

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """An operation whose usual answer is slower than the slowest hundredth of the log, by far."""
        if not self._usual:
            return
        for position, result in enumerate(seen.performance.results):
            exchange = result.exchange
            usual = self._usual.get(exchange.request.operation)
            if usual is None or not exchange.ok or exchange.response is None:
                continue
            kept = self._durations.latest.setdefault(exchange.request.operation, [])
            kept.append(exchange.response.seconds)
            del kept[:-_KEPT]
            if len(kept) < _SEEN or exchange.response.seconds < _FLOOR_SECONDS:
                continue
            now = median(kept)
            limit = max(_FLOOR_SECONDS, _FACTOR * self._pace() * usual.median_s, self._pace() * usual.slow_s)
            if now <= limit:
                continue
            yield alarm(
                BugKind.SLOW,
                exchange.request.operation,
                exchange.status,
                "",
                position=position,
                message=f"takes {now:.2f} s, in the log {usual.median_s:.3f} s",
                severity=Severity.LOW,
                evidence=f"medians of {len(kept)} answers here and {usual.samples} in the log, "
                f"where 99 of 100 took less than {usual.slow_s:.2f} s",
                check=Check(statuses=("2XX",), slower_than=limit),
                settled=True,
            )

    def _pace(self) -> float:
        """How much slower this place is than that of the log, by the operations that both know; at least 1."""
        ratios = [
            median(kept) / usual.median_s
            for operation, kept in self._durations.latest.items()
            if len(kept) >= _SEEN and (usual := self._usual[operation]).median_s > 0
        ]
        return max(1.0, median(ratios)) if len(ratios) >= 3 else 1.0
