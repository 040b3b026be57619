"""Run-time values: an identity out of an earlier exchange."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from lobrest.fuzz.judge import parsed
from lobrest.model import pointer
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Response
from lobrest.model.operation import Json, Location
from lobrest.model.resource import Binding, Source

_LAST_RESORT = ("id", "iid", "number", "name", "key", "uid", "uuid", "slug", "code", "login", "sha", "path")
_WRAPPERS = ("data", "result", "item", "object", "response", "payload", "attributes")


def value_of(
    binding: Binding, arguments: Arguments, response: Response | None, *, document: Json, item: int = 0
) -> Json:
    """The value a candidate source gives for an exchange, or None where it has none.

    ``document`` is the parsed answer; ``item`` says which element of a list is wanted.
    """
    match binding.source:
        case Source.RESPONSE:
            return _scalar(_from_document(document, binding.pointer))
        case Source.LIST:
            return _scalar(_from_list(document, binding.pointer, item))
        case Source.REQUEST:
            return _scalar(_from_request(arguments, binding.pointer))
        case Source.LOCATION:
            return _from_location(response, binding.pointer)


def fallback(document: Json, name: str) -> Iterator[Json]:
    """What a person would try when no candidate fits: a field of the parameter's name, usual identities."""
    target = document[0] if isinstance(document, list) and document else document
    for field in (name, name.rpartition("_")[2], *_LAST_RESORT):
        found = _scalar(_from_document(target, field))
        if found is not None:
            yield found


def _from_document(document: Json, where: str) -> Json:
    found = pointer.first(document, where)
    if found is None and isinstance(document, dict):
        for wrapper in _WRAPPERS:
            if isinstance(document.get(wrapper), dict):
                found = pointer.first(document[wrapper], where)
                if found is not None:
                    return found
        if len(document) == 1:  # an envelope of any name
            found = pointer.first(next(iter(document.values())), where)
    return found


def _from_list(document: Json, where: str, item: int) -> Json:
    if isinstance(document, dict):
        inner = pointer.first(document, where.partition("/*")[0]) if "*" in where else None
        if not isinstance(inner, list):
            inner = next((value for value in document.values() if isinstance(value, list)), None)
        document = inner
        where = where.partition("*/")[2] or where
    if not isinstance(document, list) or not document:
        return None
    where = where.removeprefix("*/")
    chosen = document[item % len(document)]
    if isinstance(chosen, str | int):
        return chosen
    return pointer.first(chosen, "" if where == "*" else where)


def _from_request(arguments: Arguments, where: str) -> Json:
    place, _, name = where.partition("/")
    if place == Location.BODY.value:
        return pointer.first(arguments.body, name)
    try:
        return arguments.at(Location(place)).get(name)
    except ValueError:
        return None


def _from_location(response: Response | None, where: str) -> Json:
    location = response.header("Location") if response else None
    if not location:
        return None
    segments = [unquote(part) for part in urlsplit(location).path.split("/") if part]
    try:
        return segments[int(where or "-1")]
    except (IndexError, ValueError):
        return None


def _scalar(value: Json) -> Json:
    return (
        value
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
        else None
    )


def document_of(response: Response | None) -> Json:
    """The parsed answer of a step."""
    return parsed(response) if response is not None else None
