"""Decisions → the model: alternatives ordered, bindings ranked, the tree drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lobrest.model.operation import Location, Method, OperationId, Parameter, ParameterRef
from lobrest.model.resource import (
    Binding,
    Creation,
    Decider,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)
from lobrest.resources.bindings import (
    Wanted,
    from_answer,
    from_list,
    from_request,
    pointers,
    request_binding,
    wanted,
)
from lobrest.resources.landscape import Known, Reference
from lobrest.resources.roles import Role
from lobrest.resources.rules import Findings
from lobrest.resources.tree import parent_of, without_cycles
from lobrest.spec.template import name_words

_MAX_BINDINGS = 12
_BULK = frozenset(("import", "bulk", "batch", "migrate", "csv", "mass"))
"""Words of operations that make many at once, or from elsewhere: the last to choose."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Who decided, where it was not the rules."""

    operations: Mapping[OperationId, Decider] = field(default_factory=dict)
    parameters: Mapping[ParameterRef, Decider] = field(default_factory=dict)


class ModelBuilder:
    """Builds the model of one specification once."""

    def __init__(self, findings: Findings, decided: Decided) -> None:
        land = findings.land
        self._land = land
        self._references = findings.references
        self._decided = decided
        self._spec = land.spec
        self._roles: dict[OperationId, Role] = {**land.making, **land.putting}
        self._parameters = {
            parameter.ref: parameter
            for route in land.catalogue.routes.values()
            for parameter in land.catalogue.parameters(route)
        }
        self._wishes: dict[tuple[ResourceName, Wanted], tuple[Binding, ...]] = {}

    def build(self) -> ResourceModel:
        """The model of everything that was decided."""
        references = self._references
        by_resource: dict[ResourceName, list[Reference]] = {}
        for reference in references.values():
            by_resource.setdefault(reference.resource, []).append(reference)
        creations = {
            identity: self._creation(role, by_resource.get(self._land.resource_at[role.collection], []))
            for identity, role in self._roles.items()
        }
        retrievals = {
            identity: Retrieval(
                identity,
                self._land.resource_at[role.collection],
                round(role.confidence, 2),
                role.reason,
                self._decided.operations.get(identity, Decider.RULES),
                items=self._land.catalogue.shape(role.route).pointer,
            )
            for identity, role in {**self._land.listing, **self._land.querying}.items()
        }
        dependencies = {
            ref: Dependency(
                ref,
                reference.resource,
                self._bindings(reference),
                round(reference.confidence, 2),
                reference.reason,
                self._decided.parameters.get(ref, Decider.RULES),
            )
            for ref, reference in references.items()
        }
        return ResourceModel(
            service=self._spec.title,
            resources=self._resources(creations, retrievals, references),
            creations=creations,
            retrievals=retrievals,
            dependencies=self._ordered(dependencies),
            acting_users=self._acting(),
        )

    def _ordered(self, dependencies: Mapping[ParameterRef, Dependency]) -> dict[ParameterRef, Dependency]:
        """In the order of the specification."""
        found: dict[ParameterRef, Dependency] = {}
        for route in self._land.catalogue.routes.values():
            for parameter in self._land.catalogue.parameters(route):
                if parameter.ref in dependencies:
                    found[parameter.ref] = dependencies[parameter.ref]
        return found

    # Resources and their tree.

    def _resources(
        self,
        creations: Mapping[OperationId, Creation],
        retrievals: Mapping[OperationId, Retrieval],
        references: Mapping[ParameterRef, Reference],
    ) -> dict[ResourceName, Resource]:
        makers: dict[ResourceName, list[OperationId]] = {}
        for creation in creations.values():
            makers.setdefault(creation.resource, []).append(creation.operation)
        finders: dict[ResourceName, list[OperationId]] = {}
        for retrieval in retrievals.values():
            finders.setdefault(retrieval.resource, []).append(retrieval.operation)

        def rank(identity: OperationId, name: ResourceName) -> tuple[object, ...]:
            operation = self._spec.operations[identity]
            fields = [
                parameter
                for parameter in (*operation.parameters, *self._land.catalogue.fields.of(operation))
                if parameter.required and parameter.ref.location is not Location.PATH
            ]
            required = [
                parameter
                for parameter in operation.parameters
                if parameter.ref.location is Location.PATH and parameter.ref in references
            ]
            return (
                operation.deprecated,
                bool(_BULK & set(name_words(operation.template))),
                len(required) + sum(parameter.ref in references for parameter in fields),
                operation.method is Method.PUT,
                operation.template.rstrip("/") != name,
                len(fields),
                len(operation.template),
                identity,
            )

        parents = without_cycles(
            {name: self._parent(known, references) for name, known in self._land.resources.items()}
        )
        return {
            name: Resource(
                name,
                parents[name],
                tuple(sorted(makers.get(name, ()), key=lambda one, name=name: rank(one, name))),
                tuple(sorted(finders.get(name, ()), key=lambda one, name=name: rank(one, name))),
            )
            for name in self._land.resources
        }

    def _parent(self, known: Known, references: Mapping[ParameterRef, Reference]) -> ResourceName | None:
        """By path; else what the identity itself begins with (``{owner}`` of ``{owner}/{repo}``)."""
        found = parent_of(known.name, known.path, self._land.resource_at)
        if found is not None:
            return found
        for place in known.places:
            for route in place.items:
                start = place.identity_start or len(place.path)
                if len(route.path) - start < 2:
                    continue
                name = route.name_at(start)
                first = references.get(ParameterRef(route.operation.id, Location.PATH, name))
                if first is not None and first.resource != known.name:
                    return first.resource
        people = self._land.people
        if people is not None and people.name != known.name and self._under_self(known):
            return people.name
        return self._made_within(known, references)

    def _made_within(self, known: Known, references: Mapping[ParameterRef, Reference]) -> ResourceName | None:
        """What every creator needs in its path: shots are made in a project, wherever they are listed."""
        within: set[ResourceName | None] = set()
        for place in known.places:
            for identity in place.creators:
                route = self._land.catalogue.routes[identity]
                if _BULK & set(name_words(route.operation.template)):
                    continue
                needed = [
                    found.resource
                    for _, _, hole in route.holes()
                    if (found := references.get(ParameterRef(identity, Location.PATH, hole.name))) is not None
                ]
                within.add(needed[-1] if needed else None)
        above = within.pop() if len(within) == 1 else None
        return above if above != known.name else None

    def _under_self(self, known: Known) -> bool:
        """``/user/keys`` where ``GET /user`` answers the acting user."""
        people = self._land.people
        assert people is not None
        for length in range(len(known.path) - 1, 0, -1):
            getter = self._land.catalogue.methods(known.path[:length]).get(Method.GET)
            if getter is not None and "{}" not in known.path[length - 1]:
                entity = self._land.catalogue.shape(getter).entity
                return bool(entity) and entity == people.entity
        return False

    def _acting(self) -> frozenset[ResourceName]:
        people = self._land.people
        if people is None:
            return frozenset()
        return frozenset(
            known.name
            for known in self._land.resources.values()
            if known.name == people.name or (people.entity and known.entity == people.entity)
        )

    # Identity and bindings.

    def _person(self, name: ResourceName) -> bool:
        people = self._land.people
        known = self._land.resources[name]
        return people is not None and (
            name == people.name or (bool(people.entity) and known.entity == people.entity)
        )

    def _creation(self, role: Role, users: list[Reference]) -> Creation:
        name = self._land.resource_at[role.collection]
        known = self._land.resources[name]
        operation = role.route.operation
        identified: dict[ParameterRef, float] = {}
        if role.chosen:
            identified[ParameterRef(operation.id, Location.PATH, role.chosen)] = 12
        fields = self._land.catalogue.fields.of(operation)
        wishes = dict.fromkeys(
            self._want(reference, known)
            for reference in users
            if reference.parameter.location is Location.PATH
        )
        for want in wishes:
            for points, ref in from_request(self._spec, operation, fields, want, role.chosen):
                identified[ref] = max(points, identified.get(ref, 0))
        ranked = sorted(identified, key=lambda ref: -identified[ref])
        return Creation(
            operation.id,
            name,
            round(role.confidence, 2),
            role.reason,
            self._decided.operations.get(operation.id, Decider.RULES),
            identified_by=tuple(ranked[:4]),
        )

    def _want(self, reference: Reference, known: Known) -> Wanted:
        ref = reference.parameter
        parameter = self._parameter(ref)
        name = parameter.name if parameter is not None else ref.pointer
        nouns = known.nouns | ({known.entity} if known.entity else set())
        return wanted(parameter, name, nouns, person=self._person(known.name))

    def _parameter(self, ref: ParameterRef) -> Parameter | None:
        return self._parameters.get(ref)

    def _bindings(self, reference: Reference) -> tuple[Binding, ...]:
        known = self._land.resources[reference.resource]
        want = self._want(reference, known)
        key = (known.name, want)
        cached = self._wishes.get(key)
        if cached is None:
            cached = self._wishes[key] = self._ranked(known, want)
        context = self._context(reference, want)
        return tuple(dict.fromkeys((*context, *cached)))[:_MAX_BINDINGS]

    def _context(self, reference: Reference, want: Wanted) -> list[Binding]:
        """``owner/login`` of what the rest of the identity names: its creator's answer has both parts."""
        ref = reference.parameter
        if ref.location is not Location.PATH:
            return []
        route = self._land.catalogue.routes[ref.operation]
        position = next(
            (n for n, inside, hole in route.holes() if hole.name == ref.pointer and inside == 0), None
        )
        if position is None or position + 1 >= len(route.path) or route.path[position + 1] != "{}":
            return []
        rest = self._references.get(ParameterRef(ref.operation, Location.PATH, route.name_at(position + 1)))
        if rest is None or rest.resource == reference.resource:
            return []
        whole = self._land.resources[rest.resource].schema
        return [
            Binding(Source.RESPONSE, pointer)
            for points, pointer in pointers(self._spec, whole, want)
            if "/" in pointer and points >= 5
        ][:3]

    def _ranked(self, known: Known, want: Wanted) -> tuple[Binding, ...]:
        scored: dict[Binding, float] = {}

        def offer(points: float, binding: Binding) -> None:
            if points > scored.get(binding, 0):
                scored[binding] = points

        silent = False
        for place in known.places:
            for identity in place.creators:
                role = self._roles[identity]
                operation = role.route.operation
                shape = self._land.catalogue.shape(role.route)
                answers = from_answer(self._spec, shape, want)
                for points, binding in answers:
                    offer(points, binding)
                silent = silent or not answers
                fields = self._land.catalogue.fields.of(operation)
                chosen = "" if role.chosen and known.path != role.collection else role.chosen
                for points, ref in from_request(self._spec, operation, fields, want, chosen):
                    offer(points - (0 if ref.location is Location.PATH else 2.5), request_binding(ref))
                if "Location" in {h.title() for a in operation.answers.values() for h in a.headers}:
                    offer(6, Binding(Source.LOCATION, "-1"))
            for identity in place.listers:
                shape = self._land.catalogue.shape(self._land.catalogue.routes[identity])
                for points, binding in from_list(self._spec, shape, want):
                    offer(points * 0.5, binding)
        if not scored and not silent:
            offer(1, Binding(Source.RESPONSE, "id"))
        if silent:
            for points, pointer in pointers(self._spec, known.schema, want):
                offer(points * 0.8, Binding(Source.RESPONSE, pointer))
            offer(1.5, Binding(Source.RESPONSE, "id"))
        if any(place.creators for place in known.places):
            offer(0.5, Binding(Source.LOCATION, "-1"))
        return tuple(sorted(scored, key=lambda binding: -scored[binding]))
