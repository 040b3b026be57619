"""What an oracle says, and what it is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.play import Performance
from lobrest.model.bug import BugKey, BugKind, Check, Severity
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something is wrong with one answer of a performance."""

    key: BugKey
    position: int
    """The telling step."""
    message: str
    severity: Severity
    evidence: str = ""
    check: Check = field(default_factory=Check)
    needs: frozenset[int] = frozenset()
    """Steps that belong to the finding although the telling one takes no value from them."""
    settled: bool = False
    """Its evidence is many plays: no further run would tell more."""


def alarm(
    kind: BugKind,
    operation: OperationId,
    status: int,
    fingerprint: str,
    *,
    position: int,
    message: str,
    severity: Severity,
    evidence: str = "",
    check: Check | None = None,
    needs: Iterable[int] = (),
    settled: bool = False,
) -> Alarm:
    """An alarm with its key; by default the status alone tells that it is still there."""
    key = BugKey(operation, status, fingerprint[:200], kind)
    told = check if check is not None else Check(statuses=(f"{status:03d}",))
    return Alarm(key, position, message, severity, evidence[:600], told, frozenset(needs), settled)


@dataclass(frozen=True, slots=True)
class Seen:
    """A performance and how closely it is to be looked at."""

    performance: Performance
    looked_at: tuple[bool, ...]
    """For each step: is its answer one of those that are read? Of many alike only some are."""
    astray: frozenset[int] = frozenset()
    """Steps whose path was broken on purpose so that it may lead to another operation."""
    first_play: bool = False
    """A flow of the log or an augmented one, as completion made it."""


class Oracle(Protocol):
    """Judges performances. To be told in the order of planning."""

    def told(self, seen: Seen) -> Iterable[Alarm]:
        """What is wrong."""


class Prober(Protocol):
    """An oracle that needs requests nobody would send otherwise."""

    def told(self, seen: Seen) -> Iterable[Alarm]:
        """What is wrong."""

    def probe(self, base: Seed, context: MutationContext) -> Seed | None:
        """What to play to learn more about the last operation of a flow that works, or None."""
