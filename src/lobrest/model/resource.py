"""Resources of a service, their instances, and what parameters refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from lobrest.model.operation import OperationId, ParameterRef

ResourceName = NewType("ResourceName", str)
"""A path template of the specification: the path that creates or lists the resource."""


class Source(StrEnum):
    """Where the value of a resource-binding parameter can be taken from."""

    RESPONSE = "response"
    """A field of the creator's answer; the pointer is a JSON pointer without the first slash."""
    LOCATION = "location"
    """A path segment of the creator's ``Location`` header, counted from the end (``-1`` is the last)."""
    REQUEST = "request"
    """A parameter of the creator's own request: ``path/name``, ``query/name`` or ``body/pointer``."""
    LIST = "list"
    """A field of an item of the lister's answer."""


class Decider(StrEnum):
    """Who took a decision."""

    RULES = "rules"
    MODEL = "model"
    LOGS = "logs"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Binding:
    """One candidate source for a value."""

    source: Source
    pointer: str


@dataclass(frozen=True, slots=True)
class Creation:
    """An operation that makes a new instance of a resource."""

    operation: OperationId
    resource: ResourceName
    confidence: float = 1.0
    reason: str = ""
    decided_by: Decider = Decider.RULES
    identified_by: tuple[ParameterRef, ...] = ()
    """Parameters of the request whose value is (part of) the new identity, best first."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """An operation that lists instances of a resource without needing their identity."""

    operation: OperationId
    resource: ResourceName
    confidence: float = 1.0
    reason: str = ""
    decided_by: Decider = Decider.RULES
    items: str = ""
    """Pointer to the array in the answer; empty where the answer itself is the array."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind of thing that the service keeps."""

    name: ResourceName
    parent: ResourceName | None = None
    creators: tuple[OperationId, ...] = ()
    """Alternatives, best first."""
    listers: tuple[OperationId, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependency:
    """A parameter that refers to an instance of a resource."""

    parameter: ParameterRef
    resource: ResourceName
    bindings: tuple[Binding, ...] = ()
    """Candidates, best first."""
    confidence: float = 1.0
    reason: str = ""
    decided_by: Decider = Decider.RULES


@dataclass(frozen=True, slots=True)
class ResourceInstance:
    """A concrete thing seen in a log or made by a seed: ``!3`` of project 15 is not ``!3`` of project 16."""

    resource: ResourceName
    value: str
    parent: ResourceInstance | None = None

    def ancestors(self) -> tuple[ResourceInstance, ...]:
        """From the parent to the root."""
        found = []
        above = self.parent
        while above is not None:
            found.append(above)
            above = above.parent
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ResourceModel:
    """The result of stage 1."""

    service: str
    resources: Mapping[ResourceName, Resource]
    creations: Mapping[OperationId, Creation]
    retrievals: Mapping[OperationId, Retrieval]
    dependencies: Mapping[ParameterRef, Dependency]
    acting_users: frozenset[ResourceName] = field(default_factory=frozenset)
    """Resources whose instances act: users and the like. A parameter that names one is often mere context."""

    def depth(self, name: ResourceName) -> int:
        """How many ancestors a resource has; cycles end where they began."""
        seen: set[ResourceName] = set()
        current: ResourceName | None = name
        while current is not None and current not in seen:
            seen.add(current)
            resource = self.resources.get(current)
            current = resource.parent if resource else None
        return len(seen) - 1

    def of_operation(self, operation: OperationId) -> tuple[Dependency, ...]:
        """The dependencies of one operation, in the order of the specification."""
        return tuple(d for d in self.dependencies.values() if d.parameter.operation == operation)
