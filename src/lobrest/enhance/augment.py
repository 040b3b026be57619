"""Slices for the operations that no log shows."""

from __future__ import annotations

from collections.abc import Iterable

from lobrest.enhance.values import ValueMaker
from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import ApiSpec, OperationId
from lobrest.model.slice import Slice

SOMEBODY = UserId("somebody")
"""Who sends what no log shows."""


def augment(spec: ApiSpec, shown: Iterable[OperationId], values: ValueMaker) -> list[Slice]:
    """One single-entry slice for each operation outside ``shown``, in the order of the document."""
    seen = set(shown)
    return [
        Slice((invented_entry(operation, values),)) for operation in spec.operations if operation not in seen
    ]


def invented_entry(operation: OperationId, values: ValueMaker, *, user: UserId = SOMEBODY) -> LogEntry:
    """An entry no log shows; completion gives its resource-binding parameters their instances."""
    return LogEntry(at=0.0, operation=operation, arguments=values.arguments(operation), user=user, status=0)
