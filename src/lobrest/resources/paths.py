"""Which resource a path parameter identifies: first by where it stands, then by its name."""

from __future__ import annotations

from collections import Counter, defaultdict

from lobrest.model.operation import Location, Method, ParameterRef, Schema
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import Kind
from lobrest.resources.catalogue import Route
from lobrest.resources.landscape import Known, Landscape, Reference
from lobrest.resources.words import DATES, GENERIC, noun_of, parameter_noun, same_noun


def path_references(land: Landscape) -> dict[ParameterRef, Reference]:
    """The resources of all path parameters; fills the landscape's vocabulary on the way."""
    reader = _PathReader(land)
    found: dict[ParameterRef, Reference] = {}
    later: list[tuple[Route, int, int, str]] = []
    words: dict[str, Counter[ResourceName]] = defaultdict(Counter)
    for route in land.catalogue.routes.values():
        for number, inside, hole in route.holes():
            reference = reader.by_place(route, number, inside, hole.name)
            if reference is not None:
                found[reference.parameter] = reference
                # /limits/tag/{tag} looks up by an attribute: elsewhere a tag is no limit.
                literal = noun_of(route.path[number - 1]) if number else ()
                if literal != noun_of(hole.name) or land.fits(literal, land.resources[reference.resource]):
                    words[hole.name.lower()][reference.resource] += 1
            else:
                later.append((route, number, inside, hole.name))
    for name, votes in words.items():
        noun = parameter_noun(name)
        for resource, count in votes.items():
            # A name met once, for a thing it does not name, says nothing elsewhere.
            if count > 1 or not noun or land.fits(noun, land.resources[resource]):
                land.vocabulary[name][resource] = count
    for route, number, inside, name in later:
        reference = reader.by_word(route, number, inside, name)
        if reference is not None:
            found[reference.parameter] = reference
    return found


class _PathReader:
    def __init__(self, land: Landscape) -> None:
        self._land = land

    def by_place(self, route: Route, number: int, inside: int, name: str) -> Reference | None:
        ref = ParameterRef(route.operation.id, Location.PATH, name)
        if self._land.chosen(route, name) or inside > 0:
            return None
        start = number
        while start > 0 and route.path[start - 1] == "{}":
            start -= 1
        noun = parameter_noun(name)
        if noun and noun[-1] in DATES:
            return None
        last_of_run = number + 1 >= len(route.path) or route.path[number + 1] != "{}"
        before = self._land.known_at(route.path[:number], route, number)
        if before is None and start != number:
            for length in range(number - 1, start - 1, -1):
                before = self._land.known_at(route.path[:length], route, number)
                if before is not None:
                    break
        if not last_of_run or start != number:
            named = self._land.named(noun, route)
            if named is not None and (before is None or named.name != before.name):
                if last_of_run and before is not None and same_noun(noun, before.entity):
                    return Reference(ref, before.name, 0.9, f"part of the identity in {before.name}")
                return Reference(ref, named.name, 0.85, f"{name!r} names {named.name}")
            if not last_of_run:
                person = self._property_reference(route, number, name) or self._land.person(noun)
                if person is not None:
                    return Reference(ref, person.name, 0.7, f"{name!r} is who it belongs to")
        if before is None:
            return None
        if not noun or noun[-1] in GENERIC or self._land.fits(noun, before):
            target = self._through_link(before, route, number)
            return Reference(ref, target.name, 0.95, f"the path before it is {before.name}")
        other = self._land.named(noun, route)
        if (
            other is not None
            and other.name != before.name
            and not same_noun(other.entity, before.entity)
            and (
                self._land.reachable(other, route) or (other.made and not before.made and noun in other.nouns)
            )
        ):
            if self._creator_takes(before, name):
                return Reference(ref, before.name, 0.8, f"{before.name} is made with {name!r}")
            return Reference(ref, other.name, 0.8, f"{name!r} names {other.name}")
        target = self._through_link(before, route, number)
        return Reference(ref, target.name, 0.85, f"the path before it is {before.name}")

    def _through_link(self, known: Known, route: Route, number: int) -> Known:
        """An item of a mere link (a member, a starred repository) is a thing that lives elsewhere."""
        direct = [place for place in known.places if place.path == route.path[:number]]
        if not direct or not direct[0].links or not known.entity:
            return known
        if route.operation.method is Method.DELETE and number == len(route.path) - 1:
            return known
        homes = [
            other
            for other in self._land.by_entity.get(known.entity, ())
            if other.name != known.name and any(p.creators or (p.items and not p.links) for p in other.places)
        ]
        if not homes:
            return known
        return min(
            homes, key=lambda other: (not any(p.creators for p in other.places), other.needs, other.path)
        )

    def _creator_takes(self, known: Known, name: str) -> bool:
        for place in known.places:
            for identity in place.creators:
                route = self._land.catalogue.routes[identity]
                for parameter in self._land.catalogue.parameters(route):
                    if parameter.ref.location is not Location.PATH and parameter.name == name:
                        return True
        return False

    def by_word(self, route: Route, number: int, inside: int, name: str) -> Reference | None:
        """The second look at path parameters: by their name alone."""
        ref = ParameterRef(route.operation.id, Location.PATH, name)
        if self._land.chosen(route, name) or inside > 0:
            return None
        noun = parameter_noun(name)
        if noun and noun[-1] in DATES:
            return None
        if noun and noun[-1] not in GENERIC:
            named = self._land.named(noun, route)
            if named is not None:
                return Reference(ref, named.name, 0.8, f"{name!r} names {named.name}")
        literal = route.path[number - 1] if number else ""
        above = self._land.known_at(route.path[: number - 1], route, number) if number > 1 else None
        if above is not None and noun_of(literal) == noun_of(name) and "{}" not in literal:
            return Reference(ref, above.name, 0.7, f"looks {above.name} up by {name!r}")
        if not noun:
            named = self._land.named(noun_of(literal), route) if literal and "{}" not in literal else None
            own_need = named is not None and (
                named.path[: number + 1] == route.path[: number + 1] or f"{{{name}}}" in named.name
            )
            if named is not None and not own_need:
                return Reference(ref, named.name, 0.7, f"{literal!r} before it names {named.name}")
        if name.lower() not in ("id", "name"):
            nearest = self._land.by_vocabulary(name, route)
            if nearest is not None:
                return Reference(ref, nearest, 0.7, f"{name!r} identifies {nearest} elsewhere")
        person = self._property_reference(route, number, name) or self._land.person(noun)
        if person is not None:
            return Reference(ref, person.name, 0.6, f"{name!r} is who it belongs to")
        return None

    def _property_reference(self, route: Route, number: int, name: str) -> Known | None:
        """``{owner}`` of what has a property ``owner`` that is a User."""
        schema: Schema | None = None
        for method in (Method.GET, Method.PATCH, Method.PUT):
            for length in range(number + 1, len(route.path) + 1):
                item = self._land.catalogue.methods(route.path[:length]).get(method)
                if item is not None and self._land.catalogue.shape(item).kind in (Kind.OBJECT, Kind.LIST):
                    schema = self._land.catalogue.shape(item).schema
                    break
            if schema is not None:
                break
        return self._land.property_entity(schema, name) if schema is not None else None
