"""How an operation is declared: a handler whose signature says what goes in and out, and one line in a table.

A handler takes one `Call[Query, Body]` and returns the answer. Its annotations are the single source
for decoding the request and for the OpenAPI document:

    def create_label(call: Call[None, LabelCreate]) -> Label: ...

    ROUTES = (post("/projects/{id}/labels", create_label, "Create a label", errors=(409,)),)
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Struct

from lobrest.demo.faults import Faults
from lobrest.demo.records import UserRecord
from lobrest.demo.state import State

Q = TypeVar("Q", bound=Struct | None)
B = TypeVar("B", bound=Struct | None)


@dataclass(slots=True)
class Call(Generic[Q, B]):
    """One request, decoded and authenticated, on its way to a handler."""

    state: State
    faults: Faults
    user: UserRecord
    path: Mapping[str, str]
    query: Q
    body: B
    answer_headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `answer` is None when a success has no content."""

    method: str
    template: str
    handler: Callable[..., object]
    summary: str
    status: int
    errors: tuple[int, ...]
    query: type[Struct] | None
    body: type[Struct] | None
    answer: object

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.template.strip("/").split("/"))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in braces, in order."""
        return tuple(segment[1:-1] for segment in self.segments if segment.startswith("{"))

    @property
    def operation_id(self) -> str:
        first, *others = self.handler.__name__.split("_")
        return first + "".join(word.capitalize() for word in others)


@dataclass(frozen=True, slots=True)
class Module:
    """The operations under one tag."""

    tag: str
    description: str
    routes: tuple[Route, ...]


def _route(
    method: str,
    template: str,
    handler: Callable[..., object],
    summary: str,
    status: int,
    errors: tuple[int, ...],
) -> Route:
    hints = typing.get_type_hints(handler, include_extras=True)
    query, body = (None if kind is type(None) else kind for kind in typing.get_args(hints["call"]))
    answer = None if hints["return"] is type(None) else hints["return"]
    return Route(method, template, handler, summary, status, errors, query, body, answer)


def get(
    template: str, handler: Callable[..., object], summary: str, *, errors: tuple[int, ...] = ()
) -> Route:
    return _route("GET", template, handler, summary, 200, errors)


def post(
    template: str,
    handler: Callable[..., object],
    summary: str,
    *,
    status: int = 201,
    errors: tuple[int, ...] = (),
) -> Route:
    return _route("POST", template, handler, summary, status, errors)


def put(
    template: str, handler: Callable[..., object], summary: str, *, errors: tuple[int, ...] = ()
) -> Route:
    return _route("PUT", template, handler, summary, 200, errors)


def delete(
    template: str, handler: Callable[..., object], summary: str, *, errors: tuple[int, ...] = ()
) -> Route:
    return _route("DELETE", template, handler, summary, 204, errors)


Name = Annotated[str, Meta(min_length=1, max_length=255)]
Text = Annotated[str, Meta(max_length=65536)]
Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
