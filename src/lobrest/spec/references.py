"""``$ref`` inside a document and, when asked, across documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urljoin

from lobrest.errors import LobrestError
from lobrest.model.operation import Json, Warning
from lobrest.spec.document import parse_document

Fetch = Callable[[str], bytes]

_MAX_DOCUMENTS = 200
_MAX_HOPS = 32
_NOWHERE = object()


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference leads to: the value, the document that holds it and its pointer there."""

    value: Json
    document: str
    """Address of the document; empty is the one that was loaded."""
    pointer: str


class References:
    """Follows references; each that leads nowhere is one warning, and ``None``."""

    def __init__(self, root: Json, *, fetch: Fetch | None, warnings: list[Warning]) -> None:
        self._documents: dict[str, Json] = {"": root}
        self._fetch = fetch
        self._warnings = warnings
        self._complained: set[str] = set()

    def follow(self, reference: Json, *, place: str) -> Target | None:
        """The target of one reference, through further references, never in circles."""
        seen: set[tuple[str, str]] = set()
        for _ in range(_MAX_HOPS):
            if not isinstance(reference, str):
                self._complain(str(reference), place, "is no text")
                return None
            target = self._lookup(reference, place)
            if target is None:
                return None
            inner = target.value
            if not (isinstance(inner, dict) and "$ref" in inner):
                return target
            if (target.document, target.pointer) in seen:
                self._complain(reference, place, "goes in a circle")
                return None
            seen.add((target.document, target.pointer))
            reference = inner["$ref"]
        self._complain(str(reference), place, "goes through too many others")
        return None

    def locate(self, reference: Json, *, place: str) -> Target | None:
        """The direct target of one reference, itself perhaps a reference."""
        if not isinstance(reference, str):
            self._complain(str(reference), place, "is no text")
            return None
        return self._lookup(reference, place)

    def _lookup(self, reference: str, place: str) -> Target | None:
        document, _, fragment = reference.partition("#")
        if document not in self._documents and not self._load(document, reference, place):
            return None
        pointer = unquote(fragment) if "%" in fragment else fragment
        value = _walk(self._documents[document], pointer)
        if value is _NOWHERE and pointer and "/" not in pointer:
            pointer, value = self._by_name(document, pointer)
        if value is _NOWHERE:
            self._complain(reference, place, "leads nowhere")
            return None
        return Target(value, document, pointer)  # type: ignore[arg-type]  # the sentinel was ruled out

    def _by_name(self, document: str, name: str) -> tuple[str, Json | object]:
        """A bare name: not valid, yet common; what is meant are the definitions."""
        for base in ("/definitions/", "/components/schemas/"):
            value = _walk(self._documents[document], base + name)
            if value is not _NOWHERE:
                return base + name, value
        return name, _NOWHERE

    def _load(self, address: str, reference: str, place: str) -> bool:
        if self._fetch is None:
            self._complain(reference, place, "is outside the document and was not followed")
            return False
        if len(self._documents) >= _MAX_DOCUMENTS:
            self._complain(reference, place, f"is beyond {_MAX_DOCUMENTS} documents")
            return False
        try:
            self._documents[address] = _absolute(
                parse_document(self._fetch(address), name=address).value, address
            )
        except (OSError, ValueError, LobrestError) as error:
            self._complain(reference, place, f"cannot be fetched: {error}")
            return False
        return True

    def _complain(self, reference: str, place: str, why: str) -> None:
        if reference not in self._complained:
            self._complained.add(reference)
            self._warnings.append(Warning(place, f"$ref {reference!r} {why}"))


def _absolute(document: Json, address: str) -> Json:
    """The document with every reference in it made relative to the first document instead of to itself."""
    pending: list[Json] = [document]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if not isinstance(value, (dict, list)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                value["$ref"] = urljoin(address, reference)
        pending += value.values() if isinstance(value, dict) else value
    return document


def _walk(value: Json, pointer: str) -> Json | object:
    if pointer in ("", "/"):
        return value
    for part in pointer.lstrip("/").split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _NOWHERE
    return value


def escape(part: str) -> str:
    """One part of a JSON pointer."""
    return part.replace("~", "~0").replace("/", "~1")
