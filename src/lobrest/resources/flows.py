"""Evidence from logs that hold answers: values that an answer gave and a later request sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, Creation, Decider, Dependency, Retrieval, Source

_LOCATIONS = frozenset(location.value for location in Location)
_LEAST_COUNT = 3
"""How often a value must have come back before it makes a dependency that nothing else shows."""


class ValueFlow(Protocol):
    """A field of an answer whose value a later request's parameter had."""

    @property
    def source(self) -> OperationId:
        """The operation that answered."""

    @property
    def pointer(self) -> str:
        """Where in its answer; elements of arrays are ``*``."""

    @property
    def target(self) -> OperationId:
        """The operation that was then requested."""

    @property
    def location(self) -> str:
        """Where in that request: ``path``, ``query``, ``body``."""

    @property
    def parameter(self) -> str:
        """Which parameter or body field."""

    @property
    def count(self) -> int:
        """How often."""


def with_flows(
    declared: Collection[ParameterRef],
    dependencies: Mapping[ParameterRef, Dependency],
    creations: Mapping[OperationId, Creation],
    retrievals: Mapping[OperationId, Retrieval],
    flows: Iterable[ValueFlow],
) -> dict[ParameterRef, Dependency]:
    """The dependencies with the sources that logs show put first, and those that only logs show added.

    Parameters that the specification does not declare (``sudo`` everywhere) stay out.
    """
    seen: dict[ParameterRef, list[ValueFlow]] = {}
    for flow in flows:
        if flow.location in _LOCATIONS:
            ref = ParameterRef(flow.target, Location(flow.location), flow.parameter)
            if ref in declared:
                seen.setdefault(ref, []).append(flow)
    result = dict(dependencies)
    for ref, observed in seen.items():
        observed.sort(key=lambda flow: -flow.count)
        known = result.get(ref)
        if known is not None:
            shown = [
                binding
                for flow in observed
                if (binding := _binding(flow, known.resource, creations, retrievals)) is not None
            ]
            if shown:
                ordered = tuple(dict.fromkeys((*shown, *known.bindings)))
                result[ref] = replace(known, bindings=ordered, confidence=max(known.confidence, 0.95))
            continue
        added = _new(ref, observed, creations, retrievals)
        if added is not None:
            result[ref] = added
    return result


def _binding(
    flow: ValueFlow,
    resource: str,
    creations: Mapping[OperationId, Creation],
    retrievals: Mapping[OperationId, Retrieval],
) -> Binding | None:
    creation = creations.get(flow.source)
    if creation is not None and creation.resource == resource and "*" not in flow.pointer:
        return Binding(Source.RESPONSE, flow.pointer)
    retrieval = retrievals.get(flow.source)
    if retrieval is not None and retrieval.resource == resource:
        prefix = f"{retrieval.items}/*" if retrieval.items else "*"
        if flow.pointer == prefix:
            return Binding(Source.LIST, "")
        if flow.pointer.startswith(f"{prefix}/"):
            return Binding(Source.LIST, flow.pointer[len(prefix) + 1 :])
    return None


def _new(
    ref: ParameterRef,
    observed: list[ValueFlow],
    creations: Mapping[OperationId, Creation],
    retrievals: Mapping[OperationId, Retrieval],
) -> Dependency | None:
    """Only identities that a creator answered, often enough, and from one resource more than from others."""
    votes: dict[str, int] = {}
    for flow in observed:
        creation = creations.get(flow.source)
        if creation is None or flow.target == flow.source or not _identity(flow.pointer):
            continue
        if ref in creation.identified_by:
            continue
        votes[creation.resource] = votes.get(creation.resource, 0) + flow.count
    if not votes:
        return None
    best = max(votes, key=lambda name: (votes[name], name))
    if votes[best] < _LEAST_COUNT or votes[best] * 2 < sum(votes.values()):
        return None
    bindings = tuple(
        dict.fromkeys(
            binding
            for flow in observed
            if (binding := _binding(flow, best, creations, retrievals)) is not None
        )
    )
    resource = next(one.resource for one in creations.values() if one.resource == best)
    reason = f"{votes[best]} values of its answers came back here in the logs"
    return Dependency(ref, resource, bindings, 0.6, reason, Decider.LOGS)


def _identity(pointer: str) -> bool:
    last = pointer.rpartition("/")[2].lower()
    return last.endswith("id") or last in ("uuid", "number", "key", "slug", "name", "sha", "token", "login")
