"""Path templates as real documents write them, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_MAX_VARIANTS = 8
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Hole:
    """A parameter in a template; ``wide`` where the template itself says that it takes slashes."""

    name: str
    wide: bool = False


Part = str | Hole
Segment = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A path template: its segments, and those of its other forms where parts are optional."""

    text: str
    variants: tuple[tuple[Segment, ...], ...]
    """Each a way to write the path, the longest (all optional parts there) first."""

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The form with every optional part."""
        return self.variants[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, in order, each once."""
        return tuple(dict.fromkeys(part.name for segment in self.segments for part in holes(segment)))


def holes(segment: Segment) -> Iterable[Hole]:
    """The parameters inside one segment."""
    return (part for part in segment if isinstance(part, Hole))


@lru_cache(maxsize=8192)
def parse_template(text: str) -> Template:
    """Take a template apart: ``{a}...{b}``, ``{id}.json``, ``{path*}``, ``:id``, ``*rest``, ``(-/)``."""
    path = text.split("?", 1)[0].split("#", 1)[0]
    variants = tuple(dict.fromkeys(tuple(_segments(form)) for form in _forms(path)))
    return Template(text, variants)


def _forms(path: str) -> list[str]:
    """The path with its optional groups written out, present first."""
    group = re.search(r"(?<!\\)\(([^()\\]*)\)", path)
    if group is None:
        return [path]
    inner = group.group(1)
    before, after = path[: group.start()], path[group.end() :]
    rest = _forms(after)
    if not (
        "/" in inner
        or inner.startswith((".", "*"))
        or (inner.startswith(("{", ":")) and before.endswith("/"))
    ):
        return [before + "\\(" + inner + "\\)" + tail for tail in rest][:_MAX_VARIANTS]
    present = [before + inner + tail for tail in rest]
    absent = [before + tail for tail in rest]
    return (present + absent)[:_MAX_VARIANTS]


def _segments(path: str) -> list[Segment]:
    parts: list[Part] = []
    segments: list[Segment] = []
    literal = ""
    position = 1 if path.startswith("/") else 0
    while position < len(path):
        character = path[position]
        if character == "/":
            segments.append(_close(parts, literal))
            parts, literal = [], ""
            position += 1
            continue
        hole, end = _hole_at(path, position, at_start=not parts and not literal)
        if hole is None:
            if character == "\\" and position + 1 < len(path):
                position += 1
                character = path[position]
            literal += character
            position += 1
            continue
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(hole)
        position = end
    segments.append(_close(parts, literal))
    return segments


def _close(parts: list[Part], literal: str) -> Segment:
    return (*parts, literal) if literal or not parts else tuple(parts)


def _hole_at(path: str, position: int, *, at_start: bool) -> tuple[Hole | None, int]:
    character = path[position]
    if character == "{":
        end = path.find("}", position)
        if end < 0:
            return None, position
        return _braced(path[position + 1 : end]), end + 1
    if character == "*" or (character == ":" and at_start):
        name = _NAME.match(path, position + 1)
        if name is not None:
            return Hole(name.group(), wide=character == "*"), name.end()
    return None, position


def _braced(inside: str) -> Hole:
    name, _, pattern = inside.partition(":")
    stripped = name.strip().lstrip("+*").rstrip("*+").removesuffix("...")
    wide = stripped != name.strip() or pattern in ("path", ".*", ".+")
    return Hole(stripped or inside, wide)


def word_set(text: str) -> frozenset[str]:
    """The words of a text: long vocabularies read better as lines than as lists."""
    return frozenset(text.split())


_WIDE_WORDS = word_set(
    "path paths filepath filename file dir directory folder ref refs branch tag treeish tree basehead"
    " archive key object blob page pagename url uri slug wildcard proxy rest splat splats"
)


def takes_slashes(name: str, *, kind: object, description: str, format_name: object) -> bool:
    """Does a last parameter of this name and schema hold values with slashes in them?"""
    if kind in ("integer", "number", "boolean") or format_name in (
        "uuid",
        "int32",
        "int64",
        "date",
        "date-time",
    ):
        return False
    words = name_words(name)
    if words and words[-1] in ("id", "uuid", "number", "token"):
        return False
    return any(word in _WIDE_WORDS for word in words) or "path" in description.lower()


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """A name in lower-case words: ``mergeRequest_IID`` → merge, request, iid."""
    return tuple(
        word.lower()
        for word in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+", name)
    )
