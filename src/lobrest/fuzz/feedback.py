"""What is new about a performance: the reason to keep its seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from lobrest.fuzz.judge import fingerprint, message, parsed, shape
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Exchange
from lobrest.model.operation import OperationId

_SHAPED_BYTES = 20_000
_SHAPES_PER_OPERATION = 30


@dataclass(slots=True)
class Feedback:
    """Everything seen so far, in the terms that earn a seed its place."""

    covered: set[OperationId] = field(default_factory=set)
    statuses: dict[OperationId, dict[int, int]] = field(default_factory=dict)
    refusals: dict[OperationId, dict[str, int]] = field(default_factory=dict)
    """Messages of 4XX answers: why an operation is not reached."""
    pairs: set[tuple[OperationId, OperationId]] = field(default_factory=set)
    shapes: dict[OperationId, set[str]] = field(default_factory=dict)
    deepest: int = 0

    def told(self, performance: Performance) -> tuple[float, tuple[OperationId, ...]]:
        """Take in a performance; how much of it is new, and the operations covered for the first time."""
        gain = 0.0
        first: list[OperationId] = []
        for exchange in performance.exchanges:
            gain += self._exchange(exchange, first)
        good = [result.exchange.request.operation for result in performance.results if result.exchange.ok]
        for pair in pairwise(good):
            if pair not in self.pairs:
                self.pairs.add(pair)
                gain += 0.2
        if len(good) > self.deepest:
            self.deepest = len(good)
            gain += 1.0
        return gain, tuple(first)

    def _exchange(self, exchange: Exchange, first: list[OperationId]) -> float:
        operation = exchange.request.operation
        counts = self.statuses.setdefault(operation, {})
        new_status = exchange.status not in counts
        counts[exchange.status] = counts.get(exchange.status, 0) + 1
        gain = 1.0 if new_status else 0.0
        response = exchange.response
        if response is None:
            return gain
        if exchange.ok:
            if operation not in self.covered:
                self.covered.add(operation)
                first.append(operation)
                gain += 10.0
            shapes = self.shapes.setdefault(operation, set())
            if len(response.body) < _SHAPED_BYTES and len(shapes) < _SHAPES_PER_OPERATION:
                seen = shape(parsed(response))
                if seen not in shapes:
                    shapes.add(seen)
                    gain += 0.5
        elif response.status >= 400:
            said = self.refusals.setdefault(operation, {})
            text = f"{response.status} {fingerprint(message(response))}"
            if text not in said and len(said) < 200:
                said[text] = 0
                gain += 0.5
            if text in said:
                said[text] += 1
        return gain
