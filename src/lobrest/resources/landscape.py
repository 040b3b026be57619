"""What is there: operations with their roles, and the resources that they make up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lobrest.model.operation import ApiSpec, OperationId, ParameterRef, Schema
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import Kind, named_part
from lobrest.resources.catalogue import Catalogue, Path, Route
from lobrest.resources.collections import Place, Places, name_of
from lobrest.resources.roles import Role, creators, listers, put_creators, queries
from lobrest.resources.words import ACTORS, PEOPLE, Noun, entity_noun, noun_of, same_noun
from lobrest.spec.fields import array_items, properties_of


@dataclass(frozen=True, slots=True)
class Reference:
    """A parameter refers to a resource, because."""

    parameter: ParameterRef
    resource: ResourceName
    confidence: float
    reason: str


@dataclass(slots=True, eq=False)
class Known:
    """A resource while the rules work."""

    name: ResourceName
    path: Path
    nouns: set[Noun]
    """What it is called, in path segments and by its own places."""
    entity: Noun
    """What the schema of its items is called."""
    schema: Schema
    places: list[Place]

    @property
    def made(self) -> bool:
        """Does any operation create it?"""
        return any(place.creators for place in self.places)

    needs: int = field(init=False)
    """How many identities its path asks for."""

    def __post_init__(self) -> None:
        self.needs = sum(segment.count("{}") for segment in self.path)


_UNSURE_ACTORS = ("profile", "agent", "admin", "principal", "member")
"""They act only where one of them can sign in, or has an address."""
_MOST_MEANINGS = 60
"""A name that identifies more kinds of things than this says nothing."""


class Landscape:
    """Operations, places and resources of one specification, with the questions the rules ask about them."""

    def __init__(
        self,
        spec: ApiSpec,
        *,
        creates: Mapping[OperationId, bool] | None = None,
        lists: Mapping[OperationId, bool] | None = None,
    ) -> None:
        """``creates`` and ``lists`` are verdicts of others (a person, a model) that win over the rules."""
        self.spec = spec
        self.catalogue = Catalogue(spec)
        self.listing = _corrected(self.catalogue, listers(self.catalogue), lists or {}, named=False)
        self.doubts: set[OperationId] = set()
        """POST operations of which the rules were not sure."""
        made = creators(self.catalogue, self.listing, self.doubts)
        self.making = _corrected(self.catalogue, made, creates or {}, named=True)
        self.putting = {
            identity: role
            for identity, role in put_creators(self.catalogue, self.making).items()
            if (creates or {}).get(identity, True) and identity not in self.making
        }
        self.querying = {
            identity: role
            for identity, role in queries(self.catalogue).items()
            if identity not in self.making and not self._listed(role)
        }
        everything = {**self.listing, **self.querying}
        self.places = Places(self.catalogue, everything, {**self.making, **self.putting})
        self.resources: dict[ResourceName, Known] = {}
        self.resource_at: dict[Path, ResourceName] = {}
        self._collect()
        self.by_last: dict[str, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            for noun in known.nouns:
                if known not in self.by_last[noun[-1]]:
                    self.by_last[noun[-1]].append(known)
        self.by_entity: dict[Noun, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            if known.entity:
                self.by_entity[known.entity].append(known)
        self.weak: dict[str, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            before = known.path[-2] if len(known.path) > 1 else "{}"
            if "{}" not in before and noun_of(known.path[-1]) in (
                ("template",),
                ("type",),
                ("category",),
            ):
                self.weak[noun_of(before)[-1]].append(known)
        self._owned: dict[OperationId, Known | None] = {}
        self.people = self._people()
        self.vocabulary: dict[str, Counter[ResourceName]] = defaultdict(Counter)
        """Names of path parameters and the resources they identify; filled while paths are read."""

    def _listed(self, role: Role) -> bool:
        """Does a GET list what this query lists?"""
        above = role.collection[:-1]
        return any(other.collection in (above, role.collection) for other in self.listing.values())

    def _collect(self) -> None:
        for group in self.places.groups().values():
            name = name_of(group, self.catalogue)
            if name is None:
                continue
            for place in group:
                self.resource_at[place.path] = name
            main = next((p for p in group if self.catalogue.template.get(p.path) == name), group[0])
            entity = main.entity or next((p.entity for p in group if p.entity), ())
            # Another way in (/projects/user/{id}, /register) does not lend its own word to the resource.
            nouns = {
                place.noun
                for place in group
                if place.noun
                and (
                    place is main
                    or (place.real and place.items)
                    or same_noun(place.noun, entity or main.noun)
                )
            }
            self.resources[name] = Known(name, main.path, nouns, entity, self._schema(group, entity), group)

    def _schema(self, group: Iterable[Place], entity: Noun) -> Schema:
        """The fullest schema of one item that any of its operations answers."""
        best: Schema = {}
        rank = (False, -1)
        for place in group:
            routes = [self.catalogue.routes[i] for i in (*place.listers, *place.creators)] + place.items
            for route in routes:
                shape = self.catalogue.shape(route)
                if shape.kind in (Kind.OBJECT, Kind.LIST):
                    size = (shape.entity == entity, len(properties_of(self.spec, shape.schema)))
                    if size > rank:
                        best, rank = shape.schema, size
        return best

    def _people(self) -> Known | None:
        for actor in ACTORS:
            found = [
                known
                for known in self.by_last.get(actor, ())
                if (actor,) in known.nouns and (actor not in _UNSURE_ACTORS or self._signs_in(known))
            ]
            if found:
                return min(found, key=lambda known: (known.needs, len(known.path), known.path))
        return None

    def _signs_in(self, known: Known) -> bool:
        names = {name.lower() for name in properties_of(self.spec, known.schema)}
        return bool(
            names & {"login", "username", "email", "user_name", "password", "first_name", "firstname"}
        )

    def chosen(self, route: Route, name: str) -> bool:
        """Is the parameter the name that the client gives to what it creates?"""
        role = self.making.get(route.operation.id) or self.putting.get(route.operation.id)
        return role is not None and role.chosen == name

    def known_at(self, path: Path, route: Route, number: int) -> Known | None:
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

    def fits(self, noun: Noun, known: Known) -> bool:
        """Is this noun a name of the resource?"""
        return any(same_noun(noun, other) for other in known.nouns) or same_noun(noun, known.entity)

    def by_vocabulary(self, name: str, route: Route) -> ResourceName | None:
        """The resource that path parameters of this name identify, as far as the route reaches it."""
        votes = self.vocabulary.get(name.lower())
        if not votes or len(votes) > _MOST_MEANINGS:
            return None
        ranked = [
            (-count, known.needs, known.path, resource)
            for resource, count in votes.items()
            if self.reachable(known := self.resources[resource], route)
        ]
        return min(ranked)[-1] if ranked else None

    def reachable(self, known: Known, route: Route) -> bool:
        """Are the identities that the resource's path asks for within the route's path too?"""
        if not known.needs:
            return True
        last = max(i for i, segment in enumerate(known.path) if "{}" in segment)
        return route.path[: last + 1] == known.path[: last + 1]

    def person(self, noun: Noun) -> Known | None:
        """The people of the service, where the noun is a role of theirs."""
        if self.people is not None and noun and noun[-1] in PEOPLE:
            return self.people
        return None

    def property_entity(self, schema: Schema, name: str) -> Known | None:
        """The resource of what a property of that name holds."""
        for key, value in properties_of(self.spec, schema).items():
            if noun_of(key) == noun_of(name):
                items = array_items(self.spec, value)
                label = named_part(items if items is not None else value)
                entity = entity_noun(label) if label else ()
                homes = self.by_entity.get(entity, ()) if entity else ()
                homes = [h for h in homes if any(same_noun(noun, entity) for noun in h.nouns)] or list(homes)
                if homes:
                    return min(homes, key=lambda known: (known.needs, len(known.path), known.path))
        return None

    def named(self, noun: Noun, route: Route) -> Known | None:
        """The resource of that noun which is nearest to the operation."""
        if not noun:
            return None
        return self.nearest(self.called(noun), route, noun)

    def called(self, noun: Noun) -> list[Known]:
        """All resources of which the noun, or its last words, is a name."""
        return [
            known
            for known in self.by_last.get(noun[-1], ())
            if any(noun[-len(other) :] == other for other in known.nouns)
        ]

    def nearest(self, candidates: list[Known], route: Route, noun: Noun) -> Known | None:
        """Of resources of that noun the one a caller of the route most likely means."""
        ranked = []
        for known in candidates:
            match = max((len(other) for other in known.nouns if noun[-len(other) :] == other), default=0)
            shared = 0
            for left, right in zip(known.path, route.path, strict=False):
                if left != right:
                    break
                shared += 1
            linking = all(place.links for place in known.places if place.items) and any(
                place.items for place in known.places
            )
            made = known.made
            item = any(place.items for place in known.places)
            proper = same_noun(noun, known.entity) if known.entity else False
            ranked.append(
                (
                    -match,
                    linking,
                    # What can be made is worth more than what is merely near.
                    2 * (not self.reachable(known, route)) + 3 * (not made),
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

    def home_of(self, entity: Noun, route: Route) -> Known | None:
        """Where things of that entity live."""
        homes = [
            known
            for known in self.by_entity.get(entity, ())
            if any(same_noun(noun, entity) for noun in known.nouns)
        ]
        return self.nearest(homes, route, entity) if homes else None

    def own(self, route: Route) -> Known | None:
        """The resource that an operation itself makes, lists, changes or deletes."""
        identity = route.operation.id
        if identity not in self._owned:
            self._owned[identity] = self._find_own(route)
        return self._owned[identity]

    def _find_own(self, route: Route) -> Known | None:
        identity = route.operation.id
        role = self.making.get(identity) or self.putting.get(identity) or self.listing.get(identity)
        if role is not None:
            return self.resources[self.resource_at[role.collection]]
        for length in range(len(route.path), 0, -1):
            name = self.resource_at.get(route.path[:length])
            if name is not None:
                return self.resources[name]
        return None

    def exactly(self, noun: Noun, known: Known) -> bool:
        """Is this noun the very name of the resource?"""
        return bool(noun) and (
            noun in known.nouns or noun == known.entity or noun[-1:] == known.entity[-1:] == noun
        )

    def inside(self, known: Known, own: Known) -> bool:
        """Does it live inside what is being made, which has none yet?"""
        above: ResourceName | None = known.name
        for _ in range(20):
            if above is None:
                return False
            holder = self.resources[above]
            above = next(
                (
                    self.resource_at[holder.path[:length]]
                    for length in range(len(holder.path) - 1, 0, -1)
                    if self.resource_at.get(holder.path[:length]) not in (None, holder.name)
                ),
                None,
            )
            if above == own.name:
                return True
        return False

    def scalar_of(self, own: Known, name: str) -> bool:
        """Has one in the resource a plain value of that name?"""
        schema = properties_of(self.spec, own.schema).get(name)
        return schema is not None and not properties_of(self.spec, schema)


def _corrected(
    catalogue: Catalogue, found: dict[OperationId, Role], verdicts: Mapping[OperationId, bool], *, named: bool
) -> dict[OperationId, Role]:
    """The roles with the verdicts of others put in; ``named``: a last parameter names what is created."""
    if not verdicts:
        return found
    result: dict[OperationId, Role] = {}
    for identity, route in catalogue.routes.items():
        verdict = verdicts.get(identity)
        if verdict is None or (verdict and identity in found):
            if identity in found:
                result[identity] = found[identity]
        elif verdict and route.path:
            chosen = route.name_at(len(route.path) - 1) if named and route.ends_with_parameter else ""
            collection = route.path[:-1] if chosen else route.path
            if collection:
                result[identity] = Role(route, collection, 0.9, "decided from outside", chosen)
    return result
