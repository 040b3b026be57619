"""Where in the text of a request its values stand: one can be exchanged while all else stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_LITERALS = frozenset({"true", "false", "null"})


@dataclass(frozen=True, slots=True)
class Span:
    """A value: what it is, what it is called and where it stands."""

    start: int
    end: int
    name: str
    """Name of the parameter or of the nearest named field; empty if nothing names it."""
    text: str
    """The value itself, decoded; a number as it is written."""
    collection: str = ""
    """For a path segment, the literal segment before it."""
    is_string: bool = True


def json_spans(text: str) -> list[Span] | None:
    """Every string and number of a JSON text, or None where the text is no JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    spans: list[Span] = []
    path: list[str | int | None] = []
    for token in _JSON_TOKEN.finditer(text):
        word = token[0]
        if word == "{":
            path.append(None)
        elif word == "[":
            path.append(0)
        elif word in "}]":
            path.pop()
        elif word == ",":
            position = path[-1]
            path[-1] = position + 1 if isinstance(position, int) else None
        elif word == ":" or word in _LITERALS:
            continue
        elif word[0] != '"':
            spans.append(Span(token.start(), token.end(), _nearest_name(path), word, is_string=False))
        elif path and path[-1] is None:
            path[-1] = json.loads(word)
        else:
            spans.append(Span(token.start() + 1, token.end() - 1, _nearest_name(path), json.loads(word)))
    return spans


def form_spans(text: str, offset: int = 0) -> list[Span]:
    """Every value of a query or of a form body."""
    spans = []
    for pair in text.split("&"):
        name, equals, value = pair.partition("=")
        if equals:
            start = offset + len(name) + 1
            spans.append(
                Span(start, start + len(value), unquote_plus(name).removesuffix("[]"), unquote_plus(value))
            )
        offset += len(pair) + 1
    return spans


def path_spans(target: str, template: str) -> list[Span]:
    """The path segments that stand for parameters.

    The template is laid over the end of the path: a base path may come before it. Where it does not fit,
    every segment is given, without a name.
    """
    path = target.partition("?")[0]
    segments = list(_segments(path))
    declared = [part for part in template.split("/") if part]
    base = len(segments) - len(declared)
    fits = base >= 0 and all(
        "{" in part or unquote(text) == part
        for part, (_, text) in zip(declared, segments[max(base, 0) :], strict=False)
    )
    if not fits:
        return [Span(start, start + len(text), "", unquote(text)) for start, text in segments]
    spans = []
    collection = ""
    for part, (start, text) in zip(declared, segments[base:], strict=True):
        if "{" not in part:
            collection = part
        elif re.fullmatch(r"\{[^{}]+\}", part):
            spans.append(Span(start, start + len(text), part[1:-1], unquote(text), collection))
    return spans


def target_spans(target: str, template: str) -> list[Span]:
    """Path parameters, then query values."""
    path, mark, query = target.partition("?")
    spans = path_spans(target, template)
    if mark:
        spans.extend(form_spans(query, len(path) + 1))
    return spans


def _segments(path: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(r"[^/]+", path):
        yield match.start(), match[0]


def _nearest_name(path: list[str | int | None]) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")
