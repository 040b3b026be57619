"""Why a step of a play did not work: what the service said to it, or to the step that it hangs on."""

from __future__ import annotations

from dataclasses import dataclass

from lobrest.fuzz.judge import fingerprint, message
from lobrest.fuzz.play import Performance, StepResult, exists_already
from lobrest.model.operation import OperationId


@dataclass(frozen=True, slots=True)
class Cause:
    """The first step that failed on the way to another, and what the service said to it."""

    operation: OperationId
    status: int
    said: str
    step: int
    inherited: bool
    """Did another step fail than the one asked about?"""

    def __str__(self) -> str:
        return f"{self.status} {self.said} ({self.operation})"


def _served(result: StepResult) -> bool:
    """Did a step make what others take from it? What is there already serves as well."""
    return result.exchange.ok or exists_already(result)


def cause_of(performance: Performance, index: int) -> Cause:
    """The cause of a failed step: itself, unless something it takes a value from had failed before."""
    at = index
    while True:
        failed = [
            wire.producer
            for wire in performance.plan.seed.wires
            if wire.step == at and not _served(performance.results[wire.producer])
        ]
        if not failed:
            break
        at = min(failed)  # a producer stands before its consumers: this ends
    exchange = performance.results[at].exchange
    response = exchange.response
    said = fingerprint(message(response)) if response is not None else "no answer"
    return Cause(exchange.request.operation, exchange.status, said, at, at != index)
