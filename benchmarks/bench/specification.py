"""Operations of an API document, and which of them a request is: written apart from lobrest on purpose."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
PARAMETER = re.compile(r"\{[^{}]+\}")


@dataclass(frozen=True, slots=True)
class Operation:
    """``METHOD /path/{template}`` and the module (its first tag) it belongs to."""

    id: str
    method: str
    template: str
    module: str


def operations(document: dict[str, Any]) -> tuple[Operation, ...]:
    """All operations in the document's order; an untagged one is of the module of its first path segment."""
    found: list[Operation] = []
    for template, item in document.get("paths", {}).items():
        for method, declared in item.items() if isinstance(item, dict) else ():
            if method.lower() not in METHODS or not isinstance(declared, dict):
                continue
            tags = declared.get("tags") or [next((s for s in template.split("/") if s), "root")]
            name = method.upper()
            found.append(Operation(f"{name} {template}", name, template, str(tags[0])))
    return tuple(found)


def base_path(document: dict[str, Any]) -> str:
    """The path under which the document's paths are served, without a last slash."""
    if "swagger" in document:
        return str(document.get("basePath") or "").rstrip("/")
    servers = document.get("servers") or [{}]
    return urlsplit(str(servers[0].get("url") or "")).path.rstrip("/")


def without(document: dict[str, Any], held_back: Iterable[str]) -> dict[str, Any]:
    """A copy of the document that lacks the operations held back."""
    result = copy.deepcopy(document)
    for operation in held_back:
        method, template = operation.split(" ", 1)
        item = result.get("paths", {}).get(template, {})
        item.pop(method.lower(), None)
        if not any(key.lower() in METHODS for key in item):
            result.get("paths", {}).pop(template, None)
    return result


def served_at(document: dict[str, Any], origin: str, path: str) -> dict[str, Any]:
    """A copy of the document that says where the service is, in the way of its version."""
    result = dict(document)
    if "swagger" in result:
        parts = urlsplit(origin)
        result.update(host=parts.netloc, basePath=path or "/", schemes=[parts.scheme])
        return result
    result["servers"] = [{"url": origin + path}]
    return result


@dataclass(frozen=True, slots=True)
class Route:
    """A template as a pattern, with how much of it is literal for ranking."""

    operation: Operation
    pattern: re.Pattern[str]
    rank: tuple[float, ...]


class Matcher:
    """Method and raw request path → operation: literal segments win over parameters, from the left.

    A parameter matches one segment (an encoded slash stays inside). Where nothing else fits, a last
    parameter behind a literal segment may take further slashes (``/contents/{filepath}``), unless the
    document itself declares something below it.
    """

    def __init__(self, listed: Iterable[Operation], base: str) -> None:
        self.base = base
        self.exact: dict[tuple[str, int], list[Route]] = {}
        self.greedy: dict[str, list[Route]] = {}
        known = tuple(listed)
        inner = {parent for one in known for parent in parents(one.template)}
        for operation in known:
            segments = operation.template.strip("/").split("/")
            rank = tuple(literalness(segment) for segment in segments)
            route = Route(operation, compiled(segments, last="[^/]+"), rank)
            self.exact.setdefault((operation.method, len(segments)), []).append(route)
            ends = PARAMETER.fullmatch(segments[-1]) and anonymous(operation.template) not in inner
            if len(segments) > 1 and rank[-2] == math.inf and ends:
                greedy = Route(operation, compiled(segments, last=".+"), rank)
                self.greedy.setdefault(operation.method, []).append(greedy)
        for routes in (*self.exact.values(), *self.greedy.values()):
            routes.sort(key=lambda route: (route.rank, len(route.rank)), reverse=True)

    def match(self, method: str, uri: str) -> Operation | None:
        """The operation a request was, or None."""
        path = uri.split("?", 1)[0]
        if self.base:
            if not path.startswith(self.base + "/"):
                return None
            path = path[len(self.base) :]
        trimmed = path.strip("/")
        for candidate in self.spellings(trimmed):
            for route in self.candidates(method, candidate):
                if route.pattern.fullmatch(candidate):
                    return route.operation
        return None

    def spellings(self, path: str) -> Iterator[str]:
        yield path
        decoded = "/".join(unquote(segment).replace("/", "%2F") for segment in path.split("/"))
        if decoded != path:
            yield decoded

    def candidates(self, method: str, path: str) -> Iterator[Route]:
        yield from self.exact.get((method, path.count("/") + 1), ())
        yield from self.greedy.get(method, ())


def literalness(segment: str) -> float:
    """How much of a segment is fixed: everything, some characters (``{sha}.{diffType}``), or nothing."""
    return math.inf if not PARAMETER.search(segment) else float(len(PARAMETER.sub("", segment)))


def parents(template: str) -> Iterator[str]:
    """The templates above one, without the names of parameters."""
    segments = anonymous(template).split("/")
    for length in range(1, len(segments)):
        yield "/".join(segments[:length])


def anonymous(template: str) -> str:
    return PARAMETER.sub("{}", template.strip("/"))


def compiled(segments: list[str], *, last: str) -> re.Pattern[str]:
    """The segments as one pattern; the last parameter of the last segment is matched by ``last``."""
    parts: list[str] = []
    for index, segment in enumerate(segments):
        any_value = last if index == len(segments) - 1 else "[^/]+"
        literals = PARAMETER.split(segment)
        parts.append(any_value.join(re.escape(literal) for literal in literals))
    return re.compile("/".join(parts), re.DOTALL)
