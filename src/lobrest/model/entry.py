"""One logged request, with what it used and made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NewType

from lobrest.model import pointer
from lobrest.model.operation import Json, Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance

UserId = NewType("UserId", str)
"""Tells users apart and nothing else: a name the log shows, or a keyed hash of what it must not show."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values of one request, by place."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Json] = field(default_factory=dict)
    header: Mapping[str, str] = field(default_factory=dict)
    cookie: Mapping[str, str] = field(default_factory=dict)
    body: Json = None
    has_body: bool = False
    """Tells a body of ``null`` from no body."""
    media_type: str | None = None
    body_known: bool = True
    """False where the log keeps no bodies: then generation fills it."""
    hidden: tuple[str, ...] = ()
    """Parameters that were there but whose value is secret, filtered, cut short or bent by the log, so that
    they are in none of the places above: ``query/name`` or ``body/pointer``. Generation fills them anew."""

    def at(self, location: Location) -> Mapping[str, Json]:
        """The named values of one place; of a body, its top-level fields."""
        if location is Location.PATH:
            return dict(self.path)
        if location is Location.QUERY:
            return self.query
        if location is Location.HEADER:
            return dict(self.header)
        if location is Location.COOKIE:
            return dict(self.cookie)
        return self.body if isinstance(self.body, dict) else {}

    def get(self, ref: ParameterRef) -> Json:
        """The value of one parameter or body field, None where there is none."""
        match ref.location:
            case Location.PATH:
                return self.path.get(ref.pointer)
            case Location.QUERY:
                return self.query.get(ref.pointer)
            case Location.BODY:
                return pointer.first(self.body, ref.pointer)
            case Location.HEADER:
                return self.header.get(ref.pointer)
            case Location.COOKIE:
                return self.cookie.get(ref.pointer)

    def with_value(self, ref: ParameterRef, value: Json) -> Arguments:
        """A copy with one value set."""
        name = ref.pointer
        match ref.location:
            case Location.PATH:
                return self.with_path({name: str(value)})
            case Location.QUERY:
                return replace(self, query={**self.query, name: value})
            case Location.HEADER:
                return replace(self, header={**self.header, name: str(value)})
            case Location.COOKIE:
                return replace(self, cookie={**self.cookie, name: str(value)})
            case Location.BODY:
                return replace(self, body=pointer.replaced(self.body, name, value), has_body=True)

    def with_path(self, values: Mapping[str, str]) -> Arguments:
        """A copy with path parameters set. Every play needs many of these, hence no ``replace``."""
        return Arguments(
            {**self.path, **values},
            self.query,
            self.header,
            self.cookie,
            self.body,
            self.has_body,
            self.media_type,
            self.body_known,
            self.hidden,
        )

    def without(self, ref: ParameterRef) -> Arguments:
        """A copy with one value left out; path parameters stay."""
        name = ref.pointer
        match ref.location:
            case Location.QUERY:
                return replace(self, query={k: v for k, v in self.query.items() if k != name})
            case Location.HEADER:
                return replace(self, header={k: v for k, v in self.header.items() if k != name})
            case Location.COOKIE:
                return replace(self, cookie={k: v for k, v in self.cookie.items() if k != name})
            case Location.BODY:
                return replace(self, body=pointer.removed(self.body, name))
            case _:
                return self


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line was read: file name and line number, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One request of the log that belongs to the service."""

    at: float
    """Start of the request, seconds since the epoch."""
    operation: OperationId
    arguments: Arguments
    user: UserId
    status: int
    uses: Mapping[ParameterRef, ResourceInstance] = field(default_factory=dict)
    """Φ: the instance each resource-binding parameter refers to."""
    creates: ResourceInstance | None = None
    """The instance this request made, where its identity is known."""
    source: Place | None = None

    @property
    def instances(self) -> frozenset[ResourceInstance]:
        """All instances involved."""
        involved = set(self.uses.values())
        if self.creates is not None:
            involved.add(self.creates)
        return frozenset(involved)
