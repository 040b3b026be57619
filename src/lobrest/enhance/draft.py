"""One completion under way: what the slice uses and makes, and what was decided so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import OperationId
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Step

NEW: Final = "new:"
"""How the value of an instance begins that no log shows."""
ONE_OF_US: Final = f"{NEW}as "
"""How the value begins of a person, or of what is a person's alone, where only the user is known."""


@dataclass(frozen=True, slots=True)
class Made:
    """The instance comes from the step at this index of the added steps."""

    index: int


@dataclass(frozen=True, slots=True)
class Person:
    """The instance is whoever plays this user."""

    user: UserId


@dataclass(frozen=True, slots=True)
class Literal:
    """Nothing makes the instance: its value stays as it is."""

    value: str


Producer: TypeAlias = Made | Person | Literal


@dataclass(slots=True)
class Draft:
    """One completion under way."""

    entries: list[LogEntry]
    """The slice's own, and what recipes put between them."""
    inserted: dict[int, str]
    """By position in ``entries``: why a recipe put it there."""
    main: UserId
    people: tuple[UserId, ...] = ()
    """Everybody who sends an entry of the slice."""
    shown: dict[ResourceName, list[ResourceInstance]] = field(default_factory=dict)
    first_use: dict[ResourceInstance, int] = field(default_factory=dict)
    created_at: dict[ResourceInstance, int] = field(default_factory=dict)
    producers: dict[ResourceInstance, Producer] = field(default_factory=dict)
    under_way: list[ResourceInstance] = field(default_factory=list)
    added: list[Step] = field(default_factory=list)
    listed: dict[tuple[OperationId, ResourceInstance | None], int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fresh: int = 0

    def knows(self, instance: ResourceInstance) -> bool:
        """Was it used or created by an entry before?"""
        return instance in self.created_at or instance in self.first_use

    def show(self, instance: ResourceInstance) -> None:
        known = self.shown.setdefault(instance.resource, [])
        if instance not in known:
            known.append(instance)

    def new_instance(self, resource: ResourceName, parent: ResourceInstance | None) -> ResourceInstance:
        self.fresh += 1
        return ResourceInstance(resource, f"{NEW}{self.fresh}", parent)
