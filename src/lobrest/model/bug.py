"""Failures of the service, told apart by what a person would call the same bug."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lobrest.model.exchange import Exchange
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId


@dataclass(frozen=True, slots=True, order=True)
class BugKey:
    """Equal keys are one bug."""

    operation: OperationId
    status: int
    fingerprint: str
    """The answer's message without numbers, ids, times and addresses."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A failure with the exchanges that lead to it, the failing one last."""

    number: int
    key: BugKey
    message: str
    first_seen_s: float
    exchanges: tuple[Exchange, ...]
    seed: SeedId
    count: int = 1
    confirmed: bool = False
    """Seen again when the whole sequence was run a second time."""
    minimised: bool = False

    def seen_again(self) -> Bug:
        """The same bug, counted once more."""
        return replace(self, count=self.count + 1)
