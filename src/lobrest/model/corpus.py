"""What 2XX requests of the log (and of the campaign) looked like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lobrest.model.entry import Arguments
from lobrest.model.operation import Json, OperationId, ParameterRef


@dataclass(frozen=True, slots=True)
class Corpus:
    """Parameter combinations and values that once gave 2XX. Bounded: a sample where the log has more.

    Values that were filtered, cut short or secret are never in it.
    """

    examples: Mapping[OperationId, tuple[Arguments, ...]] = field(default_factory=dict)
    """Whole requests, different combinations of parameters first."""
    values: Mapping[ParameterRef, tuple[Json, ...]] = field(default_factory=dict)
    """Distinct values of each parameter and body field, most frequent first."""
