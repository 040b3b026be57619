"""The operations of a specification, indexed by path and with their answers understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lobrest.model.operation import ApiSpec, Location, Method, Operation, OperationId, Parameter
from lobrest.resources.answers import Kind, Shape, shape_of
from lobrest.resources.words import Noun, noun_of
from lobrest.spec.fields import BodyFields
from lobrest.spec.template import Hole, Segment, parse_template

Path = tuple[str, ...]
"""A path by its segments, parameters written ``{}``: equal ones are the same place."""


@dataclass(frozen=True, slots=True)
class Route:
    """An operation with its path taken apart."""

    operation: Operation
    segments: tuple[Segment, ...]
    path: Path

    @property
    def ends_with_parameter(self) -> bool:
        """Is the last segment a parameter?"""
        return bool(self.path) and self.path[-1] == "{}"

    def name_at(self, position: int) -> str:
        """The name of the parameter that is a whole segment."""
        part = self.segments[position][0]
        return part.name if isinstance(part, Hole) else ""

    def holes(self) -> Iterable[tuple[int, int, Hole]]:
        """(segment, position inside it, parameter) of every parameter."""
        for number, segment in enumerate(self.segments):
            for inside, part in enumerate(segment):
                if isinstance(part, Hole):
                    yield number, inside, part


class Catalogue:
    """Everything the rules look at, each computed once."""

    def __init__(self, spec: ApiSpec) -> None:
        self.spec = spec
        self.fields = BodyFields(spec)
        self.routes: dict[OperationId, Route] = {}
        self.at: dict[Path, dict[Method, Route]] = defaultdict(dict)
        self.children: dict[Path, set[str]] = defaultdict(set)
        self.template: dict[Path, str] = {}
        """How the document writes a path."""
        self.posts: list[Route] = []
        self._posts_of: dict[Noun, list[Route]] | None = None
        self._shapes: dict[OperationId, Shape] = {}
        for operation in spec.operations.values():
            self._add(operation)

    def _add(self, operation: Operation) -> None:
        segments = tuple(
            segment for segment in parse_template(operation.template).segments if segment != ("",)
        )
        path = tuple("".join(p if isinstance(p, str) else "{}" for p in segment) for segment in segments)
        route = Route(operation, segments, path)
        self.routes[operation.id] = route
        if operation.method is Method.POST:
            self.posts.append(route)
        self.at[path].setdefault(operation.method, route)
        written = operation.template.rstrip("/") or "/"
        self.template.setdefault(path, written)
        parts = [part for part in written.split("/") if part]
        for length in range(len(path)):
            self.children[path[:length]].add(path[length])
            if len(parts) == len(path):
                self.template.setdefault(path[:length], "/" + "/".join(parts[:length]))

    def shape(self, route: Route) -> Shape:
        """The answer of a route."""
        known = self._shapes.get(route.operation.id)
        if known is None:
            known = self._shapes[route.operation.id] = shape_of(self.spec, route.operation)
        return known

    def posts_of(self, entity: Noun) -> list[Route]:
        """POSTs on a path named like the entity that answer one of it."""
        if self._posts_of is None:
            self._posts_of = defaultdict(list)
            for route in self.posts:
                shape = self.shape(route)
                if (
                    shape.kind is Kind.OBJECT
                    and not route.ends_with_parameter
                    and self.literal_noun(route.path) == shape.entity
                ):
                    self._posts_of[shape.entity].append(route)
        return self._posts_of.get(entity, [])

    def literal_noun(self, path: Path) -> Noun:
        """The noun of the last literal segment."""
        for segment in reversed(path):
            if "{}" not in segment:
                return noun_of(segment)
        return ()

    def parameters(self, route: Route) -> tuple[Parameter, ...]:
        """Every parameter and body field of an operation."""
        return route.operation.parameters + self.fields.of(route.operation)

    def path_parameter(self, route: Route, name: str) -> Parameter | None:
        """The declared path parameter of a name."""
        for parameter in route.operation.parameters:
            if parameter.ref.location is Location.PATH and parameter.ref.pointer == name:
                return parameter
        return None

    def methods(self, path: Path) -> Mapping[Method, Route]:
        """What can be done at exactly this path."""
        return self.at.get(path, {})
