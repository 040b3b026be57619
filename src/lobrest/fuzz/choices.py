"""Parameters with only a few values: switches, enumerations, and words of which the log shows a handful."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from lobrest.model.corpus import Corpus
from lobrest.model.operation import (
    ApiSpec,
    Json,
    Location,
    Operation,
    OperationId,
    Parameter,
    ParameterRef,
    Schema,
)
from lobrest.spec.fields import BodyFields

_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{1,19}")
_FEW = 5
_MOST = 12
"""Values of one enumeration, and parameters of one operation, that are told apart."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One argument of a request set to something else that is allowed."""

    ref: ParameterRef
    value: Json


class Choices:
    """What can be chosen in the requests of one service. ``references`` are the parameters that name a thing."""

    def __init__(
        self, spec: ApiSpec, fields: BodyFields, corpus: Corpus, references: Container[ParameterRef] = ()
    ) -> None:
        self._spec = spec
        self._fields = fields
        self._corpus = corpus
        self.references = references
        self._known: dict[OperationId, dict[ParameterRef, tuple[Json, ...]]] = {}

    def of(self, operation: Operation) -> dict[ParameterRef, tuple[Json, ...]]:
        """The operation's parameters that have a few values, and those values."""
        known = self._known.get(operation.id)
        if known is None:
            known = {}
            for one in self._declared(operation):
                values = () if one.ref in self.references else self.values(one)
                if values and len(known) < _MOST:
                    known[one.ref] = values
            self._known[operation.id] = known
        return known

    def named(self, operation: Operation) -> tuple[ParameterRef, ...]:
        """The operation's parameters outside the path that name a thing."""
        return tuple(
            one.ref
            for one in self._declared(operation)
            if one.ref in self.references and one.ref.location is not Location.PATH
        )[:_MOST]

    def values(self, parameter: Parameter) -> tuple[Json, ...]:
        """Declared ones, else the few words that the log shows."""
        return finite(parameter.schema, self._spec) or self._usual(parameter.ref)

    def variations(self, operation: Operation) -> tuple[Variation, ...]:
        """Everything that can be chosen about a request, one choice at a time; references by example."""
        found = [Variation(ref, value) for ref, values in self.of(operation).items() for value in values]
        for ref in self.named(operation):
            shown = self._corpus.values.get(ref, ())
            found.append(Variation(ref, shown[0] if shown else "1"))
        return tuple(found)

    def _declared(self, operation: Operation) -> Sequence[Parameter]:
        return (*operation.parameters, *self._fields.of(operation))

    def _usual(self, ref: ParameterRef) -> tuple[Json, ...]:
        if ref.location is Location.PATH:
            return ()
        shown = self._corpus.values.get(ref, ())
        words = [one for one in shown if isinstance(one, str) and _WORD.fullmatch(one)]
        if not 2 <= len(shown) <= _FEW or len(words) < len(shown):
            return ()
        requests = self._corpus.examples.get(ref.operation, ())
        times = sum(one.get(ref) is not None for one in requests)
        return tuple(words) if times > 2 * len(words) else ()


def finite(schema: Schema, spec: ApiSpec, depth: int = 0) -> tuple[Json, ...]:
    """All values that a schema allows, where they are few: an enumeration or a switch, perhaps or null."""
    schema = spec.resolve(schema)
    enumerated = schema.get("enum")
    if isinstance(enumerated, list):
        return tuple(one for one in enumerated if not isinstance(one, dict | list))[:_MOST]
    kind = schema.get("type")
    if kind == "boolean" or (isinstance(kind, list) and "boolean" in kind):
        return (True, False)
    for word in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and depth < 4:
            real = [one for one in branches if isinstance(one, dict) and one.get("type") != "null"]
            if len(real) == 1:
                return finite(real[0], spec, depth + 1)
    return ()
