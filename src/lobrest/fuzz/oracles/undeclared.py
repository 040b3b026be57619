"""Statuses and media types that the specification does not name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.validators import declared_answer
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import ApiSpec, Method, OperationId

_ANYBODYS: Final = frozenset({401, 405, 406, 408, 411, 413, 414, 415, 417, 421, 426, 429, 431})
"""Given by servers and gateways in front of any operation: nobody writes them down."""


class StatusOracle:
    """An undeclared success misleads clients; an undeclared refusal is worth knowing."""

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec
        self._known: dict[tuple[OperationId, int], bool] = {}

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Every answer is looked at: the question costs nothing."""
        for position, result in enumerate(seen.performance.results):
            status = result.exchange.status
            if position in seen.astray:
                continue
            operation = result.exchange.request.operation
            key = (operation, status)
            declared = self._known.get(key)
            if declared is None:
                declared = self._known[key] = self._declares(operation, status)
            if declared:
                continue
            names = ", ".join(sorted(self._spec.operations[operation].answers)) or "none"
            yield alarm(
                BugKind.UNDECLARED_STATUS,
                operation,
                status,
                "",
                position=position,
                message=f"answers {status}, which is not declared",
                severity=Severity.LOW if status < 300 else Severity.INFO,
                evidence=f"declared: {names}",
            )

    def _declares(self, operation: OperationId, status: int) -> bool:
        known = self._spec.operations[operation]
        if not 200 <= status < 500 or 300 <= status < 400 or status in _ANYBODYS or not known.answers:
            return True
        return declared_answer(known, status) is not None


class MediaTypeOracle:
    """A success in a media type that is not declared for it."""

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Only answers with a body and a declared list of media types are looked at."""
        for position, result in enumerate(seen.performance.results):
            exchange = result.exchange
            response = exchange.response
            if response is None or not exchange.ok or not response.body or not seen.looked_at[position]:
                continue
            operation = self._spec.operations[exchange.request.operation]
            declared = declared_answer(operation, exchange.status)
            given = plain_media_type(response.header("content-type") or "")
            if operation.method is Method.HEAD or declared is None or not declared.media or not given:
                continue
            if any(_covers(one, given) for one in declared.media):
                continue
            yield alarm(
                BugKind.UNDECLARED_MEDIA,
                operation.id,
                exchange.status,
                given,
                position=position,
                message=f"answers in {given}, which is not declared",
                severity=Severity.INFO,
                evidence=f"declared: {', '.join(declared.media)}",
                check=Check(statuses=(str(exchange.status),), media_type=given),
            )


def plain_media_type(written: str) -> str:
    """Type and subtype alone, in lower case."""
    return written.partition(";")[0].strip().lower()


def _covers(declared: str, given: str) -> bool:
    wanted = plain_media_type(declared)
    if wanted in ("*/*", "*", given, "application/octet-stream"):
        return True
    kind, _, subtype = wanted.partition("/")
    if subtype == "*":
        return given.startswith(f"{kind}/")
    # A more particular JSON or XML (problem details, vendors' own) is JSON or XML all the same.
    return any(given.endswith(f"+{base}") and base in subtype for base in ("json", "xml")) or (
        subtype.endswith("json") and given.endswith("/json")
    )
