"""Kinds of one operation's requests: which of its switches and choices are set, and how."""

from __future__ import annotations

from typing import NewType

from lobrest.fuzz.mutators.value import finite
from lobrest.model.entry import Arguments
from lobrest.model.operation import ApiSpec, OperationId, ParameterRef
from lobrest.spec.fields import BodyFields

Variant = NewType("Variant", str)
"""The operation and the values of its booleans and enumerations: ``squash`` makes another merge."""


class Variants:
    """Tells variants apart for one service."""

    def __init__(self, spec: ApiSpec, fields: BodyFields) -> None:
        self._spec = spec
        self._fields = fields
        self._choices: dict[OperationId, tuple[ParameterRef, ...]] = {}

    def of(self, operation: OperationId, arguments: Arguments) -> Variant:
        """The variant of a request."""
        parts = [str(operation)]
        for ref in self._finite(operation):
            value = arguments.get(ref)
            if value is not None and not isinstance(value, dict | list):
                parts.append(f"{ref.pointer}={value}"[:60])
        return Variant(" ".join(parts))

    def _finite(self, operation: OperationId) -> tuple[ParameterRef, ...]:
        known = self._choices.get(operation)
        if known is None:
            declared = self._spec.operations[operation]
            known = tuple(
                one.ref for one in (*declared.parameters, *self._fields.of(declared)) if finite(one)
            )[:12]
            self._choices[operation] = known
        return known
