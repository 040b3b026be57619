"""Which operation reads the thing that a path names, and whether two answers show the same thing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lobrest.fuzz.judge import parsed
from lobrest.model.exchange import Response
from lobrest.model.operation import ApiSpec, Json, Method, Operation, OperationId
from lobrest.model.pointer import leaves

VOLATILE: Final = re.compile(
    r"updated|modified|accessed|last_?(seen|used|active|login)|fetched|timestamp|etag|request_?id|"
    r"views|clones|downloads|^now$|server_?time|elapsed|duration|nonce|expires",
    re.IGNORECASE,
)
"""Names of fields that change by themselves."""


class Readers:
    """GET operations whose path ends with a parameter: they show one thing."""

    def __init__(self, spec: ApiSpec, held_back: frozenset[OperationId]) -> None:
        self._items: dict[tuple[str, ...], Operation] = {
            segments(one.template): one
            for one in spec.operations.values()
            if one.method is Method.GET and ends_with_parameter(one.template) and one.id not in held_back
            if not any(each.required for each in one.parameters if each.ref.location.value == "query")
        }

    def of(self, operation: Operation) -> Operation | None:
        """What shows the thing at an operation's own path."""
        return self._items.get(segments(operation.template))

    def above(self, operation: Operation) -> list[Operation]:
        """What shows the things that an operation's path goes through, the nearest first."""
        path = segments(operation.template)
        return [
            self._items[path[:length]]
            for length in range(len(path) - 1, 0, -1)
            if path[:length] in self._items
        ]


def segments(template: str) -> tuple[str, ...]:
    """The parts of a path."""
    return tuple(part for part in template.split("/") if part)


def ends_with_parameter(template: str) -> bool:
    """Does the path name one thing rather than a collection or an action?"""
    path = segments(template)
    return bool(path) and path[-1].startswith("{") and path[-1].endswith("}")


def parameters_of(template: str) -> list[str]:
    """The names in braces, in order."""
    return re.findall(r"\{([^{}]+)\}", template)


def parameter_names(template: str) -> frozenset[str]:
    """The names in braces."""
    return frozenset(parameters_of(template))


def same_thing(left: Response | None, right: Response | None) -> bool:
    """Do two answers show the same, apart from what changes by itself? Empty answers show nothing."""
    if left is None or right is None or not left.body or not right.body:
        return False
    one, other = parsed(left), parsed(right)
    if one is None or other is None:
        return left.body == right.body
    return bool(one) and steady(one) == steady(other)


def shows_something(response: Response | None) -> bool:
    """Is there anything in an answer? An empty list, or a count of nothing, tells nobody anything."""
    if response is None or not response.body.strip():
        return False
    document = parsed(response)
    if document is None:
        return response.body.strip() != b"null"
    return any(value not in (None, "", 0, False) for _, value in leaves(document))


def steady(value: Json, depth: int = 0) -> Json:
    """A document without what changes by itself."""
    if depth > 12:
        return None
    if isinstance(value, Mapping):
        return {
            name: steady(inner, depth + 1)
            for name, inner in value.items()
            if not VOLATILE.search(name) or isinstance(inner, dict | list)
        }
    if isinstance(value, list):
        return [steady(item, depth + 1) for item in value]
    return value
