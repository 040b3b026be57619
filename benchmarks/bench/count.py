"""From the proxy's log to the figures of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .message import normalised
from .proxy import Record
from .specification import Matcher, Operation

SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class Fault:
    """A distinct 5XX: operation, status and normalised message, with the first request that showed it."""

    op: str
    status: int
    message: str
    count: int
    first_s: float
    request: str
    body: str
    answer: str

    @property
    def key(self) -> tuple[str, int, str]:
        return self.op, self.status, self.message


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of a run."""

    t_s: float
    requests: int
    covered: int
    faults: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What one tool did to the service within its time."""

    requests: int
    unmatched: int
    """Requests that are no operation of the document."""
    unanswered: int
    """Requests to which the service gave no answer at all."""
    duration_s: float
    statuses: dict[str, dict[str, int]]
    """Operation → status → how often; only operations that were tried."""
    faults: tuple[Fault, ...]
    timeline: tuple[Point, ...]

    @property
    def covered(self) -> frozenset[str]:
        """Operations that answered 2XX."""
        return frozenset(op for op, seen in self.statuses.items() if any(int(s) in SUCCESS for s in seen))


@dataclass(slots=True)
class Failure:
    """A fault while it is being counted."""

    record: Record
    count: int = 0
    first_s: float = field(default=0.0)


def count(
    records: Iterable[Record], listed: Iterable[Operation], base: str, *, start: float, seconds: float
) -> Counted:
    """Count the requests that began within ``seconds`` of ``start``."""
    matcher = Matcher(listed, base)
    statuses: dict[str, Counter[str]] = {}
    failures: dict[tuple[str, int, str], Failure] = {}
    covered: set[str] = set()
    timeline: list[Point] = [Point(0.0, 0, 0, 0)]
    requests = unmatched = unanswered = 0
    last = 0.0
    for record in sorted(records, key=lambda record: record.at + record.took):
        moment = record.at - start
        if not 0 <= moment <= seconds:
            continue
        requests += 1
        last = max(last, min(moment + record.took, seconds))
        operation = matcher.match(record.method, record.uri)
        if not record.answered and record.status >= 500:
            unanswered += 1
            continue
        if operation is None:
            unmatched += 1
            continue
        statuses.setdefault(operation.id, Counter())[str(record.status)] += 1
        grown = False
        if record.status in SUCCESS and operation.id not in covered:
            covered.add(operation.id)
            grown = True
        if record.status >= 500:
            message = normalised(record.answer, uri=record.uri, body=record.body)
            failure = failures.setdefault((operation.id, record.status, message), Failure(record, 0, moment))
            failure.count += 1
            grown = grown or failure.count == 1
        if grown:
            timeline.append(Point(round(moment, 2), requests, len(covered), len(told_apart(failures))))
    timeline.append(Point(round(last, 2), requests, len(covered), len(told_apart(failures))))
    faults = tuple(
        Fault(
            *key,
            count=failure.count,
            first_s=round(failure.first_s, 2),
            request=f"{failure.record.method} {failure.record.uri}",
            body=failure.record.body[:2000],
            answer=failure.record.answer[:500],
        )
        for key, failure in told_apart(failures).items()
    )
    by_operation = {op: dict(sorted(seen.items())) for op, seen in sorted(statuses.items())}
    return Counted(requests, unmatched, unanswered, round(last, 2), by_operation, faults, tuple(timeline))


def told_apart(failures: dict[tuple[str, int, str], Failure]) -> dict[tuple[str, int, str], Failure]:
    """The failures that are surely different ones.

    Some services tell the cause only to some users; an answer without one is then no further fault.
    """
    explained = {(op, status) for op, status, message in failures if message}
    return {key: kept for key, kept in failures.items() if key[2] or key[:2] not in explained}
