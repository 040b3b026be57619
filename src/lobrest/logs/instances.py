"""Which instances a request names: from its path, query, headers and body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lobrest.logs.arguments import ArgumentReader, Detail, as_identity, is_template
from lobrest.logs.plan import OperationPlan
from lobrest.logs.secrets import is_secret_name
from lobrest.logs.users import Identifier
from lobrest.model import pointer
from lobrest.model.operation import Json, Location, ParameterRef

_MOST_KNOWN = 50_000
MOST_INSTANCES = 64
"""Of one request: a bulk call names more, which says nothing about what belongs together."""

Intern = Callable[[int, str, int], int]
"""Resource, value and scope to the number of the instance."""


class InstanceReader:
    """Reads instances the same way when a block is scanned and when one request is looked at again."""

    def __init__(self, arguments: ArgumentReader, identifier: Identifier) -> None:
        self._arguments = arguments
        self._identifier = identifier
        self._secrets = arguments.secrets
        self._known: dict[tuple[str, str], str] = {}

    def identity(self, name: str, value: str) -> str:
        """The text that names an instance; a secret in the path becomes a pseudonym that stays linkable."""
        if len(value) < 20 and value.isalnum():
            return value
        found = self._known.get((name, value))
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[name, value] = self._identity(name, value)
        return found

    def _identity(self, name: str, value: str) -> str:
        if is_template(value):
            return ""
        if len(value) >= 20 and (is_secret_name(name) or self._secrets.is_secret(value)):
            return self._identifier.pseudonym("secret", value)
        return as_identity(value)

    def shown_path(self, path: Mapping[str, str]) -> dict[str, str]:
        """Path arguments that may be shown."""
        return {
            name: (self.identity(name, value) if len(value) >= 20 else value) or value
            for name, value in path.items()
        }

    def path_values(self, plan: OperationPlan, path: Mapping[str, str]) -> tuple[str, ...]:
        """The identity that each of ``plan.path_uses`` has in a path; empty where there is none."""
        return tuple(self.identity(use.ref.pointer, path.get(use.ref.pointer, "")) for use in plan.path_uses)

    @staticmethod
    def in_path(plan: OperationPlan, values: tuple[str, ...], intern: Intern) -> tuple[int, ...]:
        """One instance for each of ``plan.path_uses``; -1 where there is no value."""
        uses: list[int] = []
        for use, value in zip(plan.path_uses, values, strict=True):
            scope = uses[use.parent] if use.parent >= 0 else -1
            uses.append(intern(use.resource, value, scope) if value else -1)
        return tuple(uses)

    def in_values(
        self, plan: OperationPlan, in_path: tuple[int, ...], detail: Detail, intern: Intern
    ) -> Iterator[tuple[ParameterRef, int]]:
        """Instances that query, headers and body name, each inside what the same request shows of its
        scope.
        """
        query, body, _ = self._arguments.values(plan.operation, detail)
        if not plan.may_name(query, body, detail.headers):
            return
        shown: dict[int, int] = {}
        for use, number in zip(plan.path_uses, in_path, strict=True):
            if number >= 0:
                shown[use.resource] = number
        for ref, resource, value, scopes in value_identities(plan, query, body, dict(detail.headers)):
            scope = next((shown[kind] for kind in scopes if kind in shown), -1)
            number = intern(resource, value, scope)
            shown.setdefault(resource, number)
            yield ref, number

    def places(
        self, plan: OperationPlan, path: Mapping[str, str], detail: Detail
    ) -> Iterator[tuple[ParameterRef, int]]:
        """Each resource-binding parameter, and which of the request's distinct instances it refers to."""
        numbers: dict[tuple[int, str, int], int] = {}

        def intern(resource: int, value: str, scope: int) -> int:
            return numbers.setdefault((resource, value, scope), len(numbers))

        in_path = self.in_path(plan, self.path_values(plan, path), intern)
        found: dict[int, int] = {}
        for use, number in zip(plan.path_uses, in_path, strict=True):
            if number >= 0:
                yield use.ref, found.setdefault(number, len(found))
        if plan.value_uses and (detail.body or "?" in detail.target or detail.headers):
            for ref, number in self.in_values(plan, in_path, detail, intern):
                if number in found or len(found) < MOST_INSTANCES:
                    yield ref, found.setdefault(number, len(found))


def value_identities(
    plan: OperationPlan, query: Mapping[str, Json], body: Json, headers: Mapping[str, str]
) -> Iterator[tuple[ParameterRef, int, str, tuple[int, ...]]]:
    """Parameter, resource, value and possible scopes of what query, headers and body name.

    Of an array in a body the first element goes by the dependency's own pointer, the others by their place.
    """
    for use in plan.value_uses:
        location = use.ref.location
        if location is Location.BODY:
            # Most fields are not in most bodies.
            if isinstance(body, dict) and use.parts and use.parts[0] not in body:
                continue
            for ref, value in _in_body(use.ref, use.parts, body):
                yield ref, use.resource, value, use.scopes
            continue
        found: Json = None
        if location is Location.QUERY:
            name = use.ref.pointer
            found = query.get(name)
            if found is None and name.endswith("[]"):
                found = query.get(name[:-2])
        elif location is Location.HEADER:
            found = headers.get(use.ref.pointer.lower())
        for item in found[:MOST_INSTANCES] if isinstance(found, list) else (found,):
            value = as_identity(item)
            if value:
                yield use.ref, use.resource, value, use.scopes


def _in_body(ref: ParameterRef, parts: tuple[str, ...], body: Json) -> Iterator[tuple[ParameterRef, str]]:
    if len(parts) == 1 and isinstance(body, dict):
        held = body.get(parts[0])
        if not isinstance(held, list):
            value = as_identity(held)
            if value:
                yield ref, value
            return
    for number, (place, found) in enumerate(_walk(body, parts, ())):
        if number >= MOST_INSTANCES:
            return
        value = as_identity(found)
        if value:
            yield (
                (ref if number == 0 else ParameterRef(ref.operation, ref.location, pointer.join(*place))),
                value,
            )


def _walk(
    value: Json, parts: tuple[str, ...], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Json]]:
    if not parts:
        if isinstance(value, list):
            for number, item in enumerate(value[:MOST_INSTANCES]):
                yield (*above, str(number)), item
        else:
            yield above, value
        return
    head, rest = parts[0], parts[1:]
    if isinstance(value, dict):
        if head in value:
            yield from _walk(value[head], rest, (*above, head))
    elif isinstance(value, list) and head == "*":
        for number, item in enumerate(value[:MOST_INSTANCES]):
            yield from _walk(item, rest, (*above, str(number)))


def names_in(answer: Json, pointer_lists: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The names that an answer gives a thing, the usual one first: of each list the first pointer that
    holds one.

    A second number is left out: ``id`` and ``iid`` count different things.
    """
    names: dict[str, None] = {}
    numeric = False
    for pointers in pointer_lists:
        for place in pointers:
            value = as_identity(pointer.first(answer, place)) if "*" not in place else ""
            if value:
                if not value.isdigit() or not numeric:
                    numeric = numeric or value.isdigit()
                    names.setdefault(value)
                break
    return tuple(names)


def own_identities(
    refs: tuple[ParameterRef, ...], path: Mapping[str, str], query: Mapping[str, Json], body: Json
) -> Iterator[str]:
    """Values of a request's own parameters."""
    for ref in refs:
        found: Json = None
        if ref.location is Location.PATH:
            found = path.get(ref.pointer)
        elif ref.location is Location.QUERY:
            found = query.get(ref.pointer)
        elif ref.location is Location.BODY:
            plain = isinstance(body, dict) and "/" not in ref.pointer and "~" not in ref.pointer
            found = body.get(ref.pointer) if plain else pointer.first(body, ref.pointer)  # type: ignore[union-attr]
        value = as_identity(found)
        if value:
            yield value
