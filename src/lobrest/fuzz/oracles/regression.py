"""What the log shows as working and that is refused now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lobrest.fuzz.judge import fingerprint, message
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.model.bug import BugKind, Severity
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin

_ENOUGH: Final = 3
_NOT_ITS_FAULT: Final = (0, 401, 408, 425, 429)


@dataclass(slots=True)
class Refusals:
    """How flows of the log went, by operation."""

    worked: set[OperationId] = field(default_factory=set)
    refused: dict[tuple[OperationId, int], int] = field(default_factory=dict)


class RegressionOracle:
    """An operation that is refused every time it is played as logged, everything before it having worked."""

    def __init__(self, refusals: Refusals) -> None:
        self._refusals = refusals

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Only first plays of logged flows count; one success anywhere ends the matter."""
        refusals = self._refusals
        steps, results = seen.performance.plan.seed.steps, seen.performance.results
        for step, result in zip(steps, results, strict=True):
            if result.exchange.ok:
                refusals.worked.add(step.entry.operation)
        if not seen.first_play:
            return
        for position, (step, result) in enumerate(zip(steps, results, strict=True)):
            exchange = result.exchange
            if exchange.ok or 300 <= exchange.status < 400:
                continue
            logged = step.origin is Origin.LOG and 200 <= step.entry.status < 300
            if not logged or exchange.status in _NOT_ITS_FAULT or exchange.status >= 500:
                return  # what comes after it stands on nothing
            key = (step.entry.operation, exchange.status)
            refusals.refused[key] = refusals.refused.get(key, 0) + 1
            if refusals.refused[key] >= _ENOUGH and step.entry.operation not in refusals.worked:
                said = message(exchange.response) if exchange.response is not None else ""
                yield alarm(
                    BugKind.REGRESSION,
                    step.entry.operation,
                    exchange.status,
                    "",
                    position=position,
                    message=f"worked in the log with {step.entry.status}, now {exchange.status}: {said}"[
                        :300
                    ],
                    severity=Severity.MEDIUM,
                    evidence=f"refused in {refusals.refused[key]} flows whose steps before it worked: "
                    f"{fingerprint(said)}",
                    settled=True,
                )
            return
