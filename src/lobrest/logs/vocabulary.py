"""Numbers for what requests say: what comes again has its number already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import numpy as np

from lobrest.logs.arguments import ArgumentReader, Detail, as_identity
from lobrest.logs.columns import Additions, CreationSeen, pack
from lobrest.logs.formats.batch import Extra, Numbers
from lobrest.logs.formats.record import Actor, Body, origin_form
from lobrest.logs.instances import MOST_INSTANCES, InstanceReader, names_in, own_identities, value_identities
from lobrest.logs.plan import CreationPlan, OperationPlan, Plan
from lobrest.logs.users import Identifier
from lobrest.model import pointer
from lobrest.model.operation import Json, Operation

_NOTHING: Final = Extra()
_MOST_REQUESTS = 100_000
_MOST_INSTANCES = 400_000
_MOST_TEXT = 64 << 20
_LARGEST_RESPONSE = 1 << 20

Match = Callable[[str, str], "tuple[Operation, dict[str, str]] | None"]
"""Method and path to the operation and its path arguments."""


class PathRead(msgspec.Struct, frozen=True, gc=False):
    """An operation's path."""

    plan: OperationPlan
    arguments: Mapping[str, str]
    values: tuple[str, ...]
    """Identities of ``plan.path_uses``."""


class Request(msgspec.Struct, gc=False):
    """A distinct request: target, body and all."""

    plan: OperationPlan
    arguments: Mapping[str, str]
    uses: tuple[int, ...]
    """Instances of ``plan.path_uses``, -1 where there is no value."""
    detail: Detail
    renames: tuple[tuple[int, int], ...]
    """Old and new instance, where a 2XX gives one another name."""


class Vocabulary:
    """The requests, senders and instances that one scanner has met, by number.

    It grows from block to block, so that what a log repeats is read once; ``additions`` tells what is new, and
    whoever is told everything in order knows all numbers. ``number`` is its name: that of the first block it
    is used for.
    """

    def __init__(
        self,
        number: int,
        plan: Plan,
        match: Match,
        reader: InstanceReader,
        arguments: ArgumentReader,
        identifier: Identifier,
    ) -> None:
        self.number = number
        self._plan = plan
        self._match = match
        self._reader = reader
        self._arguments = arguments
        self._identifier = identifier
        self.requests: list[Request] = []
        self._numbers: dict[tuple[str, str, Extra | Body], int] = {}
        self._text = 0
        self._actors: dict[Actor, int] = {}
        self._identities = Numbers()
        self._instances: dict[tuple[int, str, int], int] = {}
        self._sets: dict[tuple[int, ...], int] = {}
        self._told_identities = self._told_instances = self._told_sets = self._told_requests = 0
        self._operations: list[int] = []
        self._set_ids: list[int] = []
        self._creations: list[tuple[int, CreationSeen]] = []
        self._aliases: list[tuple[int, int]] = []

    @property
    def full(self) -> bool:
        """Is it time for a new one? Memory stays bounded that way."""
        return (
            len(self.requests) > _MOST_REQUESTS
            or len(self._instances) > _MOST_INSTANCES
            or len(self._actors) > _MOST_REQUESTS
            or self._text > _MOST_TEXT
        )

    def additions(self) -> Additions:
        """What is new since the last time."""
        sets = list(self._sets)[self._told_sets :]
        members = [number for held in sets for number in held]
        found = Additions(
            list(self._identities)[self._told_identities :],
            list(self._instances)[self._told_instances :],
            np.asarray([len(held) for held in sets], dtype=np.int32),
            np.asarray(members, dtype=np.int32),
            np.asarray(self._operations, dtype=np.int32),
            np.asarray(self._set_ids, dtype=np.int32),
            pack([request.detail for request in self.requests[self._told_requests :]]),
            [(number - self._told_requests, seen) for number, seen in self._creations],
            self._aliases,
        )
        self._told_identities, self._told_instances = len(self._identities), len(self._instances)
        self._told_sets, self._told_requests = len(self._sets), len(self.requests)
        self._operations, self._set_ids, self._creations, self._aliases = [], [], [], []
        return found

    def sender(self, actor: Actor) -> int:
        """The number of who sent a request."""
        number = self._actors.get(actor)
        if number is None:
            number = self._actors[actor] = self._identities[self._identifier.identify(actor)]
        return number

    def request(
        self, method: str, target: str, path: PathRead, extra: Extra | None, body_kind: Body, *, good: bool
    ) -> int:
        """The number of a request; ``good`` where it was answered 2XX."""
        key = (method, target, extra if extra is not None else body_kind)
        number = self._numbers.get(key)
        if number is None:
            number = len(self.requests)
            self._add(target, path, extra, body_kind, good=good)
            if extra is None or not extra.response:
                self._numbers[key] = number
                self._text += len(target) + (len(extra.body) if extra is not None else 0)
        return number

    def located(self, method: str, location: str) -> tuple[int, ...] | None:
        """The instances on the path that an answer points to; None where it is no operation's."""
        found = self._match(method, origin_form(location).partition("?")[0])
        if found is None:
            return None
        plan = self._plan.operations[self._plan.index_of[found[0].id]]
        return self._reader.in_path(plan, self._reader.path_values(plan, found[1]), self._instance)

    def _instance(self, resource: int, value: str, scope: int) -> int:
        return self._instances.setdefault((resource, value, scope), len(self._instances))

    def _add(self, target: str, path: PathRead, extra: Extra | None, body_kind: Body, *, good: bool) -> None:
        plan = path.plan
        uses = self._reader.in_path(plan, path.values, self._instance)
        detail = Detail(target, "", body_kind)
        if extra is not None:
            detail = Detail(target, extra.body, extra.body_kind, extra.media_type)
            if extra.headers and plan.headers:
                detail.headers = tuple(pair for pair in extra.headers if pair[0] in plan.headers)
        involved = dict.fromkeys([number for number in uses if number >= 0])
        if plan.value_uses and (detail.body or detail.headers or "?" in target):
            for _, number in self._reader.in_values(plan, uses, detail, self._instance):
                if len(involved) < MOST_INSTANCES:
                    involved.setdefault(number)
        request = Request(plan, path.arguments, uses, detail, ())
        if plan.creation is not None:
            seen = self._creation(plan.creation, request, extra or _NOTHING)
            self._creations.append((len(self.requests), seen))
        elif good and extra is not None and extra.response and plan.shows:
            self._shown(request, extra)
        if plan.renames and detail.body:
            request.renames = self._renamed(request)
        self._operations.append(plan.index)
        self._set_ids.append(self._sets.setdefault(tuple(involved), len(self._sets)))
        self.requests.append(request)

    # What a request makes, shows or renames.

    def _creation(self, creation: CreationPlan, request: Request, extra: Extra) -> CreationSeen:
        detail, arguments = request.detail, request.arguments
        scope, scope_open = self._scope(creation, request)
        names: tuple[str, ...] = ()
        answer = _answer(extra)
        if answer is not None:
            names = names_in(answer, creation.names)
            if scope_open:
                scope, scope_open = self._scope_in(creation, answer)
        if not names and extra.location:
            names = self._located(creation, extra.location)
        chosen = tuple(own_identities(creation.chosen, arguments, {}, None))
        own: tuple[str, ...] = ()
        perhaps: tuple[str, ...] = ()
        if (creation.own or creation.perhaps) and (detail.body or arguments or "?" in detail.target):
            query, body, _ = self._arguments.values(request.plan.operation, detail)
            own = tuple(own_identities(creation.own, arguments, query, body))
            perhaps = tuple(own_identities(creation.perhaps, arguments, query, body))
        return CreationSeen(creation.resource, scope, scope_open, chosen[-1:] or names, own[:3], perhaps[:3])

    def _scope(self, creation: CreationPlan, request: Request) -> tuple[int, bool]:
        if not creation.scopes:
            return -1, False
        uses, plan, detail = request.uses, request.plan, request.detail
        if creation.place >= 0 and uses[creation.place] >= 0:
            return uses[creation.place], False
        shown = {
            use.resource: number for use, number in zip(plan.path_uses, uses, strict=True) if number >= 0
        }
        for kind in creation.scopes:
            if kind in shown:
                return shown[kind], False
        if plan.value_uses and (detail.body or "?" in detail.target):
            query, body, _ = self._arguments.values(plan.operation, detail)
            for _, resource, value, scopes in value_identities(plan, query, body, {}):
                if resource in creation.scopes:
                    inside = next((shown[kind] for kind in scopes if kind in shown), -1)
                    return self._instance(resource, value, inside), False
        return -1, True

    def _scope_in(self, creation: CreationPlan, answer: Json) -> tuple[int, bool]:
        for resource, pointers in creation.parents:
            for place in pointers:
                value = as_identity(pointer.first(answer, place))
                if value:
                    return self._instance(resource, value, -1), False
        return -1, True

    def _located(self, creation: CreationPlan, location: str) -> tuple[str, ...]:
        path = origin_form(location).partition("?")[0].rstrip("/")
        for method in ("GET", "PUT", "DELETE", "PATCH"):
            match = self._match(method, path)
            if match is None:
                continue
            plan = self._plan.operations[self._plan.index_of[match[0].id]]
            if plan.path_uses and plan.path_uses[-1].resource == creation.resource:
                value = match[1].get(plan.path_uses[-1].ref.pointer, "")
                return (value,) if value else ()
        segments = [segment for segment in path.split("/") if segment]
        for number in creation.segments:
            if -len(segments) <= number < len(segments):
                return (segments[number],)
        return ()

    def _shown(self, request: Request, extra: Extra) -> None:
        """An answer that repeats the name it was asked by shows other names of the same thing."""
        plan, known = request.plan, request.uses[-1]
        answer = _answer(extra)
        if known < 0 or answer is None:
            return
        use = plan.path_uses[-1]
        names = names_in(answer, plan.shows)
        asked = as_identity(request.arguments.get(use.ref.pointer, ""))
        if asked not in names:
            return
        scope = request.uses[use.parent] if use.parent >= 0 else -1
        for name in names:
            if name != asked and not (name.isdigit() and asked.isdigit()):
                self._aliases.append((known, self._instance(use.resource, name, scope)))

    def _renamed(self, request: Request) -> tuple[tuple[int, int], ...]:
        plan, known = request.plan, request.uses[-1]
        if known < 0:
            return ()
        use = plan.path_uses[-1]
        asked = request.arguments.get(use.ref.pointer, "")
        _, body, _ = self._arguments.values(plan.operation, request.detail)
        scope = request.uses[use.parent] if use.parent >= 0 else -1
        found: list[tuple[int, int]] = []
        for ref in plan.renames:
            value = as_identity(pointer.first(body, ref.pointer))
            if value and value != asked and not value.isdigit():
                found.append((known, self._instance(use.resource, value, scope)))
        return tuple(found)


def _answer(extra: Extra) -> Json:
    if not extra.response or len(extra.response) > _LARGEST_RESPONSE:
        return None
    try:
        value: Json = msgspec.json.decode(extra.response)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return value
