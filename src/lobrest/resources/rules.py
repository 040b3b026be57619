"""Creators, listers, resources and dependencies from names, schemas and texts alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lobrest.model.operation import ApiSpec, Location, Method, OperationId, Parameter, ParameterRef, Schema
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import Kind, named_part
from lobrest.resources.catalogue import Catalogue, Path, Route
from lobrest.resources.collections import Place, Places, name_of
from lobrest.resources.roles import Role, creators, listers, put_creators, queries
from lobrest.resources.words import (
    ACTORS,
    ATTRIBUTES,
    GENERIC,
    PEOPLE,
    Noun,
    entity_noun,
    noun_of,
    parameter_noun,
    same_noun,
)
from lobrest.resources.texts import named_things
from lobrest.spec.fields import array_items, properties_of, types
from lobrest.spec.template import name_words


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
        self._by_last: dict[str, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            for noun in known.nouns:
                if known not in self._by_last[noun[-1]]:
                    self._by_last[noun[-1]].append(known)
        self._by_entity: dict[Noun, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            if known.entity:
                self._by_entity[known.entity].append(known)
        self._weak: dict[str, list[Known]] = defaultdict(list)
        for known in self.resources.values():
            before = known.path[-2] if len(known.path) > 1 else "{}"
            if "{}" not in before and noun_of(known.path[-1])[-1:] in (("template",), ("type",), ("category",)):
                self._weak[noun_of(before)[-1]].append(known)
        self._holders: dict[tuple[OperationId, str], Parameter] = {}
        self._owned: dict[OperationId, Known | None] = {}
        self.people = self._people()
        self._vocabulary: dict[str, Counter[ResourceName]] = defaultdict(Counter)

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
                if place.noun and (place is main or place.items or same_noun(place.noun, entity or main.noun))
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
            found = [known for known in self._by_last.get(actor, ()) if (actor,) in known.nouns]
            if found:
                return min(found, key=lambda known: (known.needs, len(known.path), known.path))
        return None

    # Dependencies.

    def references(self) -> dict[ParameterRef, Reference]:
        """Every parameter that refers to a resource."""
        found: dict[ParameterRef, Reference] = {}
        later: list[tuple[Route, int, int, str]] = []
        words: dict[str, Counter[ResourceName]] = defaultdict(Counter)
        for route in self.catalogue.routes.values():
            for number, inside, hole in route.holes():
                reference = self._path_reference(route, number, inside, hole.name)
                if reference is not None:
                    found[reference.parameter] = reference
                    words[hole.name.lower()][reference.resource] += 1
                else:
                    later.append((route, number, inside, hole.name))
        for name, votes in words.items():
            noun = parameter_noun(name)
            for resource, count in votes.items():
                if count > 1 or (noun and self._fits(noun, self.resources[resource])) or not noun:
                    self._vocabulary[name][resource] = count
        for route, number, inside, name in later:
            reference = self._path_by_word(route, number, inside, name)
            if reference is not None:
                found[reference.parameter] = reference
        silent: list[tuple[Route, Parameter]] = []
        for route in self.catalogue.routes.values():
            for parameter in self.catalogue.parameters(route):
                if parameter.ref.location is Location.PATH or parameter.ref in found:
                    continue
                reference = self._field_reference(route, parameter)
                if reference is not None:
                    found[parameter.ref] = reference
                elif parameter.ref.location is Location.BODY:
                    silent.append((route, parameter))
        self._carry_over(found, silent)
        return found

    def _carry_over(self, found: dict[ParameterRef, Reference], silent: list[tuple[Route, Parameter]]) -> None:
        """A field without evidence of its own means what it means when such a thing is made."""
        meant: dict[tuple[ResourceName, str], Reference] = {}
        for ref, reference in found.items():
            if ref.location is Location.BODY and ref.operation in self.making:
                own = self._own(self.catalogue.routes[ref.operation])
                if own is not None:
                    meant.setdefault((own.name, ref.pointer), reference)
        for route, parameter in silent:
            own = self._own(route)
            if own is None or route.operation.method not in (Method.PUT, Method.PATCH):
                continue
            known = meant.get((own.name, parameter.ref.pointer))
            if known is not None and self._could_refer(parameter):
                reason = f"as in {known.parameter.operation}"
                found[parameter.ref] = Reference(parameter.ref, known.resource, 0.6, reason)

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
        if (
            other is not None
            and other.name != before.name
            and not same_noun(other.entity, before.entity)
            and self._reachable(other, route)
        ):
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
            if named is not None and named.path[: number + 1] != route.path[: number + 1]:
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
        if not self._could_refer(parameter):
            return None
        nested = self._embedded(route, parameter)
        if nested is not None:
            return nested
        if "/" in parameter.ref.pointer.removesuffix("/*") and not self._plain_nested(parameter):
            return None
        if parameter.ref.pointer.endswith("/*") and not parameter.description:
            holder = self._holder(route, parameter.ref.pointer.removesuffix("/*"))
            if holder is not None:
                parameter = replace(parameter, description=holder.description, required=holder.required)
        own = self._own(route)
        creating = route.operation.id in self.making or route.operation.id in self.putting
        name = parameter.name
        words = name_words(name)
        if not words or words[-1] in ("by",) and words[0] in ("order", "sort", "group"):
            return None
        noun = parameter_noun(name)
        if not noun and own is not None and noun_of(name) in own.nouns:
            noun = noun_of(name)
        identified = bool(noun) and len(noun) < len(noun_of(name)) or _ends_with_id(words)
        if self._credential(route, parameter):
            return None
        if own is not None and self._about_itself(
            route, parameter, noun, own, creating=creating, identified=identified
        ):
            return None
        if words[0] == "parent" and own is not None and (len(words) == 1 or words[1:] == ("id",)):
            return Reference(parameter.ref, own.name, 0.8, f"the parent of one in {own.name}")
        for evidence in (self._by_noun, self._by_role, self._by_property, self._by_word, self._by_text):
            reference = evidence(route, parameter, noun, own, identified=identified, creating=creating)
            if reference is not None:
                return reference
        return None

    def _could_refer(self, parameter: Parameter) -> bool:
        schema = self.spec.resolve(parameter.schema)
        kinds = types(schema)
        if "array" in kinds or "items" in schema:
            if parameter.ref.location is Location.BODY:
                return False  # its items are fields of their own
            items = schema.get("items")
            schema = self.spec.resolve(items) if isinstance(items, dict) else {}
            kinds = types(schema)
        if "object" in kinds or "properties" in schema or "boolean" in kinds or kinds == ("number",):
            return False
        if "enum" in schema or schema.get("format") in ("date", "date-time", "time", "binary", "password", "byte"):
            return False
        return not (parameter.ref.location is Location.HEADER and parameter.name.lower() in _PLAIN_HEADERS)

    def _plain_nested(self, parameter: Parameter) -> bool:
        """A field inside a plain object is looked at only when it says that it identifies something."""
        return parameter.ref.pointer.count("/") <= 3 and _ends_with_id(name_words(parameter.name)[-1:]) and (
            len(name_words(parameter.name)) > 1
        )

    def _embedded(self, route: Route, parameter: Parameter) -> Reference | None:
        """``department/departmentId``: the identity inside an embedded copy of another thing."""
        pointer = parameter.ref.pointer
        if parameter.ref.location is not Location.BODY or "/" not in pointer:
            return None
        above, _, key = pointer.rpartition("/")
        holder = self._holder(route, above)
        if holder is None or key == "*":
            return None
        label = named_part(self.spec, holder.schema)
        entity = entity_noun(label) if label else parameter_noun(holder.name)
        key_noun = noun_of(key)
        is_identity = key.lower() in ("id", "uuid", "_id", "guid") or (
            parameter_noun(key) == entity and _ends_with_id(name_words(key))
        )
        if not is_identity or not key_noun:
            return None
        known = self._home_of(entity, route) or self._named(parameter_noun(holder.name), route, parameter.ref)
        own = self._own(route)
        if known is None or (own is not None and known.name == own.name and route.operation.id in self.making):
            return None
        return Reference(parameter.ref, known.name, 0.8, f"the identity of the embedded {' '.join(entity)}")

    def _holder(self, route: Route, pointer: str) -> Parameter | None:
        key = (route.operation.id, pointer)
        if key not in self._holders:
            for field in self.catalogue.fields.of(route.operation):
                self._holders[route.operation.id, field.ref.pointer] = field
        return self._holders.get(key)

    def _home_of(self, entity: Noun, route: Route) -> Known | None:
        homes = [
            known
            for known in self._by_entity.get(entity, ())
            if any(same_noun(noun, entity) for noun in known.nouns)
        ]
        return self._nearest(homes, route, entity) if homes else None

    def _own(self, route: Route) -> Known | None:
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

    def _about_itself(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known, *, creating: bool, identified: bool
    ) -> bool:
        """Does the field describe the very thing the operation is about, rather than refer to another?"""
        words = name_words(parameter.name)
        if words[0] in _OLD and len(words) > 1:
            return False
        named = words[-1].endswith("name") or words[-1] in ("login", "slug", "title", "key", "code", "email")
        same = (not noun and len(words) == 1) or self._exactly(noun, own)
        if words[0] == "new" and not _ends_with_id(words) and (named or not (noun and noun[-1] in PEOPLE)):
            return True
        if creating and named and parameter.required and self._scalar_of(own, parameter.name):
            return True
        if not same:
            return False
        if not noun:
            elsewhere = self._by_vocabulary(parameter.name, route)
            if elsewhere is not None and elsewhere != own.name and parameter.name.lower() not in _TOO_COMMON:
                return False
            if creating:
                return True
            return elsewhere is None and not self._finds(route, parameter)
        if creating:
            return True
        if route.operation.method is Method.GET:
            return not identified or words[-1] in ("name", "names")
        if named and not _ends_with_id(words) and self._scalar_of(own, parameter.name):
            return True
        return any(self.resource_at.get(route.path[:number]) == own.name for number, _, _ in route.holes())

    def _credential(self, route: Route, parameter: Parameter) -> bool:
        """A user name beside its password logs in somewhere; it refers to nobody here."""
        words = name_words(parameter.name)
        if words[-1] not in ("username", "user", "login", "name", "email"):
            return False
        stem = words[:-2] if words[-2:] == ("user", "name") else words[:-1]
        siblings = {
            name_words(field.name)
            for field in self.catalogue.parameters(route)
            if field.ref.location is parameter.ref.location
        }
        return any((*stem, secret) in siblings for secret in _SECRETS)

    def _scalar_of(self, own: Known, name: str) -> bool:
        schema = properties_of(self.spec, own.schema).get(name)
        return schema is not None and not properties_of(self.spec, schema)

    def _finds(self, route: Route, parameter: Parameter) -> bool:
        """``DELETE /things?id=…``: the identity outside the path."""
        return (
            parameter.name.lower() in ("id", "ids", "uuid", "key", "name", "names")
            and route.operation.method in (Method.DELETE, Method.PUT, Method.PATCH)
            and not route.ends_with_parameter
            and parameter.ref.location is Location.QUERY
        )

    def _exactly(self, noun: Noun, known: Known) -> bool:
        return bool(noun) and (noun in known.nouns or noun == known.entity or noun[-1:] == known.entity[-1:] == noun)

    def _inside(self, known: Known, own: Known) -> bool:
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

    def _by_noun(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known | None, *, identified: bool, creating: bool
    ) -> Reference | None:
        if not noun:
            if self._finds(route, parameter) and own is not None:
                return Reference(parameter.ref, own.name, 0.7, f"finds one in {own.name}")
            home = self._linked_home(route, own) if own is not None and not creating else None
            if home is not None and home.name in self._vocabulary.get(parameter.name.lower(), ()):
                return Reference(parameter.ref, home.name, 0.65, f"identifies one in {home.name} elsewhere")
            return None
        if noun[-1] in GENERIC and not identified and not (own is not None and noun in own.nouns):
            return None
        if len(noun) > 1 and noun[-1] in _SHARED_ROLES and noun[-2] in _COLLECTIVES:
            noun = noun[:-1]  # team_reviewers are teams
        if noun[-1] in ATTRIBUTES and not identified and not (own is not None and noun in own.nouns):
            return None
        candidates = [
            known
            for known in self._by_last.get(noun[-1], ())
            if any(noun[-len(other) :] == other for other in known.nouns)
            and not (creating and own is not None and self._inside(known, own))
        ]
        weak = [
            known
            for known in self._weak.get(noun[-1], ())
            if known not in candidates and not (creating and own is not None and self._inside(known, own))
        ]
        for pool in (
            [known for known in candidates if self._reachable(known, route)],
            [known for known in candidates if noun in known.nouns],
            [known for known in weak if self._reachable(known, route)],
            candidates,
        ):
            best = self._nearest(pool, route, noun)
            if best is not None:
                sure = 0.85 if identified else 0.75
                return Reference(parameter.ref, best.name, sure, f"{parameter.name!r} names {best.name}")
        return None

    def _linked_home(self, route: Route, own: Known) -> Known | None:
        """Where the things live that an operation on a mere link puts in or takes out."""
        if route.operation.method is Method.GET or not own.entity:
            return None
        return self._home_of(own.entity, route)

    def _by_role(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known | None, *, identified: bool, creating: bool
    ) -> Reference | None:
        words = name_words(parameter.name)
        if self.people is None:
            return None
        role = (noun and noun[-1] in PEOPLE) or (len(words) > 1 and words[-1] == "by" and words[-2].endswith("ed"))
        if not role:
            return None
        if own is not None and own.name == self.people.name and (creating or self._scalar_of(own, parameter.name)):
            return None
        return Reference(
            parameter.ref, self.people.name, 0.75, f"{parameter.name!r} is a role that one in {self.people.name} has"
        )

    def _by_property(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known | None, *, identified: bool, creating: bool
    ) -> Reference | None:
        if own is None or not noun:
            return None
        known = self._property_entity(own.schema, "_".join(noun))
        if known is None or known.name == own.name:
            return None
        return Reference(
            parameter.ref, known.name, 0.75, f"one in {own.name} has {parameter.name!r}, which is in {known.name}"
        )

    def _by_word(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known | None, *, identified: bool, creating: bool
    ) -> Reference | None:
        words = name_words(parameter.name)
        if (
            own is not None
            and not creating
            and words[-1] in _CHECKSUMS
            and len(words) == 1
            and route.operation.method in (Method.PUT, Method.PATCH, Method.DELETE)
            and self._scalar_of(own, parameter.name)
        ):
            return Reference(parameter.ref, own.name, 0.65, f"the state of the one in {own.name} that is changed")
        for name in (parameter.name.lower(), words[-1]):
            if name in _TOO_COMMON or name not in self._vocabulary:
                continue
            found = self._by_vocabulary(name, route)
            if found is None or (
                creating and own is not None and (found == own.name or self._inside(self.resources[found], own))
            ):
                continue
            if found is not None:
                return Reference(parameter.ref, found, 0.65, f"{name!r} identifies {found} elsewhere")
        return None

    def _by_text(
        self, route: Route, parameter: Parameter, noun: Noun, own: Known | None, *, identified: bool, creating: bool
    ) -> Reference | None:
        for thing in named_things(parameter.description) if parameter.description else ():
            if not thing or thing[-1] in ATTRIBUTES or (own is not None and self._exactly(thing, own)):
                return None
            if own is not None and any(same_noun(thing, noun) for noun in own.nouns):
                return None
            reason = f"its description says {' '.join(thing)}"
            candidates = [
                known
                for known in self._by_last.get(thing[-1], ())
                if any(thing[-len(other) :] == other for other in known.nouns)
                and self._reachable(known, route)
                and not (creating and own is not None and self._inside(known, own))
            ]
            best = self._nearest(candidates, route, thing)
            if best is not None:
                return Reference(parameter.ref, best.name, 0.6, reason)
            if thing[-1] in PEOPLE and self.people is not None:
                return Reference(parameter.ref, self.people.name, 0.55, reason)
            if thing[-1] in self._vocabulary and thing[-1] not in _TOO_COMMON:
                found = self._by_vocabulary(thing[-1], route)
                if found is not None and (own is None or found != own.name):
                    return Reference(parameter.ref, found, 0.5, reason)
        return None


_SHARED_ROLES = frozenset(("reviewer", "assignee", "approver", "approval", "whitelist", "allowlist"))
_COLLECTIVES = frozenset(("team", "group", "organization", "department"))
_SECRETS = ("password", "token", "secret", "passwd")
_CHECKSUMS = ("sha", "hash", "checksum", "revision", "rev", "etag")
_OLD = ("old", "from", "source", "base", "previous", "prev", "original", "origin", "copy", "forked", "parent", "start")
_TOO_COMMON = frozenset(("id", "name", "index", "key", "number", "slug", "code", "type", "value", "title"))
_PLAIN_HEADERS = frozenset(
    ("authorization", "accept", "content-type", "if-match", "if-none-match", "x-request-id", "user-agent")
)


def _ends_with_id(words: tuple[str, ...]) -> bool:
    return bool(words) and words[-1] in ("id", "ids", "iid", "iids", "uuid", "uuids", "guid", "guids", "uid")
