"""Bytes → a tree of plain values, bounded in depth and size, with the places of its defects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from lobrest.errors import SpecError
from lobrest.model.operation import Json, Warning

MAX_DEPTH = 200
"""Real documents stay below sixty levels."""
MAX_VALUES = 8_000_000
"""Values a document may have once its aliases are written out: room for the largest public ones."""

_BOOLEANS = {"true": True, "false": False}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?[0-9]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document and what was wrong with its syntax."""

    value: Json
    warnings: tuple[Warning, ...] = ()
    lines: dict[int, int] = field(default_factory=dict)
    """Line of a mapping, by ``id``; only where the syntax tells it cheaply (YAML)."""


def parse_document(data: bytes, *, name: str = "") -> Document:
    """JSON or YAML, whichever it is; ``SpecError`` with the line where it is neither or too much."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    head = data[:64].lstrip()
    if not head and not data.strip():
        raise SpecError("the document is empty", source=name, hint="give an OpenAPI or Swagger document")
    if head[:1] in (b"{", b"[") or head[:1] == b"\0" or data[1:2] == b"\0":
        try:
            return _parse_json(data)
        except RecursionError as error:
            raise _too_deep(name) from error
        except (ValueError, UnicodeDecodeError) as error:
            json_error = error
        try:
            return _parse_yaml(data, name)
        except SpecError as error:
            line = getattr(json_error, "lineno", None)
            if error.line is None and "nested" in error.message:
                raise
            reason = getattr(json_error, "msg", "its encoding is broken")
            raise SpecError(f"not valid JSON: {reason}", source=name, line=line) from json_error
    return _parse_yaml(data, name)


def _too_deep(name: str) -> SpecError:
    return SpecError(f"nested deeper than {MAX_DEPTH} levels", source=name, hint="this is no API description")


def _parse_json(data: bytes) -> Document:
    repeated: list[str] = []

    def build(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        mapping = dict(pairs)
        if len(mapping) != len(pairs):
            mapping = {}
            for key, value in pairs:
                _put(mapping, key, value, repeated)
        return mapping

    value = json.loads(data, object_pairs_hook=build)
    warnings = tuple(Warning("", f"key {key!r} is written more than once") for key in repeated[:100])
    return Document(value, warnings)


def _put(mapping: dict[str, Json], key: str, value: Json, repeated: list[str]) -> None:
    """The last value of a repeated key wins, but two halves of one path are put together."""
    if key in mapping:
        repeated.append(key)
        earlier = mapping[key]
        if key.startswith("/") and isinstance(earlier, dict) and isinstance(value, dict):
            value = {**earlier, **value}
    mapping[key] = value


class _YamlBuilder:
    """Builds values straight from parser events: no recursion, so that depth is ours to bound.

    An alias shares the value it names; ``weights`` counts what it would be when written out,
    which is what a document of nested aliases blows up.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.anchors: dict[str, tuple[Json, int]] = {}
        self.open_anchors: set[str] = set()
        self.repeated: list[tuple[str, int]] = []
        self.lines: dict[int, int] = {}

    def build(self, events: Iterator[Any]) -> Json:
        root: Json = None
        stack: list[tuple[Any, Any, str | None]] = []  # (container, pending key, anchor)
        weights: list[int] = []
        container: Any = None
        key: Any = _NO_KEY
        anchor: str | None = None
        weight = 0
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value = _scalar(event)
                cost = 1
                if event.anchor:
                    self.anchors[event.anchor] = (value, 1)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                stack.append((container, key, anchor))
                weights.append(weight)
                if len(stack) > MAX_DEPTH:
                    raise _too_deep(self.name)
                container = {} if kind is yaml.MappingStartEvent else []
                if kind is yaml.MappingStartEvent:
                    self.lines[id(container)] = event.start_mark.line + 1
                key, anchor, weight = _NO_KEY, event.anchor, 1
                if anchor:
                    self.open_anchors.add(anchor)
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                value, cost = container, weight
                if anchor:
                    self.open_anchors.discard(anchor)
                    self.anchors[anchor] = (value, cost)
                container, key, anchor = stack.pop()
                weight = weights.pop()
            elif kind is yaml.AliasEvent:
                value, cost = self._alias(event)
            elif kind is yaml.DocumentEndEvent:
                return root
            else:
                continue
            weight += cost
            if weight > MAX_VALUES:
                raise SpecError(
                    "its aliases unfold to millions of values",
                    source=self.name,
                    hint="write it without aliases",
                )
            if container is None:
                root = value
            elif type(container) is list:
                container.append(value)
            elif key is _NO_KEY:
                key = value
            else:
                self._add(container, key, value, event)
                key = _NO_KEY
        return root

    def _alias(self, event: Any) -> tuple[Json, int]:
        if event.anchor in self.open_anchors:
            raise SpecError(
                f"alias *{event.anchor} contains itself", source=self.name, line=event.start_mark.line + 1
            )
        if event.anchor not in self.anchors:
            raise SpecError(
                f"alias *{event.anchor} names nothing", source=self.name, line=event.start_mark.line + 1
            )
        return self.anchors[event.anchor]

    def _add(self, mapping: dict[str, Json], key: Any, value: Json, event: Any) -> None:
        if key == "<<" and isinstance(value, (dict, list)):
            for merged in value if isinstance(value, list) else [value]:
                if isinstance(merged, dict):
                    for name, inner in merged.items():
                        mapping.setdefault(name, inner)
            return
        text = _key_text(key)
        if text in mapping:
            repeated: list[str] = []
            _put(mapping, text, value, repeated)
            self.repeated.append((text, event.start_mark.line + 1))
        else:
            mapping[text] = value


_NO_KEY = object()


def _key_text(key: Any) -> str:
    if type(key) is str:
        return key
    if key is True or key is False:
        return "true" if key else "false"
    if key is None:
        return "null"
    return str(key) if isinstance(key, (int, float)) else json.dumps(key, default=str)


def _scalar(event: Any) -> Json:
    """Plain scalars by the JSON-like core rules: ``yes``, ``no`` and dates stay text, as OpenAPI asks."""
    value: str = event.value
    if event.style is not None and event.style != "":
        return value
    if event.tag is not None and not event.implicit[0]:
        return value
    if value in _NULLS:
        return None
    first = value[0]
    if first in "tTfF" and value.lower() in _BOOLEANS and (value[1:].islower() or value.isupper()):
        return _BOOLEANS[value.lower()]
    if first.isdigit() or first in "-+.":
        if _INTEGER.fullmatch(value) and len(value) < 400:
            return int(value)
        if _HEXADECIMAL.fullmatch(value) and len(value) < 400:
            return int(value, 16)
        if _FLOAT.fullmatch(value):
            return float(value)
    return value


def _parse_yaml(data: bytes, name: str) -> Document:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _YamlBuilder(name)
    try:
        value = builder.build(yaml.parse(data, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        line = mark.line + 1 if mark is not None else None
        if "nesting" in str(problem):
            raise _too_deep(name) from error
        raise SpecError(f"not valid YAML: {problem}", source=name, line=line) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise SpecError("not valid YAML: its encoding is broken", source=name) from error
    warnings = tuple(
        Warning(f"line {line}", f"key {key!r} is written more than once")
        for key, line in builder.repeated[:100]
    )
    return Document(value, warnings, builder.lines)
