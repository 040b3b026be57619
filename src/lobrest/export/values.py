"""The values of a step, with holes where something is filled in at run time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote, unquote_plus

from lobrest.export.flow import HOLE
from lobrest.model.operation import Json
from lobrest.model.reproducer import Encoding, ReproStep
from lobrest.report.wording import split_operation

_STRING_OR_HOLE = re.compile(r'"(?:[^"\\]|\\.)*"|\{\{(\w+)\}\}', re.DOTALL)
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


@dataclass(frozen=True, slots=True)
class Hole:
    """A value that an earlier answer brings or that is made anew."""

    name: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text with holes in it."""

    pieces: tuple[str | Hole, ...]

    @property
    def whole(self) -> Hole | None:
        """The hole that is all there is."""
        first = self.pieces[0] if len(self.pieces) == 1 else None
        return first if isinstance(first, Hole) else None


Value: TypeAlias = "bool | int | float | str | Hole | Text | list[Value] | dict[str, Value] | None"
"""JSON with holes; a ``Hole`` by itself keeps the type of what is put in."""


@dataclass(frozen=True, slots=True)
class StepValues:
    """A step's values by place."""

    path: Mapping[str, str | Text]
    query: tuple[tuple[str, str | Text], ...]
    body: Value = None
    has_body: bool = False
    """A body that is JSON or a form; any other is the step's own text."""


def values_of(step: ReproStep, holes: frozenset[str]) -> StepValues:
    """What a step sends, told by place."""
    body, has_body = _body(step, holes)
    query = step.target.partition("?")[2]
    return StepValues(_path(step, holes), tuple(_pairs(query, holes)), body, has_body)


def text_of(template: str, holes: frozenset[str]) -> str | Text:
    """A template in pieces; plain text where it has no hole."""
    pieces: list[str | Hole] = []
    position = 0
    for found in HOLE.finditer(template):
        if found[1] not in holes:
            continue
        if found.start() > position:
            pieces.append(template[position : found.start()])
        pieces.append(Hole(found[1]))
        position = found.end()
    if not pieces:
        return template
    if position < len(template):
        pieces.append(template[position:])
    return Text(tuple(pieces))


def json_with_holes(template: str, holes: frozenset[str]) -> Value:
    """A JSON template as a value. Raises ``ValueError`` where it is no JSON."""
    mark = "lobrest"
    while mark in template:
        mark += "-"

    def quoted(found: re.Match[str]) -> str:
        bare = found[1] is not None and found[1] in holes
        return f'"{mark}{found[1]}"' if bare else found[0]

    return _filled(json.loads(_STRING_OR_HOLE.sub(quoted, template)), holes, mark)


def _filled(value: Json, holes: frozenset[str], mark: str) -> Value:
    if isinstance(value, str):
        return Hole(value.removeprefix(mark)) if value.startswith(mark) else text_of(value, holes)
    if isinstance(value, list):
        return [_filled(item, holes, mark) for item in value]
    if isinstance(value, dict):
        return {name: _filled(inner, holes, mark) for name, inner in value.items()}
    return value


def _body(step: ReproStep, holes: frozenset[str]) -> tuple[Value, bool]:
    if step.body is None:
        return None, False
    if step.body_encoding is Encoding.JSON:
        try:
            return json_with_holes(step.body, holes), True
        except (ValueError, RecursionError):
            return None, False
    if step.body_encoding is Encoding.URL:
        return gathered(_pairs(step.body, holes)), True
    return None, False


def gathered(pairs: Iterable[tuple[str, str | Text]]) -> dict[str, Value]:
    """Fields by name; a name that comes several times is a list."""
    fields: dict[str, list[Value]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def _pairs(query: str, holes: frozenset[str]) -> Iterator[tuple[str, str | Text]]:
    for pair in query.split("&") if query else []:
        name, _, value = pair.partition("=")
        yield unquote_plus(name), text_of(unquote_plus(value), holes)


def _path(step: ReproStep, holes: frozenset[str]) -> dict[str, str | Text]:
    """Path arguments: the operation's template is laid over the end of the path, a base may come before."""
    template = split_operation(step.operation)[1]
    names = _PARAMETER.findall(template)
    written = "/".join(_segment(part) for part in template.split("/"))
    if names and template.endswith(f"{{{names[-1]}}}"):
        written = written[: written.rindex("(")] + "(.+)"  # the last one may have slashes in it
    found = re.search(f"{written}/?$", step.target.partition("?")[0])
    if found is None:
        return {}
    return {name: text_of(unquote(value), holes) for name, value in zip(names, found.groups(), strict=True)}


def _segment(part: str) -> str:
    pieces = _PARAMETER.split(part)
    return "".join("([^/]+?)" if odd % 2 else re.escape(piece) for odd, piece in enumerate(pieces))
