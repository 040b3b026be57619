"""Kinds of one operation's requests: which of its switches and choices are set, and how."""

from __future__ import annotations

from typing import NewType

from lobrest.fuzz.choices import Choices
from lobrest.model.entry import Arguments
from lobrest.model.operation import ApiSpec, OperationId

Variant = NewType("Variant", str)
"""The operation, its booleans and enumerations with their values, and the things it refers to.

``squash`` makes another merge, and an issue with a milestone is another issue.
"""


class Variants:
    """Tells variants apart for one service."""

    def __init__(self, spec: ApiSpec, choices: Choices) -> None:
        self._spec = spec
        self._choices = choices

    def of(self, operation: OperationId, arguments: Arguments) -> Variant:
        """The variant of a request."""
        parts = [str(operation)]
        declared = self._spec.operations[operation]
        for ref in self._choices.of(declared):
            value = arguments.get(ref)
            if value is not None and not isinstance(value, dict | list):
                parts.append(f"{ref.pointer}={value}"[:60])
        for ref in self._choices.named(declared):
            if arguments.get(ref) not in (None, "", []):
                parts.append(ref.pointer[:60])
        return Variant(" ".join(parts))
