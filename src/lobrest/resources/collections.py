"""Places in the path space that hold the same kind of thing, put together into resources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from lobrest.model.operation import Method, OperationId
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import Kind
from lobrest.resources.catalogue import Catalogue, Path, Route
from lobrest.resources.roles import Role
from lobrest.resources.words import ACTING, CREATING, VIEWS, Noun, is_plural, noun_of, same_noun
from lobrest.spec.template import name_words


@dataclass(slots=True, eq=False)
class Place:
    """A path that lists or makes things, or (``real`` false) only one below which items are."""

    path: Path
    noun: Noun
    real: bool
    entity: Noun = ()
    listers: list[OperationId] = field(default_factory=list)
    creators: list[OperationId] = field(default_factory=list)
    items: list[Route] = field(default_factory=list)
    """What can be done with one item, directly."""
    identity_start: int = 0
    """Where the run of parameters that identifies an item begins."""

    @property
    def needs(self) -> int:
        """How many identities the path asks for."""
        return sum(segment.count("{}") for segment in self.path)

    links: bool = False
    """Are items only put in and taken out, not made or changed: members, starred, blocked?"""


class Places:
    """All places, and which of them are one resource."""

    def __init__(
        self, catalogue: Catalogue, listing: dict[OperationId, Role], making: dict[OperationId, Role]
    ) -> None:
        self.catalogue = catalogue
        self.places: dict[Path, Place] = {}
        self._parent: dict[Path, Path] = {}
        self._kept: dict[Path, bool] = {}
        """By representative: is a place with items among them?"""
        self._seen: dict[Path, bool] = {}
        """By representative: is a place that lists or creates among them?"""
        for identity, role in listing.items():
            place = self._place(role.collection)
            place.listers.append(identity)
            place.entity = place.entity or catalogue.shape(role.route).entity
        for identity, role in making.items():
            place = self._place(role.collection)
            place.creators.append(identity)
            shape = catalogue.shape(role.route)
            if shape.kind is Kind.OBJECT and not place.listers:
                place.entity = place.entity or shape.entity
        self._attach_items(listing, making)
        self._by_last: dict[str, list[Place]] = defaultdict(list)
        self._by_entity: dict[Noun, list[Place]] = defaultdict(list)
        for place in self.places.values():
            self._kept[place.path], self._seen[place.path] = bool(place.items), place.real
            if place.noun:
                self._by_last[place.noun[-1]].append(place)
            if place.entity:
                self._by_entity[place.entity].append(place)
        self._find_links()
        self._merge()

    def _place(self, path: Path) -> Place:
        place = self.places.get(path)
        if place is None:
            place = self.places[path] = Place(path, self.noun(path), real=True)
        place.real = True
        return place

    def noun(self, path: Path) -> Noun:
        """What a path's items are called: its last literal that is no verb or view."""
        end = len(path)
        while end > 0 and "{}" in path[end - 1]:
            end -= 1
        for position in range(end - 1, -1, -1):
            segment = path[position]
            if "{}" in segment:
                break
            words = name_words(segment)
            verbal = len(words) == 1 and (words[0] in VIEWS or words[0] in ACTING or words[0] in CREATING)
            holds = is_plural(segment) and "{}" in self.catalogue.children.get(path[: position + 1], ())
            skipped = position < end - 1
            if skipped and not is_plural(segment) and not self.catalogue.methods(path[: position + 1]):
                break  # /admin/archive: what is archived is no admin
            if words and (not verbal or holds):
                return noun_of(segment)
        last = path[end - 1] if end else ""
        # A way of looking (/list, /search) that stands alone names nothing.
        return () if last in VIEWS and not is_plural(last) else noun_of(last)

    def _attach_items(self, listing: dict[OperationId, Role], making: dict[OperationId, Role]) -> None:
        for identity, route in self.catalogue.routes.items():
            if not route.ends_with_parameter or identity in listing:
                continue
            if route.operation.method is Method.POST:
                continue
            if identity in making and not making[identity].chosen:
                continue
            start = len(route.path) - 1
            above = route.path[:start]
            if above not in self.places or not self.places[above].real:
                while start > 0 and route.path[start - 1] == "{}" and route.path[:start] not in self.places:
                    start -= 1
                above = route.path[:start]
            if not above:
                continue
            place = self.places.get(above)
            if place is None:
                place = self.places[above] = Place(above, self.noun(above), real=False)
            place.items.append(route)
            place.identity_start = start
            shape = self.catalogue.shape(route)
            if shape.kind is Kind.OBJECT and shape.entity and route.operation.method is not Method.DELETE:
                place.entity = place.entity or shape.entity

    def _find_links(self) -> None:
        for place in self.places.values():
            methods = {route.operation.method for route in place.items}
            if not methods or place.creators or Method.PATCH in methods:
                continue
            if not place.entity:
                bare = all(
                    r.operation.method is Method.DELETE
                    or (r.operation.method is Method.PUT and r.operation.body is None)
                    for r in place.items
                )
                place.links = bare and any(
                    other is not place
                    and other.noun == place.noun
                    and len(other.path) < len(place.path)
                    and _beside(place, other)
                    and (other.creators or any(r.operation.method is not Method.DELETE for r in other.items))
                    for other in self._called(place.noun)
                )
                continue
            place.links = any(
                other is not place
                and (
                    other.creators
                    or any(r.operation.method in (Method.GET, Method.PATCH) for r in other.items)
                )
                and same_noun(other.noun, place.entity)
                and not (same_noun(place.noun, place.entity) and place.needs <= other.needs)
                for other in self._by_entity[place.entity]
            )

    # Which places are one resource.

    def find(self, path: Path) -> Path:
        """The representative of a place's resource."""
        while self._parent.get(path, path) != path:
            path = self._parent[path]
        return path

    def _union(self, child: Path, parent: Path) -> None:
        above, below = self.find(parent), self.find(child)
        if above != below:
            self._parent[below] = above
            self._kept[above] = self._kept[above] or self._kept[below]
            self._seen[above] = self._seen[above] or self._seen[below]

    def _merge(self) -> None:
        self._merge_views()
        self._merge_twins()
        self._merge_copies()
        self._merge_headless()
        self._merge_makers()
        self._merge_by_noun()
        self._merge_by_entity()
        self._merge_barren()

    def _merge_views(self) -> None:
        """``/users/search``, ``/employees/save``: another way into the place above."""
        for place in self._real():
            last = place.path[-1]
            if place.items:
                continue
            above = self._same_above(place)
            if above is not None:
                self._union(place.path, above.path)
            if "{}" in last:
                continue
            words = name_words(last)
            if len(words) != 1 or not (words[0] in VIEWS or words[0] in ACTING):
                continue
            above = self.places.get(place.path[:-1])
            if above is not None and _compatible(above.entity, place.entity):
                self._union(place.path, above.path)

    def _same_above(self, place: Place) -> Place | None:
        """``/automations/related-to/{}`` lists what ``/automations`` holds, by another key."""
        for length in range(len(place.path) - 1, 0, -1):
            above = self.places.get(place.path[:length])
            if above is not None and above.real:
                literal = "{}" not in place.path[length]
                return above if literal and place.entity and above.entity == place.entity else None
        return None

    def _merge_twins(self) -> None:
        """``/person`` and ``/persons`` side by side."""
        seen: dict[tuple[Path, Noun], Path] = {}
        for place in self.places.values():
            if "{}" in place.path[-1] or noun_of(place.path[-1]) != place.noun:
                continue
            twin = seen.setdefault((place.path[:-1], place.noun), place.path)
            if twin != place.path and _compatible(self.places[twin].entity, place.entity):
                self._union(place.path, twin)

    def _merge_copies(self) -> None:
        """A collection at a given key (``/times/{user}``) beside the whole one."""
        for place in self._real():
            if place.path[-1] != "{}":
                continue
            above = self.places.get(place.path[:-1])
            if above is not None and above.real and place.entity and above.entity == place.entity:
                self._union(place.path, above.path)

    def _merge_headless(self) -> None:
        """Items below a path without operations, made by its literal children: ``/constraints/requires``."""
        for place in list(self.places.values()):
            if place.real:
                continue
            makers = [
                other
                for segment in sorted(self.catalogue.children.get(place.path, ()))
                if (other := self.places.get((*place.path, segment))) is not None
                and other.real
                and other.creators
                and not other.items
                and not other.listers
            ]
            if makers and "{}" not in place.path[-1]:
                for maker in makers:
                    self._union(maker.path, place.path)

    def _merge_makers(self) -> None:
        """A creator that answers things which live elsewhere: ``POST /user/repos``, ``POST /cart/pay``."""
        for place in self._real():
            if not place.creators or place.items or "{}" in place.path[-1][:-2] or self._grouped(place):
                continue
            candidates = {
                id(one): one for one in (*self._by_entity[place.entity], *self._called(place.entity))
            }
            if place.noun:
                candidates.update({id(one): one for one in self._called(place.noun)})
            home = self._best(
                place,
                (
                    home
                    for home in candidates.values()
                    if home.items
                    and not home.links
                    and home.path != place.path
                    and (
                        _same_entity(home.entity, place.entity)
                        or home.noun == place.entity
                        or (
                            home.noun == place.noun
                            and not (home.entity and place.entity)
                            and _beside(place, home)
                        )
                    )
                ),
                strict=True,
            )
            if home is not None:
                self._union(place.path, home.path)

    def _merge_barren(self) -> None:
        """Items that nothing makes where they are kept (``/issues/comments/{id}``), made a level deeper."""
        made = {self.find(place.path) for place in self.places.values() if place.creators}
        for home in self.places.values():
            if not home.items or home.links or not home.entity or self.find(home.path) in made:
                continue
            makers = [
                place
                for place in self._by_entity[home.entity]
                if place.creators and place.noun == home.noun and self._addressable(place, home)
            ]
            best = self._best(home, makers, strict=False)
            if best is not None:
                self._union(best.path, home.path)

    def _merge_by_noun(self) -> None:
        """Lists of the same noun and entity: ``/user/orgs``, ``/admin/orgs`` and ``/orgs``."""
        for place in list(self.places.values()):
            if place.real and place.items and not place.links:
                continue
            if self.find(place.path) != place.path and place.real:
                continue
            candidates = [
                other
                for other in self._called(place.noun)
                if self.find(other.path) != self.find(place.path)
                and (other.items or not place.real)
                and not other.links
                and (other.noun == place.noun or (not place.real and same_noun(other.noun, place.noun)))
                and _compatible(other.entity, place.entity)
                and ((other.entity and place.entity) or not place.real or _beside(place, other))
            ]
            best = self._best(place, candidates, strict=place.real)
            if best is not None:
                self._union(place.path, best.path)

    def _merge_by_entity(self) -> None:
        """Items at a path of their own whose list has another name: ``/notifications/threads/{id}``."""
        for place in list(self.places.values()):
            if place.real or not place.entity or self._has_real(place.path):
                continue
            candidates = [other for other in self._by_entity[place.entity] if other.real and not other.links]
            best = self._best(place, candidates, strict=False)
            if best is not None:
                self._union(place.path, best.path)

    def _grouped(self, place: Place) -> bool:
        """Is it already together with a place that has items?"""
        return self._kept[self.find(place.path)]

    def _has_real(self, path: Path) -> bool:
        return self._seen[self.find(path)]

    def _best(self, place: Place, candidates: Iterable[Place], *, strict: bool) -> Place | None:
        """The candidate whose items can be addressed from here; then by nearness and simplicity."""
        ranked = []
        for other in candidates:
            if strict and not self._addressable(place, other):
                continue
            shared = _common(place.path, other.path)
            ranked.append(
                (
                    not self._addressable(place, other),
                    not same_noun(other.noun, place.entity or place.noun),
                    other.links,
                    -shared,
                    not other.real,
                    other.needs,
                    len(other.path),
                    other.path,
                    other,
                )
            )
        return min(ranked)[-1] if ranked else None

    def _addressable(self, place: Place, home: Place) -> bool:
        """Can an item of ``home`` be addressed with what a request to ``place`` and its answer tell?"""
        before = home.path[: home.identity_start or len(home.path)]
        needed = sum(segment.count("{}") for segment in before)
        if not needed:
            return True
        given = place.path
        position = 0
        # The identities that home's path asks for must be asked for here too, under the same literals.
        for index, segment in enumerate(before):
            if "{}" in segment:
                literal = before[index - 1] if index else ""
                for at in range(position, len(given)):
                    if "{}" in given[at] and (given[at - 1] if at else "") == literal:
                        position = at + 1
                        break
                else:
                    return False
        return True

    def _called(self, noun: Noun) -> list[Place]:
        """Places whose noun ends as this one does."""
        return self._by_last.get(noun[-1], []) if noun else []

    def _real(self) -> list[Place]:
        return [place for place in self.places.values() if place.real]

    def groups(self) -> dict[Path, list[Place]]:
        """Places by their resource's representative."""
        found: dict[Path, list[Place]] = defaultdict(list)
        for place in self.places.values():
            found[self.find(place.path)].append(place)
        return found


def _common(left: Path, right: Path) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _beside(place: Place, home: Place) -> bool:
    """Does the place lie below where the home lies: ``/data/projects/{}/assets`` and ``/data/assets``?"""
    return len(home.path) < len(place.path) and place.path[: len(home.path) - 1] == home.path[:-1]


def _same_entity(left: Noun, right: Noun) -> bool:
    return bool(left) and bool(right) and left == right


def _compatible(left: Noun, right: Noun) -> bool:
    """Could these be one entity? An unknown one could."""
    return not left or not right or same_noun(left, right)


def name_of(group: list[Place], catalogue: Catalogue) -> ResourceName | None:
    """The path a resource is called by: that of its plainest creator and lister."""
    real = [place for place in group if place.real]
    if not real:
        return None
    headless = [place for place in group if not place.real]
    children = [place for place in real if any(place.path[:-1] == above.path for above in headless)]
    if headless and len(children) == len(real) and len(real) > 1:
        return ResourceName(catalogue.template[headless[0].path])

    entity = next(
        (place.entity for place in group if place.entity and same_noun(place.noun, place.entity)), ()
    )

    def plainness(place: Place) -> tuple[object, ...]:
        kept = bool(place.items) and not place.links
        offers = 2 * kept + bool(place.creators) + bool(place.listers)
        proper = not entity or same_noun(place.noun, entity)
        return (-offers, not proper, place.needs, len(place.path), place.path)

    return ResourceName(catalogue.template[min(real, key=plainness).path])
