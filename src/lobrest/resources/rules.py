"""Creators, listers, resources and dependencies from names, schemas and texts alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lobrest.model.operation import ApiSpec, Location, Method, Parameter, ParameterRef, Schema
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import Kind, named_part
from lobrest.resources.catalogue import Catalogue, Path, Route
from lobrest.resources.collections import Place, Places, name_of
from lobrest.resources.roles import creators, listers, put_creators
from lobrest.resources.words import (
    ACTORS,
    GENERIC,
    PEOPLE,
    Noun,
    entity_noun,
    noun_of,
    parameter_noun,
    same_noun,
)
from lobrest.spec.fields import array_items, properties_of


@dataclass(frozen=True, slots=True)
class Reference:
    """A parameter refers to a resource, because."""

    parameter: ParameterRef
    resource: ResourceName
    confidence: float
    reason: str


@dataclass(slots=True)
class Known:
    """A resource while the rules work."""

    name: ResourceName
    path: Path
    nouns: set[Noun]
    entity: Noun
    schema: Schema
    places: list[Place]

    @property
    def needs(self) -> int:
        return sum(segment.count("{}") for segment in self.path)


class Rules:
    """The deterministic analysis of one specification."""

    def __init__(self, spec: ApiSpec) -> None:
        self.spec = spec
        self.catalogue = Catalogue(spec)
        self.listing = listers(self.catalogue)
        self.making = creators(self.catalogue, self.listing)
        self.putting = put_creators(self.catalogue, self.making)
        self.places = Places(self.catalogue, self.listing, {**self.making, **self.putting})
        self.resources: dict[ResourceName, Known] = {}
        self.resource_at: dict[Path, ResourceName] = {}
        self._collect()
        self._by_last: dict[str, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            for noun in known.nouns:
                if known not in self._by_last[noun[-1]]:
                    self._by_last[noun[-1]].append(known)
        self._by_entity: dict[Noun, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            if known.entity:
                self._by_entity[known.entity].append(known)
        self.people = self._people()
        self._vocabulary: dict[str, Counter[ResourceName]] = defaultdict(Counter)

    def _collect(self) -> None:
        for group in self.places.groups().values():
            name = name_of(group, self.catalogue)
            if name is None:
                continue
            nouns: set[Noun] = set()
            entity: Noun = ()
            for place in group:
                if place.noun:
                    nouns.add(place.noun)
                self.resource_at[place.path] = name
            main = next((p for p in group if self.catalogue.template.get(p.path) == name), group[0])
            entity = main.entity or next((p.entity for p in group if p.entity), ())
            self.resources[name] = Known(name, main.path, nouns, entity, self._schema(group), group)

    def _schema(self, group: Iterable[Place]) -> Schema:
        """The fullest schema of one item that any of its operations answers."""
        best: Schema = {}
        size = -1
        for place in group:
            routes = [self.catalogue.routes[i] for i in (*place.listers, *place.creators)] + place.items
            for route in routes:
                shape = self.catalogue.shape(route)
                if shape.kind in (Kind.OBJECT, Kind.LIST):
                    count = len(properties_of(self.spec, shape.schema))
                    if count > size:
                        best, size = shape.schema, count
        return best

    def _people(self) -> Known | None:
        for actor in ACTORS:
            found = [known for known in self._by_last.get(actor, ()) if (actor,) in known.nouns]
            if found:
                return min(found, key=lambda known: (known.needs, len(known.path), known.path))
        return None

    # Dependencies.

    def references(self) -> dict[ParameterRef, Reference]:
        """Every parameter that refers to a resource."""
        found: dict[ParameterRef, Reference] = {}
        later: list[tuple[Route, int, int, str]] = []
        for route in self.catalogue.routes.values():
            for number, inside, hole in route.holes():
                reference = self._path_reference(route, number, inside, hole.name)
                if reference is not None:
                    found[reference.parameter] = reference
                    self._vocabulary[hole.name.lower()][reference.resource] += 1
                else:
                    later.append((route, number, inside, hole.name))
        for route, number, inside, name in later:
            reference = self._path_by_word(route, number, inside, name)
            if reference is not None:
                found[reference.parameter] = reference
        for route in self.catalogue.routes.values():
            for parameter in self.catalogue.parameters(route):
                if parameter.ref.location is Location.PATH or parameter.ref in found:
                    continue
                reference = self._field_reference(route, parameter)
                if reference is not None:
                    found[parameter.ref] = reference
        return found

    def _chosen(self, route: Route, name: str) -> bool:
        role = self.making.get(route.operation.id) or self.putting.get(route.operation.id)
        return role is not None and role.chosen == name

    def _path_reference(self, route: Route, number: int, inside: int, name: str) -> Reference | None:
        ref = ParameterRef(route.operation.id, Location.PATH, name)
        if self._chosen(route, name) or inside > 0:
            return None
        start = number
        while start > 0 and route.path[start - 1] == "{}":
            start -= 1
        noun = parameter_noun(name)
        last_of_run = number + 1 >= len(route.path) or route.path[number + 1] != "{}"
        before = self._known_at(route.path[:number], route, number)
        if before is None and start != number:
            for length in range(number - 1, start - 1, -1):
                before = self._known_at(route.path[:length], route, number)
                if before is not None:
                    break
        if not last_of_run or start != number:
            named = self._named(noun, route, ref)
            if named is not None and (before is None or named.name != before.name):
                if last_of_run and before is not None and same_noun(noun, before.entity):
                    return Reference(ref, before.name, 0.9, f"part of the identity in {before.name}")
                return Reference(ref, named.name, 0.85, f"{name!r} names {named.name}")
            if not last_of_run:
                person = self._property_reference(route, number, name) or self._person(noun)
                if person is not None:
                    return Reference(ref, person.name, 0.7, f"{name!r} is who it belongs to")
        if before is None:
            return None
        if not noun or noun[-1] in GENERIC or self._fits(noun, before):
            target = self._through_link(before, route, number)
            return Reference(ref, target.name, 0.95, f"the path before it is {before.name}")
        other = self._named(noun, route, ref)
        if other is not None and other.name != before.name and not same_noun(other.entity, before.entity):
            if self._creator_takes(before, name):
                return Reference(ref, before.name, 0.8, f"{before.name} is made with {name!r}")
            return Reference(ref, other.name, 0.8, f"{name!r} names {other.name}")
        target = self._through_link(before, route, number)
        return Reference(ref, target.name, 0.85, f"the path before it is {before.name}")

    def _known_at(self, path: Path, route: Route, number: int) -> Known | None:
        """The resource of a path, unless the path is a list at this very parameter."""
        name = self.resource_at.get(path)
        if name is None:
            return None
        known = self.resources[name]
        own = [place.path for place in known.places]
        if (
            known.path[: number + 1] == route.path[: number + 1]
            and all(one[: number + 1] == route.path[: number + 1] for one in own if one != path)
            and path not in [p.path for p in known.places if p.real]
        ):
            return None
        return known

    def _fits(self, noun: Noun, known: Known) -> bool:
        return any(same_noun(noun, other) for other in known.nouns) or same_noun(noun, known.entity)

    def _through_link(self, known: Known, route: Route, number: int) -> Known:
        """An item of a mere link (a member, a starred repository) is a thing that lives elsewhere."""
        direct = [place for place in known.places if place.path == route.path[:number]]
        if not direct or not direct[0].linking() or not known.entity:
            return known
        if route.operation.method is Method.DELETE and number == len(route.path) - 1:
            return known
        homes = [
            other
            for other in self._by_entity.get(known.entity, ())
            if other.name != known.name
            and any(p.creators or (p.items and not p.linking()) for p in other.places)
        ]
        if not homes:
            return known
        return min(
            homes, key=lambda other: (not any(p.creators for p in other.places), other.needs, other.path)
        )

    def _creator_takes(self, known: Known, name: str) -> bool:
        for place in known.places:
            for identity in place.creators:
                route = self.catalogue.routes[identity]
                for parameter in self.catalogue.parameters(route):
                    if parameter.ref.location is not Location.PATH and parameter.name == name:
                        return True
        return False

    def _path_by_word(self, route: Route, number: int, inside: int, name: str) -> Reference | None:
        """The second look at path parameters: by their name alone."""
        ref = ParameterRef(route.operation.id, Location.PATH, name)
        if self._chosen(route, name) or inside > 0:
            return None
        noun = parameter_noun(name)
        if noun and noun[-1] not in GENERIC:
            named = self._named(noun, route, ref)
            if named is not None:
                return Reference(ref, named.name, 0.8, f"{name!r} names {named.name}")
        literal = route.path[number - 1] if number else ""
        above = self._known_at(route.path[: number - 1], route, number) if number > 1 else None
        if above is not None and noun_of(literal) == noun_of(name) and "{}" not in literal:
            return Reference(ref, above.name, 0.7, f"looks {above.name} up by {name!r}")
        if not noun:
            named = self._named(noun_of(literal), route, ref) if literal and "{}" not in literal else None
            if named is not None:
                return Reference(ref, named.name, 0.7, f"{literal!r} before it names {named.name}")
        if name.lower() not in ("id", "name"):
            nearest = self._by_vocabulary(name, route)
            if nearest is not None:
                return Reference(ref, nearest, 0.7, f"{name!r} identifies {nearest} elsewhere")
        person = self._property_reference(route, number, name) or self._person(noun)
        if person is not None:
            return Reference(ref, person.name, 0.6, f"{name!r} is who it belongs to")
        return None

    def _by_vocabulary(self, name: str, route: Route) -> ResourceName | None:
        votes = self._vocabulary.get(name.lower())
        if not votes:
            return None
        ranked = [
            (-count, known.needs, known.path, resource)
            for resource, count in votes.items()
            if self._reachable(known := self.resources[resource], route)
        ]
        return min(ranked)[-1] if ranked else None

    def _reachable(self, known: Known, route: Route) -> bool:
        """Are the identities that the resource's path asks for within the route's path too?"""
        if not known.needs:
            return True
        last = max(i for i, segment in enumerate(known.path) if "{}" in segment)
        return route.path[: last + 1] == known.path[: last + 1]

    def _person(self, noun: Noun) -> Known | None:
        if self.people is not None and noun and noun[-1] in PEOPLE:
            return self.people
        return None

    def _property_reference(self, route: Route, number: int, name: str) -> Known | None:
        """``{owner}`` of what has a property ``owner`` that is a User."""
        schema: Schema | None = None
        for method in (Method.GET, Method.PATCH, Method.PUT):
            for length in range(number + 1, len(route.path) + 1):
                item = self.catalogue.methods(route.path[:length]).get(method)
                if item is not None and self.catalogue.shape(item).kind in (Kind.OBJECT, Kind.LIST):
                    schema = self.catalogue.shape(item).schema
                    break
            if schema is not None:
                break
        return self._property_entity(schema, name) if schema is not None else None

    def _property_entity(self, schema: Schema, name: str) -> Known | None:
        for key, value in properties_of(self.spec, schema).items():
            if noun_of(key) == noun_of(name):
                items = array_items(self.spec, value)
                label = named_part(self.spec, items if items is not None else value)
                entity = entity_noun(label) if label else ()
                homes = self._by_entity.get(entity, ()) if entity else ()
                homes = [h for h in homes if any(same_noun(noun, entity) for noun in h.nouns)] or list(homes)
                if homes:
                    return min(homes, key=lambda known: (known.needs, len(known.path), known.path))
        return None

    def _named(self, noun: Noun, route: Route, ref: ParameterRef) -> Known | None:
        """The resource of that noun which is nearest to the operation."""
        if not noun:
            return None
        candidates = [
            known
            for known in self._by_last.get(noun[-1], ())
            if any(noun[-len(other) :] == other for other in known.nouns)
        ]
        return self._nearest(candidates, route, noun)

    def _nearest(self, candidates: list[Known], route: Route, noun: Noun) -> Known | None:
        ranked = []
        for known in candidates:
            match = max((len(other) for other in known.nouns if noun[-len(other) :] == other), default=0)
            shared = 0
            for left, right in zip(known.path, route.path, strict=False):
                if left != right:
                    break
                shared += 1
            linking = all(place.linking() for place in known.places if place.items) and any(
                place.items for place in known.places
            )
            made = any(place.creators for place in known.places)
            item = any(place.items for place in known.places)
            proper = same_noun(noun, known.entity) if known.entity else False
            ranked.append(
                (
                    -match,
                    not self._reachable(known, route),
                    linking,
                    not item and not made,
                    not proper,
                    not made,
                    -shared,
                    known.needs,
                    len(known.path),
                    known.path,
                    known,
                )
            )
        return min(ranked, key=lambda entry: entry[:-1])[-1] if ranked else None

    # Query, header, cookie and body.

    def _field_reference(self, route: Route, parameter: Parameter) -> Reference | None:
        return None
