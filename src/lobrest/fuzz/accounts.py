"""The accounts in use: a request that would delete or lock one of them ends the party for all that follow.

Which operation it is does not tell: deleting a user that the campaign made is ordinary business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec

from lobrest.model.exchange import Request
from lobrest.model.operation import ApiSpec, Json, Location, Method, Operation, OperationId, ParameterRef
from lobrest.model.resource import ResourceModel

_PEOPLE: Final = re.compile(
    r"^(users?|accounts?|people|persons?|members?|customers?|employees?|profiles?|identit(y|ies)|logins?|admins?)$",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(
    r"(block|ban|deactivate|suspend|disable|lock|archive|anonymi[sz]e|delete|remove|terminate|password|rename)",
    re.IGNORECASE,
)
_LOCKS: Final = re.compile(
    r"(password|prohibit|block|bann|lock|(^|_)active$|enabled|disabled|deactivat|suspend)", re.IGNORECASE
)
_NAMES: Final = (
    "id",
    "uuid",
    "guid",
    "uid",
    "login",
    "username",
    "user_name",
    "name",
    "email",
    "slug",
    "key",
)
_HOLE: Final = re.compile(r"^\{([^{}]+)\}$")


class AccountsInUse:
    """Knows what the service calls the people whose credentials are used."""

    def __init__(
        self,
        spec: ApiSpec,
        model: ResourceModel,
        people: Mapping[str, Json],
        *,
        allowed: Iterable[OperationId] = (),
    ) -> None:
        """``people`` is what the service says about the owner of each credential."""
        self._names = frozenset(name for person in people.values() for name in _names(person))
        exempt = frozenset(allowed)
        self._places = {
            operation.id: place
            for operation in spec.operations.values()
            if operation.id not in exempt and (place := _person_at(operation, model)) is not None
        }
        """By operation: which segment of its path, counted from the end, names the person it ends."""

    def would_end(self, request: Request) -> bool:
        """Would this request delete or lock an account in use?"""
        place = self._places.get(request.operation)
        if place is None or not self._names:
            return False
        segments = request.target.partition("?")[0].rstrip("/").split("/")
        if len(segments) < place or unquote(segments[-place]).lower() not in self._names:
            return False
        return request.method not in ("PUT", "PATCH") or place > 1 or _locks(request.body)


def _person_at(operation: Operation, model: ResourceModel) -> int | None:
    """Where the path names the person that an operation ends, if it is one of those."""
    segments = [part for part in operation.template.split("/") if part]
    if operation.method in (Method.GET, Method.HEAD, Method.OPTIONS, Method.TRACE) or len(segments) < 2:
        return None
    last = _HOLE.match(segments[-1])
    if last is None and (operation.method is Method.DELETE or not _ENDS.search(segments[-1])):
        return None
    place = 1 if last else 2
    if len(segments) <= place or (last and operation.method is Method.POST):
        return None
    hole = last or _HOLE.match(segments[-2])
    if hole is None or not _PEOPLE.match(segments[-place - 1]):
        return None
    dependency = model.dependencies.get(ParameterRef(operation.id, Location.PATH, hole[1]))
    if dependency is not None and dependency.resource not in model.acting_users:
        return None
    # ``/groups/{id}/members/{user}`` takes somebody out of a group, not out of the service.
    others = [part for part in segments[: -place - 1] if _HOLE.match(part)]
    return None if others else place


def _names(person: Json) -> Iterator[str]:
    if not isinstance(person, dict):
        return
    for name in _NAMES:
        value = person.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
            yield str(value).lower()


def _locks(body: bytes | None) -> bool:
    """Does a change of an account touch what lets it in? A body that cannot be read does, as far as anybody knows."""
    if not body:
        return False
    try:
        document: Json = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _LOCKS.search(body[:10_000].decode("utf-8", "replace")) is not None
    return isinstance(document, dict) and any(_LOCKS.search(name) for name in document)
