"""What a campaign has made and how to take it away again: children first, by whoever made it, nothing else.

A thing is known by the path of the DELETE operation that would remove it. It is the campaign's own when the
service says that this very request created it, and no answer has shown it there before. Where the identity in
the path was a guess, and the thing does not lie inside something else of ours, it has to be looked at first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from lobrest.fuzz.bind import fallback, value_of
from lobrest.fuzz.judge import parsed
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import ApiSpec, Json, Location, Method, Operation, OperationId, ParameterRef
from lobrest.model.resource import Binding, Dependency, ResourceModel, ResourceName, Source
from lobrest.spec.router import Match, Router

_FRESH: Final = re.compile(r"-x[0-9a-z]{4,}(@|$)")
_UNIQUE: Final = re.compile(
    r"^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$", re.IGNORECASE
)
_FINALLY: Final = re.compile(
    r"^(force|hard|purge|permanent(ly)?|final|destroy)(_?-?(delete|remove|deletion))?$", re.IGNORECASE
)
_TELLING: Final = (
    "id",
    "uuid",
    "guid",
    "iid",
    "number",
    "key",
    "created_at",
    "createdAt",
    "created",
    "sha",
    "slug",
)
_ENVELOPES: Final = ("data", "result", "item", "object", "response", "payload", "attributes")
_IDENTITIES: Final = ("id", "uuid", "guid", "iid", "number", "key", "slug")
_DELETED: Final = re.compile(
    r"^(deleted|archived|removed|trashed|inactive|marked_for_deletion)(_?(at|on))?$", re.IGNORECASE
)
_MOST_SEEN: Final = 50_000
NO_OPERATION: Final = "no operation deletes it"
_TRUSTED_AFTER: Final = 2


@dataclass(frozen=True, slots=True)
class Thing:
    """Something the campaign made."""

    number: int
    """Counts creations: a child is made after what it is in."""
    resource: ResourceName
    maker: OperationId
    actor: str
    remover: OperationId | None
    """None: the specification has no operation that deletes it, or it is not to be sent."""
    path: str
    """Of that operation, encoded, base path included."""
    others: tuple[str, ...] = ()
    """Other paths it may have, where the first is a guess."""
    certain: bool = True
    """The path is what the service itself said, or can be nothing else."""
    plain: bool = False
    """The answer has only one thing that can be meant by the last parameter of the path."""
    marks: tuple[tuple[str, str], ...] = ()
    """Values of the answer that tell it from others of its kind."""
    why: str = ""
    """Why it cannot be removed."""

    def is_shown_by(self, document: Json) -> bool:
        """Is what an answer shows this very thing?"""
        shown = dict(_marks(document))
        common = [(name, value) for name, value in self.marks if name in shown]
        return bool(common) and all(shown[name] == value for name, value in common)


@dataclass(slots=True)
class _Remover:
    """A DELETE operation and the parameters of its path."""

    operation: Operation
    names: tuple[str, ...]
    identity: tuple[str, ...]
    """Those that name the thing itself."""


class Ledger:
    """Every thing made and not known to be gone."""

    def __init__(
        self,
        spec: ApiSpec,
        model: ResourceModel,
        router: Router,
        *,
        base_path: str,
        people: Mapping[str, Json],
        barred: Iterable[OperationId] = (),
        changed: Callable[[Thing, bool], None] = lambda _thing, _there: None,
    ) -> None:
        """``barred`` operations are never sent, not even to clean up; ``changed`` hears what comes and goes."""
        self._changed = changed
        self._spec = spec
        self._model = model
        self._router = router
        self._base = base_path
        self._people = people
        self._barred = frozenset(barred)
        self._removers = _removers(spec, model)
        self._own_dependencies: dict[OperationId, list[Dependency]] = {}
        for dependency in model.dependencies.values():
            self._own_dependencies.setdefault(dependency.parameter.operation, []).append(dependency)
        self._seen: set[str] = set()
        self._proved: dict[tuple[OperationId, OperationId], int] = {}
        self._things: dict[str, Thing] = {}
        self._lasting: dict[str, Counter[str]] = {}
        """What cannot be removed by itself: by the thing of ours that it is in, how many of each maker."""
        self._count = 0
        self.ended_by_play = 0
        """Things that the campaign's own plays have deleted, with what was in them."""

    def __len__(self) -> int:
        return len(self._things)

    @property
    def made(self) -> int:
        """How many things were made in all."""
        return self._count

    @property
    def things(self) -> tuple[Thing, ...]:
        """What could be removed, in the order it was made."""
        return tuple(self._things.values())

    @property
    def lasting(self) -> Counter[str]:
        """What cannot be removed by itself and is in nothing that was removed: how many, by maker and reason."""
        every: Counter[str] = Counter()
        for counted in self._lasting.values():
            every.update(counted)
        return every

    def remember(self, things: Iterable[Thing]) -> None:
        """Take over what an earlier part of the same campaign has made."""
        for thing in things:
            if thing.remover in self._spec.operations and thing.remover not in self._barred:
                self._things[thing.path] = replace(thing, number=self._count)
                self._count += 1

    def told(self, request: Request, response: Response) -> Thing | None:
        """Take in an exchange; the thing it made, if so."""
        if not 200 <= response.status < 300:
            return None
        path = request.target.partition("?")[0]
        known = self._things.get(path)
        if request.method == "DELETE":
            if known is not None:
                self.ended_by_play += 1 + self.removed(known)
            return None
        if known is not None:
            self._renamed(known, request, response)
        elif request.method == "GET":
            if len(self._seen) < _MOST_SEEN:
                self._seen.add(path)
            return None
        if request.method not in ("POST", "PUT", "PATCH"):
            return None
        return self._made(request, response)

    def proved(self, thing: Thing) -> None:
        """A look at a thing has shown that it is where it was expected."""
        if thing.remover is not None:
            key = (thing.maker, thing.remover)
            self._proved[key] = self._proved.get(key, 0) + 1

    def is_certain(self, thing: Thing) -> bool:
        """May it be removed without another look?"""
        if thing.certain or (
            thing.remover and self._proved.get((thing.maker, thing.remover), 0) >= _TRUSTED_AFTER
        ):
            return True
        return self.is_inside(thing)

    def is_inside(self, thing: Thing, others: Iterable[str] | None = None) -> bool:
        """Does it lie inside another thing of ours, or inside one of these paths?"""
        known = self._things if others is None else frozenset(others)
        return any(above in known for above in _above(thing.path))

    def removed(self, thing: Thing) -> int:
        """It is gone; how many things that could not be removed by themselves went with it."""
        if self._things.pop(thing.path, None) is not None:
            self._changed(thing, False)
        return sum(self._lasting.pop(thing.path, Counter()).values())

    def moved(self, thing: Thing, path: str) -> Thing:
        """It is somewhere else than was thought."""
        self._things.pop(thing.path, None)
        if thing.path in self._lasting:
            self._lasting.setdefault(path, Counter()).update(self._lasting.pop(thing.path))
        there = replace(thing, path=path, others=tuple(one for one in thing.others if one != path))
        self._things[path] = there
        self._changed(thing, False)
        self._changed(there, True)
        return there

    def redirected(self, thing: Thing, response: Response) -> str | None:
        """Where the service says a thing is by now, if so: it was renamed by somebody else's request."""
        told = self._from_location(response) if response.status in (301, 302, 307, 308) else None
        return told[1] if told is not None and told[0] == thing.remover and told[1] != thing.path else None

    def at(self, thing: Thing, path: str) -> Thing:
        """The thing as if it were there."""
        return thing if path == thing.path else replace(thing, path=path)

    def depth(self, thing: Thing) -> int:
        """How deep in others things of its kind are."""
        return self._model.depth(thing.resource)

    def family(self, things: Iterable[Thing]) -> list[Thing]:
        """Things with everything that lies inside them, what was made last first."""
        roots = {thing.path for thing in things}
        inside = [one for one in self._things.values() if one.path in roots or self.is_inside(one, roots)]
        return sorted(inside, key=lambda one: -one.number)

    def deleting(self, thing: Thing, *, finally_: bool = False) -> Request:
        """The request that removes a thing; ``finally_`` asks for more than a mark that it is deleted."""
        assert thing.remover is not None
        target = thing.path
        if finally_:
            operation = self._spec.operations[thing.remover]
            switches = [
                one.ref.pointer
                for one in operation.parameters
                if one.ref.location is Location.QUERY and _FINALLY.match(one.ref.pointer)
            ]
            target += "?" + "&".join(f"{name}=true" for name in switches) if switches else ""
        return Request(thing.remover, "DELETE", target, (), None, thing.actor)

    def looking(self, thing: Thing) -> Request | None:
        """The request that shows a thing, where there is one."""
        assert thing.remover is not None
        operation = OperationId(f"GET {self._spec.operations[thing.remover].template}")
        if operation not in self._spec.operations:
            return None
        return Request(operation, "GET", thing.path, (("Accept", "application/json"),), None, thing.actor)

    # What was made ----------------------------------------------------------------------------------

    def _made(self, request: Request, response: Response) -> Thing | None:
        creation = self._model.creations.get(request.operation)
        told = self._from_location(response)
        if creation is None and (told is None or response.status != 201):
            return None
        operation = self._spec.operations[request.operation]
        arguments = self._arguments(request)
        if arguments is None or not _says_created(operation, response):
            return None
        document = parsed(response)
        resource = creation.resource if creation is not None else ResourceName(operation.template)
        places = [told] if told is not None else []
        places += self._places(resource, operation, arguments, response, document, request.actor)
        thing = Thing(
            self._count,
            resource,
            operation.id,
            request.actor,
            None,
            request.target.partition("?")[0],
            marks=_marks(document),
        )
        if not places:
            known = resource in self._removers
            return self._lasts(replace(thing, why="its identity is not told" if known else NO_OPERATION))
        remover, path, value = places[0]
        if path in self._seen or not _is_new(operation, response, value):
            return None  # it was there before, and is shown or changed by this
        if remover in self._barred:
            return self._lasts(replace(thing, path=path, why="held back"))
        thing = replace(
            thing,
            remover=remover,
            path=path,
            others=self._unseen([other for _, other, _ in places[1:] if other != path]),
            plain=_is_plain(remover, value, document),
            certain=told is not None or bool(_UNIQUE.match(value) or _FRESH.search(value)),
        )
        self._count += 1
        if path in self._things:
            return self._things[path]
        self._things[path] = thing
        self._changed(thing, True)
        return thing

    def _unseen(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for one in dict.fromkeys(paths) if one not in self._seen)[:3]

    def _lasts(self, thing: Thing) -> Thing:
        self._count += 1
        inside = next((above for above in _above(thing.path) if above in self._things), "")
        self._lasting.setdefault(inside, Counter())[f"{thing.maker}: {thing.why}"] += 1
        return thing

    def _from_location(self, response: Response) -> tuple[OperationId, str, str] | None:
        """Where the service itself says the new thing is."""
        location = response.header("Location")
        path = urlsplit(location).path if location else ""
        if not path.startswith("/"):
            return None
        match = self._match("DELETE", path.rstrip("/"))
        if match is None or not match.path_arguments or not match.operation.template.endswith("}"):
            return None
        target = self._router.expand(match.operation, match.path_arguments, self._base)
        return match.operation.id, target, str(list(match.path_arguments.values())[-1])

    def _match(self, method: str, path: str) -> Match | None:
        """The operation of a path as it was sent; the service may live deeper than its specification says."""
        inner = path[len(self._base) :] if path.startswith(self._base) else path
        for form in dict.fromkeys((path, *(f"{base}{inner}" for base in self._spec.base_paths), inner)):
            found = self._router.match(method, form)
            if found is not None:
                return found
        return None

    def _arguments(self, request: Request) -> Arguments | None:
        """The values of a request, read back from what was sent."""
        path, _, query = request.target.partition("?")
        match = self._match(request.method, path)
        if match is None:
            return None
        body: Json = None
        if request.body:
            kind = next((value for name, value in request.headers if name.lower() == "content-type"), "")
            if "form-urlencoded" in kind:
                body = dict(parse_qsl(request.body.decode("utf-8", "replace")))
            else:
                try:
                    body = msgspec.json.decode(request.body)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    body = None
        return Arguments(
            path=match.path_arguments, query=dict(parse_qsl(query)), body=body, has_body=body is not None
        )

    def _places(
        self,
        resource: ResourceName,
        operation: Operation,
        arguments: Arguments,
        response: Response,
        document: Json,
        actor: str,
    ) -> Iterator[tuple[OperationId, str, str]]:
        """Where the new thing may be: operation, path and identity, the likeliest first."""
        same = OperationId(f"DELETE {operation.template}")
        if operation.method is Method.PUT and same in self._spec.operations and arguments.path:
            path = self._router.expand(self._spec.operations[same], dict(arguments.path), self._base)
            yield same, path, str(list(arguments.path.values())[-1])
            return
        for remover in self._removers.get(resource, ()):
            values: dict[str, list[str]] = {}
            for name in remover.names:
                ref = ParameterRef(remover.operation.id, Location.PATH, name)
                if name in remover.identity:
                    found = list(self._identities(ref, arguments, response, document))
                else:
                    found = list(self._context(ref, operation.id, arguments, document, actor))[:1]
                values[name] = list(dict.fromkeys(found))
            if not all(values.values()):
                continue
            first = {name: found[0] for name, found in values.items()}
            last = remover.names[-1]
            for value in values[last][:4]:
                path = self._router.expand(remover.operation, {**first, last: value}, self._base)
                yield remover.operation.id, path, value

    def _identities(
        self, ref: ParameterRef, arguments: Arguments, response: Response, document: Json
    ) -> Iterator[str]:
        dependency = self._model.dependencies.get(ref)
        for binding in dependency.bindings if dependency is not None else ():
            if binding.source is Source.LIST:
                binding = Binding(Source.RESPONSE, binding.pointer.removeprefix("*/"))
            value = value_of(binding, arguments, response, document=document)
            # What the request itself chose is an identity only where it is sure to be new.
            if value is not None and (
                binding.source is not Source.REQUEST or response.status == 201 or _FRESH.search(str(value))
            ):
                yield str(value)
        if isinstance(document, dict):
            for value in fallback(document, ref.pointer):
                yield str(value)

    def _context(
        self, ref: ParameterRef, maker: OperationId, arguments: Arguments, document: Json, actor: str
    ) -> Iterator[str]:
        """A parameter that names what the thing is in, or whose it is."""
        dependency = self._model.dependencies.get(ref)
        resource = dependency.resource if dependency is not None else None
        owned = resource in self._model.acting_users
        if owned and isinstance(document, dict):
            for binding in dependency.bindings if dependency is not None else ():
                if binding.source is Source.RESPONSE and "/" in binding.pointer:
                    value = value_of(binding, Arguments(), None, document=document)
                    if value is not None:
                        yield str(value)
            stated = document.get(ref.pointer)
            if isinstance(stated, dict):
                yield from (str(one) for one in self._called(dependency, stated, ref.pointer))
        for other in self._own_dependencies.get(maker, ()):
            if (
                resource is not None
                and other.resource == resource
                and other.parameter.location is Location.PATH
            ):
                value = arguments.get(other.parameter)
                if value is not None:
                    yield str(value)
        if ref.pointer in arguments.path:
            yield str(arguments.path[ref.pointer])
        if owned:
            yield from (str(one) for one in self._called(dependency, self._people.get(actor), ref.pointer))
        if isinstance(document, dict) and isinstance(document.get(ref.pointer), str | int):
            yield str(document[ref.pointer])

    def _called(self, dependency: Dependency | None, person: Json, name: str) -> Iterator[Json]:
        if person is None:
            return
        for binding in dependency.bindings if dependency is not None else ():
            value = value_of(Binding(Source.RESPONSE, binding.pointer), Arguments(), None, document=person)
            if value is not None:
                yield value
        yield from fallback(person, name)

    def _renamed(self, thing: Thing, request: Request, response: Response) -> None:
        """A change may have given a thing, and all inside it, another path."""
        if request.method not in ("PUT", "PATCH", "POST") or thing.remover is None:
            return
        document = parsed(response)
        shown = dict(_marks(document))
        same = [(name, value) for name, value in thing.marks if shown.get(name) == value]
        remover = next(
            (one for one in self._removers.get(thing.resource, ()) if one.operation.id == thing.remover), None
        )
        match = self._match("DELETE", thing.path)
        if remover is None or match is None or not same or not isinstance(document, dict):
            return
        values = dict(match.path_arguments)
        for name in remover.identity:
            dependency = self._model.dependencies.get(ParameterRef(remover.operation.id, Location.PATH, name))
            stated = [
                value_of(one, Arguments(), None, document=document)
                for one in (dependency.bindings if dependency is not None else ())
                if one.source is Source.RESPONSE
            ]
            current = {str(one) for one in stated if one is not None}
            if current and values.get(name) not in current:
                values[name] = str(next(one for one in stated if one is not None))
        path = self._router.expand(remover.operation, values, self._base)
        if path == thing.path:
            return
        for one in [*self._things.values()]:
            if one.path == thing.path or one.path.startswith(f"{thing.path}/"):
                self.moved(one, path + one.path[len(thing.path) :])


def _removers(spec: ApiSpec, model: ResourceModel) -> dict[ResourceName, list[_Remover]]:
    """By resource the operations that delete one instance of it, the plainest first."""
    found: dict[ResourceName, list[_Remover]] = {}
    for operation in spec.operations.values():
        if operation.method is not Method.DELETE or not operation.template.rstrip("/").endswith("}"):
            continue
        names = tuple(re.findall(r"\{([^{}]+)\}", operation.template))
        resources = [
            model.dependencies.get(ParameterRef(operation.id, Location.PATH, name)) for name in names
        ]
        last = resources[-1]
        if last is None:
            continue
        identity = tuple(
            name
            for name, known in zip(names, resources, strict=True)
            if known is not None and known.resource == last.resource
        )
        found.setdefault(last.resource, []).append(_Remover(operation, names, identity))
    for known in found.values():
        known.sort(key=lambda one: (len(one.names), len(one.operation.template)))
    return found


def _is_new(operation: Operation, response: Response, value: str) -> bool:
    """Did the request make it? A PUT that is answered 200 may have changed what was there."""
    return response.status == 201 or operation.method is Method.POST or bool(_FRESH.search(value))


def _says_created(operation: Operation, response: Response) -> bool:
    """Where 201 is the service's word for created, 200 means something else."""
    if response.status in (201, 202):
        return True
    return operation.method is not Method.PATCH and (
        "201" not in operation.answers or operation.method is Method.PUT
    )


def _marks(document: Json) -> tuple[tuple[str, str], ...]:
    """What tells a thing from others of its kind, as its answer says it, perhaps in an envelope."""
    if not isinstance(document, dict):
        return ()
    if not any(name in document for name in _TELLING):
        inner = [document[name] for name in _ENVELOPES if isinstance(document.get(name), dict)]
        if not inner and len(document) == 1:
            inner = [one for one in document.values() if isinstance(one, dict)]
        document = inner[0] if inner else document
    assert isinstance(document, dict)
    return tuple(
        (name, str(document[name])) for name in _TELLING if isinstance(document.get(name), str | int)
    )


def _is_plain(remover: OperationId, value: str, document: Json) -> bool:
    """``{note_id}`` and an answer with ``id`` and no other number or key of its own."""
    parameter = remover.rpartition("{")[2].rstrip("}/").lower()
    identities = [name for name, _ in _marks(document) if name in _IDENTITIES]
    return identities == ["id"] and parameter.endswith("id") and dict(_marks(document))["id"] == value


def says_deleted(document: Json) -> bool:
    """Does an answer show something that is marked as deleted?"""
    if not isinstance(document, dict):
        return False
    for name, value in document.items():
        if _DELETED.match(name) and value not in (None, False, "", 0):
            return True
        if name in ("state", "status") and isinstance(value, str) and _DELETED.match(value.replace(" ", "_")):
            return True
    return False


def _above(path: str) -> Iterator[str]:
    """The paths a path lies inside."""
    while "/" in path.strip("/"):
        path = path.rpartition("/")[0]
        yield path


@dataclass(slots=True)
class Counts:
    """What became of everything that was made."""

    made: int = 0
    deleted: int = 0
    by_plays: int = 0
    """Deleted by the flows that were played."""
    with_parent: int = 0
    """Gone with what they were in."""
    gone: int = 0
    """Not there any more when they were to be deleted."""
    soft: int = 0
    """Marked as deleted, and still shown."""
    refused: dict[str, int] = field(default_factory=dict)
    """By operation and status."""
    uncertain: int = 0
    """Left alone: nothing proves that it is the thing that was made."""
    no_operation: dict[str, int] = field(default_factory=dict)
    """By the operation that made them and the reason: what cannot be deleted."""
    left: int = 0
    """Not got to in time."""
    requests: int = 0

    @property
    def summary(self) -> dict[str, Json]:
        """As ``summary.json`` has it."""
        return {
            "made": self.made,
            "deleted": self.deleted,
            "by_plays": self.by_plays,
            "with_parent": self.with_parent,
            "gone": self.gone,
            "soft": self.soft,
            "refused": dict(self.refused),
            "uncertain": self.uncertain,
            "no_operation": dict(self.no_operation),
            "left": self.left,
            "requests": self.requests,
        }

    def words(self) -> str:
        """One line."""
        parts = [
            (self.deleted, "deleted"),
            (self.by_plays, "deleted by the flows themselves"),
            (self.with_parent, "gone with what they were in"),
            (self.gone, "gone already"),
            (self.soft, "only marked as deleted"),
            (sum(self.refused.values()), "refused"),
            (self.uncertain, "left alone as uncertain"),
            (sum(self.no_operation.values()), "that cannot be deleted"),
            (self.left, "not got to in time"),
        ]
        told = ", ".join(f"{count} {what}" for count, what in parts if count)
        return f"cleanup of {self.made} things: {told or 'nothing to do'}"
