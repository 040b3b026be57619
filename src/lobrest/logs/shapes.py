"""Routing by the shape of a path: paths that differ in values only are routed once."""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from lobrest.model.operation import ApiSpec, Operation
from lobrest.spec.router import Router
from lobrest.spec.template import Hole, parse_template

_TOKEN = re.compile(r"\x01(\d+)\x01(?:/\x01\d+\x01)*")
_MOST_SHAPES = 50_000


class _Argument(NamedTuple):
    name: str
    first: int
    last: int
    """The segments of the path that are its value."""


class _Shape(NamedTuple):
    operation: Operation
    fixed: dict[str, str]
    """Arguments that the shape itself says."""
    arguments: tuple[_Argument, ...]


class ShapeRouter:
    """Gives what the router gives.

    A segment that is no literal of the specification or its base paths, and fits no segment that is partly
    literal, can only be a value: whichever value it is, the route is the same.
    """

    def __init__(self, spec: ApiSpec, router: Router) -> None:
        self._router = router
        literals: set[str] = {""}
        partly: set[str] = set()
        for base in (*spec.base_paths, *router.prefixes):
            literals.update(base.split("/"))
        for operation in spec.operations.values():
            for segment in chain.from_iterable(parse_template(operation.template).variants):
                if len(segment) != 1:
                    parts = [".+" if isinstance(part, Hole) else re.escape(part) for part in segment]
                    partly.add("".join(parts))
                elif isinstance(segment[0], str):
                    literals.add(segment[0])
        self._literals = literals
        self._partly = re.compile("|".join(sorted(partly)), re.DOTALL) if partly else None
        self._shapes: dict[tuple[str, str], _Shape | bool] = {}
        self._decoded: dict[str, str] = {}

    def match(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation and the path arguments of a path without query, or None."""
        if not path.startswith("/") or "#" in path or "\x01" in path:
            return self._routed(method, path)
        segments = path.split("/")
        literals = self._literals
        parts = [
            segment if segment in literals or self._may_be_literal(segment) else "\x01"
            for segment in segments
        ]
        key = (method, "/".join(parts))
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            shape = self._shapes[key] = self._shape(method, parts)
        if shape is True:
            return self._routed(method, path)
        if shape is False:
            return None
        assert isinstance(shape, _Shape)
        found = dict(shape.fixed)
        for name, first, last in shape.arguments:
            value = segments[first] if first == last else "/".join(segments[first : last + 1])
            found[name] = self._plain(value) if "%" in value else value
        return shape.operation, found

    def _plain(self, value: str) -> str:
        """Percent-decoded; what is encoded comes again and again."""
        plain = self._decoded.get(value)
        if plain is None:
            if len(self._decoded) >= _MOST_SHAPES:
                self._decoded.clear()
            plain = self._decoded[value] = unquote(value)
        return plain

    def _may_be_literal(self, segment: str) -> bool:
        if self._partly is not None and self._partly.fullmatch(segment):
            return True
        return "%" in segment and self._plain(segment) in self._literals

    def _routed(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        match = self._router.match(method, path)
        return None if match is None else (match.operation, match.path_arguments)

    def _shape(self, method: str, parts: list[str]) -> _Shape | bool:
        """What the router makes of a path with marks for values; False for nothing, True: ask each time."""
        marked = [f"\x01{place}\x01" if part == "\x01" else part for place, part in enumerate(parts)]
        match = self._router.match(method, "/".join(marked))
        if match is None:
            return False
        fixed: dict[str, str] = {}
        arguments: list[_Argument] = []
        for name, value in match.path_arguments.items():
            if "\x01" not in value:
                fixed[name] = value
            elif _TOKEN.fullmatch(value):
                places = [int(place) for place in re.findall(r"\x01(\d+)\x01", value)]
                if places != list(range(places[0], places[0] + len(places))):
                    return True
                arguments.append(_Argument(name, places[0], places[-1]))
            else:
                return True
        return _Shape(match.operation, fixed, tuple(arguments))
