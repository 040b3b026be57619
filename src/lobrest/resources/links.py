"""OpenAPI links: the document itself says which answer's value is which parameter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lobrest.model.operation import ApiSpec, Location, Operation, OperationId

_BODY = "$response.body#/"


@dataclass(frozen=True, slots=True)
class LinkedValue:
    """A value that a link carries; the same shape as a value seen flowing in logs."""

    source: OperationId
    pointer: str
    target: OperationId
    location: str
    parameter: str
    count: int = 1_000
    """A statement counts like many observations."""


def linked_values(spec: ApiSpec) -> Iterator[LinkedValue]:
    """Every link whose target and parameter exist; values of the answer's body only."""
    by_id = {one.operation_id: one for one in spec.operations.values() if one.operation_id}
    for operation in spec.operations.values():
        for answer in operation.answers.values():
            for link in answer.links:
                target = by_id.get(link.operation) or _referenced(spec, link.operation)
                if target is None:
                    continue
                for written, expression in link.parameters.items():
                    place = _place(target, written)
                    if place is not None and expression.startswith(_BODY):
                        location, name = place
                        yield LinkedValue(
                            operation.id, expression[len(_BODY) :], target.id, location.value, name
                        )


def _referenced(spec: ApiSpec, reference: str) -> Operation | None:
    """``#/paths/~1users~1{id}/get``."""
    _, found, rest = reference.partition("#/paths/")
    path, _, method = rest.rpartition("/")
    if not found:
        return None
    template = path.replace("~1", "/").replace("~0", "~")
    return spec.operations.get(OperationId(f"{method.upper()} {template}"))


def _place(target: Operation, written: str) -> tuple[Location, str] | None:
    where, dot, name = written.partition(".")
    for parameter in target.parameters:
        location = parameter.ref.location
        if parameter.ref.pointer == written or (
            dot and location.value == where and parameter.ref.pointer == name
        ):
            return location, parameter.ref.pointer
    return None
