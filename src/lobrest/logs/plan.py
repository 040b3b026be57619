"""What each operation's requests say about resources, worked out once before the first line is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lobrest.model import pointer
from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId, Parameter, ParameterRef
from lobrest.model.resource import Creation, Dependency, ResourceModel, ResourceName, Source
from lobrest.model.slice import Profile

_NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True)
class PathUse:
    """A path parameter that names an instance."""

    ref: ParameterRef
    resource: int
    parent: int
    """Which of the uses before it is its scope; -1 for none."""


@dataclass(frozen=True, slots=True)
class ValueUse:
    """A query, header, cookie or body parameter that names an instance."""

    ref: ParameterRef
    parts: tuple[str, ...]
    resource: int
    scopes: tuple[int, ...]
    """Resources that can be its scope, nearest first."""


@dataclass(frozen=True, slots=True)
class CreationPlan:
    """How the identity of what an operation creates can be read."""

    resource: int
    scopes: tuple[int, ...]
    place: int
    """Which of the operation's path uses is the scope; -1 where none is."""
    names: tuple[tuple[str, ...], ...]
    """For each way consumers name the resource: pointers into the answer, best first."""
    parents: tuple[tuple[int, tuple[str, ...]], ...]
    """Scope resource and pointers into the answer that name the scope itself."""
    segments: tuple[int, ...]
    """Segments of ``Location`` that hold the identity."""
    chosen: tuple[ParameterRef, ...]
    """Path parameters by which the client chooses the identity: no answer can say otherwise."""
    own: tuple[ParameterRef, ...]
    """Parameters of the request that are the identity for sure, best first."""
    perhaps: tuple[ParameterRef, ...]
    """Parameters of the request that may be the identity: believed when it is used later."""


@dataclass(frozen=True, slots=True)
class OperationPlan:
    """One operation."""

    index: int
    operation: Operation
    path_uses: tuple[PathUse, ...]
    value_uses: tuple[ValueUse, ...]
    creation: CreationPlan | None
    shows: tuple[tuple[str, ...], ...]
    """Where the answer repeats the identity of the last path parameter, as in ``CreationPlan.names``."""
    renames: tuple[ParameterRef, ...]
    """Body fields that give the instance of the last path parameter a new name."""
    headers: frozenset[str]
    """Declared header parameters, in lower case."""
    named: frozenset[str]
    """Names of query parameters and of the outermost body fields that ``value_uses`` looks at."""

    def may_name(self, query: Mapping[str, Json], body: Json, headers: Sequence[object]) -> bool:
        """Can the values hold any of ``value_uses``? Most requests do not."""
        if headers or (body is not None and not isinstance(body, dict)):
            return True
        return not self.named.isdisjoint(query) or (body is not None and not self.named.isdisjoint(body))

    @property
    def eventful(self) -> bool:
        """Can a 2XX make or rename something?"""
        return self.creation is not None or bool(self.renames)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything the scanner needs to know of a service."""

    spec: ApiSpec
    resources: tuple[ResourceName, ...]
    operations: tuple[OperationPlan, ...]
    index_of: Mapping[OperationId, int]


def make_plan(spec: ApiSpec, model: ResourceModel, profile: Profile) -> Plan:
    """Plans of all operations. The paper's profile knows no scopes."""
    names: dict[ResourceName, int] = {}
    for name in model.resources:
        names.setdefault(name, len(names))
    by_operation: dict[OperationId, list[Dependency]] = {}
    by_resource: dict[ResourceName, list[Dependency]] = {}
    for dependency in model.dependencies.values():
        names.setdefault(dependency.resource, len(names))
        by_operation.setdefault(dependency.parameter.operation, []).append(dependency)
        by_resource.setdefault(dependency.resource, []).append(dependency)
    for creation in model.creations.values():
        names.setdefault(creation.resource, len(names))
    path_order = {
        identity: [p.ref.pointer for p in _by_template(operation)]
        for identity, operation in spec.operations.items()
    }
    scopes = {} if profile is Profile.PAPER else _scopes(model, by_operation, path_order)
    plans = []
    for index, (identity, operation) in enumerate(spec.operations.items()):
        dependencies = by_operation.get(identity, [])
        plans.append(
            _plan(index, operation, dependencies, model, by_operation, by_resource, scopes, names, path_order)
        )
    index_of = {identity: index for index, identity in enumerate(spec.operations)}
    return Plan(spec, tuple(names), tuple(plans), index_of)


def _plan(
    index: int,
    operation: Operation,
    dependencies: Sequence[Dependency],
    model: ResourceModel,
    by_operation: Mapping[OperationId, Sequence[Dependency]],
    by_resource: Mapping[ResourceName, Sequence[Dependency]],
    scopes: Mapping[ResourceName, tuple[ResourceName, ...]],
    names: Mapping[ResourceName, int],
    path_order: Mapping[OperationId, Sequence[str]],
) -> OperationPlan:
    path_uses: list[PathUse] = []
    on_path = {d.parameter.pointer: d for d in dependencies if d.parameter.location is Location.PATH}
    kinds: list[ResourceName] = []
    for name in path_order[operation.id]:
        dependency = on_path.get(name)
        if dependency is None:
            continue
        wanted = scopes.get(dependency.resource, ())
        parent = next((at for at in range(len(kinds) - 1, -1, -1) if kinds[at] in wanted), -1)
        path_uses.append(PathUse(dependency.parameter, names[dependency.resource], parent))
        kinds.append(dependency.resource)
    others = [d for d in dependencies if d.parameter.location is not Location.PATH]
    others.sort(key=lambda d: model.depth(d.resource))  # scopes before what they hold
    value_uses = tuple(
        ValueUse(
            d.parameter,
            pointer.parts(d.parameter.pointer)
            if d.parameter.location is Location.BODY
            else (d.parameter.pointer,),
            names[d.resource],
            tuple(names[scope] for scope in scopes.get(d.resource, ()) if scope in names),
        )
        for d in others
    )
    creation = model.creations.get(operation.id)
    shows: tuple[tuple[str, ...], ...] = ()
    renames: tuple[ParameterRef, ...] = ()
    # Only a path that ends in the identity is about that instance alone.
    if kinds and path_order[operation.id] and operation.template.rstrip("/").endswith("}"):
        last = path_uses[-1].ref.pointer
        if last == path_order[operation.id][-1]:
            shows = _names(by_resource[kinds[-1]], Source.RESPONSE)
            if operation.method in ("PUT", "PATCH"):
                fields = dict.fromkeys(pointers[0] for pointers in shows if "/" not in pointers[0])
                fields.setdefault(last, None)
                renames = tuple(
                    ParameterRef(operation.id, Location.BODY, name) for name in fields if name != "id"
                )
    return OperationPlan(
        index,
        operation,
        tuple(path_uses),
        value_uses,
        _creation(creation, operation, kinds, by_operation, by_resource, scopes, names) if creation else None,
        shows,
        renames,
        frozenset(p.ref.pointer.lower() for p in operation.parameters if p.ref.location is Location.HEADER),
        frozenset(name for use in value_uses for name in (use.parts[:1] or ("",))).union(
            use.ref.pointer.removesuffix("[]") for use in value_uses
        ),
    )


def _creation(
    creation: Creation,
    operation: Operation,
    kinds: Sequence[ResourceName],
    by_operation: Mapping[OperationId, Sequence[Dependency]],
    by_resource: Mapping[ResourceName, Sequence[Dependency]],
    scopes: Mapping[ResourceName, tuple[ResourceName, ...]],
    names: Mapping[ResourceName, int],
) -> CreationPlan:
    consumers = by_resource.get(creation.resource, ())
    wanted = scopes.get(creation.resource, ())
    parents: dict[tuple[int, tuple[str, ...]], None] = {}
    for consumer in consumers:
        for beside in by_operation.get(consumer.parameter.operation, ()):
            if beside.resource in wanted and beside.parameter.location is Location.PATH:
                # In the answer that describes the child, the parent's name is inside something.
                nested = tuple(
                    b.pointer for b in beside.bindings if b.source is Source.RESPONSE and "/" in b.pointer
                )
                if nested:
                    parents.setdefault((names[beside.resource], nested), None)
    segments: dict[int, None] = {}
    perhaps: dict[ParameterRef, None] = {}
    for consumer in consumers:
        for binding in consumer.bindings:
            if binding.source is Source.LOCATION and binding.pointer.lstrip("-").isdigit():
                segments.setdefault(int(binding.pointer), None)
            elif binding.source is Source.REQUEST:
                place, _, name = binding.pointer.partition("/")
                if place in ("path", "query", "body", "header") and name:
                    perhaps.setdefault(ParameterRef(operation.id, Location(place), name), None)
    return CreationPlan(
        names[creation.resource],
        tuple(names[scope] for scope in wanted if scope in names),
        next((kinds.index(scope) for scope in wanted if scope in kinds), -1),
        _names(consumers, Source.RESPONSE),
        tuple(parents)[:8],
        tuple(segments) or (-1,),
        tuple(ref for ref in creation.identified_by if ref.location is Location.PATH),
        creation.identified_by,
        tuple(ref for ref in perhaps if ref not in creation.identified_by)[:8],
    )


def _names(consumers: Sequence[Dependency], source: Source) -> tuple[tuple[str, ...], ...]:
    """Distinct pointer lists, those that most path parameters use first."""
    votes: Counter[tuple[str, ...]] = Counter()
    for consumer in consumers:
        pointers = tuple(b.pointer for b in consumer.bindings if b.source is source)
        if pointers:
            votes[pointers] += 100 if consumer.parameter.location is Location.PATH else 1
    return tuple(pointers for pointers, _ in votes.most_common(6))


def _by_template(operation: Operation) -> list[Parameter]:
    """Path parameters in the order of the template."""
    held = [p for p in operation.parameters if p.ref.location is Location.PATH]
    return sorted(held, key=lambda p: _position(operation.template, p.ref.pointer))


def _position(template: str, name: str) -> int:
    at = template.find("{" + name + "}")
    return at if at >= 0 else len(template) + max(template.find(name), 0)


def _scopes(
    model: ResourceModel,
    by_operation: Mapping[OperationId, Sequence[Dependency]],
    path_order: Mapping[OperationId, Sequence[str]],
) -> dict[ResourceName, tuple[ResourceName, ...]]:
    """Resources whose instance an instance is inside, nearest first.

    The ancestors of the tree; of a resource that has none, what stands before it in nearly all paths that
    name
    it: the owner of a repository is no ancestor of it, yet two owners may each have one of that name.
    """
    named: Counter[ResourceName] = Counter()
    before: dict[ResourceName, Counter[ResourceName]] = {}
    for identity, dependencies in by_operation.items():
        on_path = {
            d.parameter.pointer: d.resource for d in dependencies if d.parameter.location is Location.PATH
        }
        kinds = [on_path[name] for name in path_order.get(identity, ()) if name in on_path]
        for at, kind in enumerate(kinds):
            named[kind] += 1
            before.setdefault(kind, Counter()).update(set(kinds[:at]) - {kind})
    scopes: dict[ResourceName, tuple[ResourceName, ...]] = {}
    for kind in dict.fromkeys((*model.resources, *named)):
        found: dict[ResourceName, None] = {}
        above = model.resources[kind].parent if kind in model.resources else None
        while above is not None and above not in found and above != kind:
            found[above] = None
            resource = model.resources.get(above)
            above = resource.parent if resource else None
        if named.keys().isdisjoint(found):
            for context, count in before.get(kind, Counter()).most_common():
                if count >= _NEARLY_ALL * named[kind]:
                    found.setdefault(context, None)
        scopes[kind] = tuple(found)
    # A thing is inside another or around it, never both: the tree decides, else the more often named one is
    # around.
    return {
        kind: tuple(
            other for other in around if kind not in scopes.get(other, ()) or named[other] >= named[kind]
        )
        for kind, around in scopes.items()
    }
