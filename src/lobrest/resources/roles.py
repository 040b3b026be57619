"""Which operations make something new, and which list what is there."""

from __future__ import annotations

from dataclasses import dataclass

from lobrest.model.operation import Location, Method, OperationId
from lobrest.resources.answers import Kind, Shape
from lobrest.resources.catalogue import Catalogue, Path, Route
from lobrest.resources.words import (
    ACTING,
    ATTRIBUTES,
    CHANGING,
    CREATING,
    MAKING_SEGMENTS,
    READING,
    STRONG_CREATING,
    Noun,
    first_words,
    is_plural,
    noun_of,
    parameter_noun,
    same_noun,
    singular,
)
from lobrest.spec.template import name_words, word_set


@dataclass(frozen=True, slots=True)
class Role:
    """A decision about one operation: the collection it makes or lists something in, and why."""

    route: Route
    collection: Path
    confidence: float
    reason: str
    chosen: str = ""
    """The path parameter by which the client names what it creates."""


def listers(catalogue: Catalogue) -> dict[OperationId, Role]:
    """GET operations that list instances without needing their identity."""
    found: dict[OperationId, Role] = {}
    for route in catalogue.routes.values():
        if route.operation.method is Method.GET and route.path:
            verdict = _lists(catalogue, route)
            if verdict is not None:
                found[route.operation.id] = Role(route, route.path, *verdict)
    entities = _known_entities(catalogue, found)
    for route in catalogue.routes.values():
        if route.operation.method is Method.GET and route.operation.id not in found and route.path:
            last, shape = route.path[-1], catalogue.shape(route)
            if (
                shape.kind is Kind.OBJECT
                and shape.entity in entities
                and is_plural(last)
                and noun_of(last) == shape.entity
                and not shape.pointer
            ):
                reason = "a plural path that answers what is listed elsewhere; the document forgets the array"
                found[route.operation.id] = Role(route, route.path, 0.6, reason)
    return {identity: found[identity] for identity in catalogue.routes if identity in found}


def queries(catalogue: Catalogue) -> dict[OperationId, Role]:
    """POST operations that only list: ``POST /flows/filter``. They stand in where no GET lists."""
    found: dict[OperationId, Role] = {}
    for route in catalogue.posts:
        if not route.path or "{}" in route.path[-1] or len(route.path) < 2:
            continue
        words = name_words(route.path[-1])
        if words[:1] not in (("filter",), ("search",), ("query",), ("list",), ("find",)) or len(words) > 1:
            continue
        if catalogue.shape(route).kind is Kind.LIST:
            found[route.operation.id] = Role(route, route.path, 0.6, "lists what fits a filter in its body")
    return found


def _lists(catalogue: Catalogue, route: Route) -> tuple[float, str] | None:
    shape = catalogue.shape(route)
    last = route.path[-1]
    words = first_words(route.operation.summary or route.operation.description)
    says_list = _says_list(words, route.operation.operation_id) or _says_plural(words, last)
    if "{}" in last and last != "{}":
        return None
    if shape.kind is Kind.LIST:
        if last == "{}" and (_is_item(catalogue, route, shape) or not _plainly_list(shape, route)):
            return None
        return (0.95, "answers a list") if last != "{}" else (0.75, "answers a list for a given key")
    if last == "{}":
        return (0.65, "it is paged, for a given key") if _paged(route) else None
    has_items = _has_items(catalogue, route.path)
    paged = _paged(route)
    if shape.kind is Kind.OBJECT:
        same = has_items and _item_entity(catalogue, route.path) == shape.entity != ()
        if (same or says_list or paged) and is_plural(last) and (has_items or says_list or paged):
            return (
                0.7,
                "a plural path that is paged, whose items answer the same, or whose text says it lists",
            )
        return None
    if shape.kind is Kind.UNKNOWN:
        if last in ("all", "list"):
            return 0.6, "its path says that it lists"
        if paged and (has_items or is_plural(last)):
            return 0.8, "it is paged"
        if _verbal(last) and not says_list:
            return None
        if is_plural(last) and (has_items or says_list):
            return 0.8, "a plural path with items below it; the document does not show its answer"
        if (
            is_plural(last)
            and last.isalpha()
            and last not in ("logs", "stats", "statistics", "settings", "metrics")
        ):
            return 0.6, "a plural path; the document does not show its answer"
        if says_list and has_items:
            return 0.6, "its text says that it lists"
    return None


def _paged(route: Route) -> bool:
    """Do its query parameters ask for a piece of a list?"""
    return any(
        parameter.ref.location is Location.QUERY and parameter.ref.pointer.lower().strip("$") in _PAGING
        for parameter in route.operation.parameters
    )


_PAGING = word_set(
    "page size limit offset per_page page_size pagesize perpage cursor skip top page_token pagetoken"
)


def _plainly_list(shape: Shape, route: Route) -> bool:
    """Behind a parameter only an array, or an object that is called a list, is one."""
    if not shape.pointer or noun_of(shape.pointer)[-1:] in [noun_of(part)[-1:] for part in route.path]:
        return True
    schema = route.operation.success_schema() or {}
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return any(word in name for word in ("List", "Page", "Collection", "Results"))


def _says_list(words: tuple[str, ...], operation_id: str) -> bool:
    if words[:1] in (("list",), ("lists",)) or words[:2] in (
        ("get", "all"),
        ("returns", "all"),
        ("find", "all"),
    ):
        return True
    if "list" in words[:5] or "lists" in words[:5]:
        return True
    leading = name_words(operation_id)[:2]
    return leading[:1] == ("list",) or leading in (("get", "all"), ("find", "all"))


def _says_plural(words: tuple[str, ...], last: str) -> bool:
    """``Get the comments of a commit`` on ``…/comments``."""
    noun = noun_of(last)
    return (
        words[:1] != ()
        and words[0] in READING
        and bool(noun)
        and noun[-1] not in ATTRIBUTES
        and name_words(last)[-1] in words[1:6]
        and is_plural(last)
    )


def _is_item(catalogue: Catalogue, route: Route, shape: Shape) -> bool:
    """A list behind a parameter is still the item when the path before lists the same by no key."""
    noun = parameter_noun(route.name_at(len(route.path) - 1))
    if noun and noun == catalogue.literal_noun(route.path):
        return True
    above = catalogue.methods(route.path[:-1]).get(Method.GET)
    listed = catalogue.shape(above) if above is not None else None
    if listed is None or listed.kind is not Kind.LIST or listed.entity != shape.entity:
        return False
    return not noun or same_noun(noun, shape.entity) or same_noun(noun, catalogue.literal_noun(route.path))


def _has_items(catalogue: Catalogue, path: Path) -> bool:
    return "{}" in catalogue.children.get(path, ())


def _item_entity(catalogue: Catalogue, path: Path) -> Noun:
    for method in (Method.GET, Method.PUT, Method.PATCH):
        route = catalogue.methods((*path, "{}")).get(method)
        if route is not None:
            shape = catalogue.shape(route)
            if shape.entity:
                return shape.entity
    return ()


def _verbal(segment: str) -> bool:
    words = name_words(segment)
    return bool(words) and words[0] in ACTING and not is_plural(segment)


def creators(
    catalogue: Catalogue, listing: dict[OperationId, Role], doubts: set[OperationId] | None = None
) -> dict[OperationId, Role]:
    """POST operations that make a new instance; into ``doubts`` go those that were decided narrowly."""
    entities = _known_entities(catalogue, listing)
    found: dict[OperationId, Role] = {}
    plain = [r for r in catalogue.routes.values() if r.operation.method is Method.POST and r.path]
    # Collections first: a POST on an item creates only where the collection itself has no creator.
    for route in sorted(plain, key=lambda route: route.ends_with_parameter):
        role = (
            _creates_named(catalogue, route, found, entities)
            if route.ends_with_parameter
            else _creates(catalogue, route, listing, entities, doubts)
        )
        if (
            route.ends_with_parameter
            and doubts is not None
            and (role is not None or _verb_score(route)[0] > 0)
        ):
            doubts.add(route.operation.id)
        if role is not None:
            found[route.operation.id] = role
    held = {role.collection for role in (*found.values(), *listing.values())}
    for identity, role in list(found.items()):
        if role.chosen and _named_above(role, held):
            del found[identity]
    return {identity: found[identity] for identity in catalogue.routes if identity in found}


def _named_above(role: Role, held: set[Path]) -> bool:
    """``/products/{}/configurations/{}/features/{name}`` names one of ``/products/{}/features``."""
    scope, last = role.collection[:-1], role.collection[-1]
    return any((*scope[:length], last) in held for length in range(len(scope)))


def _known_entities(catalogue: Catalogue, listing: dict[OperationId, Role]) -> dict[Noun, set[Path]]:
    """Which entities are listed or can be got by identity, and in which collection."""
    known: dict[Noun, set[Path]] = {}
    for role in listing.values():
        entity = catalogue.shape(role.route).entity
        if entity:
            known.setdefault(entity, set()).add(role.collection)
    for route in catalogue.routes.values():
        if route.operation.method is Method.GET and route.ends_with_parameter:
            shape = catalogue.shape(route)
            if shape.entity and shape.kind is Kind.OBJECT:
                known.setdefault(shape.entity, set()).add(route.path[:-1])
    return known


def _verb_score(route: Route) -> tuple[int, str]:
    """What the text says: +2 it makes something, −2 it does something else, 0 nothing."""
    operation = route.operation
    for text in (operation.summary, operation.description):
        for word in first_words(text)[:1]:
            head = name_words(word)[:1] or ("",)
            if head[0] in STRONG_CREATING or word in STRONG_CREATING:
                return 2, f"its text says {word!r}"
            if head[0] in READING and "201" in operation.answers:
                continue  # a text copied from elsewhere: nothing is read with a POST that answers 201
            if head[0] in ACTING:
                weight = -4 if head[0] in READING else -3 if head[0] in CHANGING else -2
                return weight, f"its text says {word!r}"
            if head[0] in CREATING:
                return 1, f"its text says {word!r}"
        if text:
            break
    words = name_words(operation.operation_id)
    for word in words[:1]:
        if word in STRONG_CREATING:
            return 2, f"its operation id says {word!r}"
        if word in ACTING:
            return -2, f"its operation id says {word!r}"
    for word in words:
        if word in ("create", "add", "insert"):
            return 2, f"its operation id says {word!r}"
    answer = next(
        (
            a.description
            for status, a in operation.answers.items()
            if status.startswith("2") and a.description
        ),
        "",
    )
    head_words = first_words(answer)[:1]
    if head_words and head_words[0] in ("creates", "created", "adds", "forks", "create"):
        return (1, f"its answer says {head_words[0]!r}") if len(answer.split()) > 1 else (0, "")
    if words and words[0] in CREATING:
        return 1, f"its operation id says {words[0]!r}"
    return 0, ""


def _creates(
    catalogue: Catalogue,
    route: Route,
    listing: dict[OperationId, Role],
    entities: dict[Noun, set[Path]],
    doubts: set[OperationId] | None,
) -> Role | None:
    shape = catalogue.shape(route)
    last = route.path[-1]
    if "{}" in last:
        return None
    methods = catalogue.methods(route.path)
    getter = methods.get(Method.GET)
    collection = getter is not None and getter.operation.id in listing
    has_items = _has_items(catalogue, route.path)
    verb, verb_reason = _verb_score(route)
    score, reasons = 0.0, []

    def count(points: float, reason: str) -> None:
        nonlocal score
        score += points
        reasons.append(reason)

    if collection:
        count(2, "its path lists what is there")
    if has_items and _item_is_kept(catalogue, route.path):
        count(1.5, "its path has items below it")
    if shape.status == "201":
        count(1, "answers 201")
    words = name_words(last)
    if is_plural(last) and not _verbal(last) and not (len(words) > 1 and words[0] in ACTING):
        count(1, "a plural path")
    elif _making_below(catalogue, route, listing):
        count(2, f"{last!r} below a collection")
    elif _verb_only(last) and not collection and not has_items:
        count(-2, f"{last!r} is something one does")
    if words[:1] == ("add",) and len(words) > 1 and not has_items:
        count(-2, f"{last!r} adds to what is there")
    if shape.kind is Kind.NONE:
        count(-2, "answers nothing")
    if shape.kind is Kind.LIST and not collection and shape.status != "201":
        count(-1.5, "answers a list")
    elif (
        shape.kind is Kind.LIST
        and shape.pointer == ""
        and shape.entity != _item_entity(catalogue, route.path)
    ):
        count(-0.5, "answers a list")
    if shape.kind is Kind.SCALAR and not collection:
        count(-1, "answers a bare value")
    owner = _owner_entity(catalogue, route.path)
    if shape.entity and shape.kind is Kind.OBJECT:
        if _is_owner(shape.entity, owner):
            if verb < 2 and not _copies(route):
                count(-2.5, "answers the thing it is done to")
            else:
                count(1, "answers a new thing of the same kind as the one it starts from")
        elif shape.entity in entities:
            elsewhere = (
                shape.status == "201"
                and not _within(entities[shape.entity], route.path)
                and any(_item_is_kept(catalogue, one) for one in entities[shape.entity])
            )
            named = set(noun_of(last)) & set(shape.entity)
            if (
                elsewhere
                and not named
                and not _HARD & {*name_words(last), *first_words(route.operation.summary)[:1]}
            ):
                count(5, f"answers 201 with a {' '.join(shape.entity)}, which is kept elsewhere")
            else:
                count(1.5, f"answers a {' '.join(shape.entity)}")
    if verb:
        count(verb, verb_reason)
    if doubts is not None and 0 <= score < 3:
        doubts.add(route.operation.id)
    if score < 1.5:
        return None
    if verb < 0 and not (collection or has_items) and shape.status != "201":
        return None
    if _links_only(catalogue, route):
        return None
    return Role(route, route.path, min(0.99, 0.5 + score / 12), "; ".join(reasons))


_HARD = word_set(
    "login logout signin authenticate authorize refresh verify validate search query count check preview"
    " find test"
)


def _making_below(catalogue: Catalogue, route: Route, listing: dict[OperationId, Role]) -> bool:
    """``/departments/save``: a verb of making right below what it makes one of."""
    last, above = route.path[-1], route.path[:-1]
    if last not in MAKING_SEGMENTS or not above or "{}" in above[-1]:
        return False
    getter = catalogue.methods(above).get(Method.GET)
    return (getter is not None and getter.operation.id in listing) or _item_is_kept(catalogue, above)


def _within(collections: set[Path], path: Path) -> bool:
    """Is one of the collections above the path, or the path itself?"""
    return any(path[: len(one)] == one for one in collections)


def _links_only(catalogue: Catalogue, route: Route) -> bool:
    """A POST that puts existing things in (labels of an issue): others make them, from other fields."""
    entity = _collection_entity(catalogue, route)
    mine = _top_fields(catalogue, route)
    if not entity or not mine:
        return False
    makers = [
        other
        for other in catalogue.posts_of(entity)
        if other is not route
        and other.path.count("{}") <= route.path.count("{}")
        and other.path[: len(route.path)] != route.path
    ]
    if not makers:
        return False
    return all(not mine & _top_fields(catalogue, other) for other in makers)


def _top_fields(catalogue: Catalogue, route: Route) -> set[str]:
    """Names of the fields of the body, or of its elements where it is an array."""
    names = {field.ref.pointer.removeprefix("*/") for field in catalogue.fields.of(route.operation)}
    return {name for name in names if "/" not in name and name != "*"}


def _collection_entity(catalogue: Catalogue, route: Route) -> Noun:
    getter = catalogue.methods(route.path).get(Method.GET)
    if getter is not None and catalogue.shape(getter).kind is Kind.LIST:
        return catalogue.shape(getter).entity
    return ()


def _item_is_kept(catalogue: Catalogue, path: Path) -> bool:
    methods = catalogue.methods((*path, "{}"))
    return any(m in methods for m in (Method.GET, Method.PUT, Method.PATCH, Method.DELETE))


def _verb_only(segment: str) -> bool:
    words = name_words(segment)
    if not words:
        return False
    undone = words[0].startswith("un") and words[0][2:] in ACTING
    return undone or words[0] in ACTING or (len(words) == 1 and words[0] in CREATING - STRONG_CREATING)


def _copies(route: Route) -> bool:
    """Fork, copy, clone: the answer is of the same kind, yet another thing."""
    words = {*name_words(route.path[-1]), *first_words(route.operation.summary)[:2]}
    return bool(
        {singular(word) for word in words} & {"fork", "clone", "copy", "duplicate", "generate", "instantiate"}
    )


def _owner_entity(catalogue: Catalogue, path: Path) -> Noun:
    """The entity of the item that the path goes through last."""
    for length in range(len(path), 0, -1):
        if path[length - 1] == "{}":
            start = length
            for method in (Method.GET, Method.PATCH, Method.PUT):
                route = catalogue.methods(path[:start]).get(method)
                if route is not None:
                    entity = catalogue.shape(route).entity
                    if entity:
                        return entity
            return catalogue.literal_noun(path[: length - 1])
    return ()


def _is_owner(entity: Noun, owner: Noun) -> bool:
    if not owner:
        return False
    return same_noun(entity, owner) or (len(owner) > 1 and entity[: len(owner)] == owner)


def _creates_named(
    catalogue: Catalogue, route: Route, found: dict[OperationId, Role], entities: dict[Noun, set[Path]]
) -> Role | None:
    """A POST whose last segment is a parameter: it names the new thing, or says where the new thing goes."""
    above = route.path[:-1]
    shape = catalogue.shape(route)
    verb, verb_reason = _verb_score(route)
    name = route.name_at(len(route.path) - 1)
    noun = parameter_noun(name)
    creator_above = any(
        role.collection == above and not role.chosen and role.route.path == above for role in found.values()
    )
    getter = catalogue.methods(route.path).get(Method.GET)
    if getter is not None and catalogue.shape(getter).kind is Kind.LIST:
        # GET and POST /statuses/{sha}: the parameter says where; the list there is the collection.
        if verb >= 1 or shape.status == "201":
            return Role(route, route.path, 0.8, f"{verb_reason or 'answers 201'}; the same path lists them")
        return None
    entity_elsewhere = (
        shape.entity and noun and not same_noun(noun, shape.entity) and shape.entity in entities
    )
    if (
        entity_elsewhere
        and verb >= 1
        and not _is_owner(shape.entity, _owner_entity(catalogue, route.path[:-1]))
    ):
        return Role(route, route.path, 0.75, f"{verb_reason}; answers a {' '.join(shape.entity)}")
    if (
        getter is None
        and shape.status == "201"
        and verb >= 0
        and shape.entity in entities
        and same_noun(catalogue.literal_noun(above), shape.entity)
        and not _is_owner(shape.entity, _owner_entity(catalogue, above))
        and len(catalogue.methods(route.path)) == 1
    ):
        return Role(route, route.path, 0.65, f"answers 201 with a {' '.join(shape.entity)}, for a given key")
    if (creator_above and verb < 2) or verb < 0 or _verbal(above[-1] if above else ""):
        return None
    if verb < 1 and shape.status != "201":
        return None
    if shape.kind is Kind.NONE and verb < 2:
        return None
    parameter = catalogue.path_parameter(route, name)
    kinds = parameter.schema.get("type") if parameter is not None else None
    if kinds == "integer" or (parameter is not None and parameter.schema.get("format") == "uuid"):
        return None
    methods = catalogue.methods(route.path)
    lasting = any(m in methods for m in (Method.GET, Method.DELETE, Method.PUT, Method.PATCH))
    if not lasting:
        return None
    return Role(
        route, above, 0.8, f"{verb_reason or 'answers 201'}; its last parameter names the new thing", name
    )


def put_creators(catalogue: Catalogue, made: dict[OperationId, Role]) -> dict[OperationId, Role]:
    """PUT operations on an item that a client names, where nothing else makes such items."""
    with_creator = {role.collection for role in made.values()}
    found: dict[OperationId, Role] = {}
    for route in catalogue.routes.values():
        if route.operation.method is not Method.PUT or not route.ends_with_parameter or len(route.path) < 2:
            continue
        above = route.path[:-1]
        if above in with_creator or above[-1] == "{}":
            continue
        name = route.name_at(len(route.path) - 1)
        parameter = catalogue.path_parameter(route, name)
        if parameter is None or parameter.schema.get("type") == "integer" or name.lower() == "id":
            continue
        operation = route.operation
        answered = {status for status in operation.answers if status.startswith("2")}
        text = f"{operation.summary} {operation.description}".lower()
        says = "create" in text or "add " in text or "upsert" in text
        if not (says or "201" in answered):
            continue
        noun = parameter_noun(name)
        if noun and not same_noun(noun, catalogue.literal_noun(above)) and noun_of(name) != noun:
            continue  # PUT /members/{username}: what is named exists already
        if _lives_elsewhere(catalogue, above):
            continue
        reason = "creates or replaces under a name the client chooses, and nothing else makes these"
        found[operation.id] = Role(route, above, 0.6, reason, name)
    return found


def _lives_elsewhere(catalogue: Catalogue, path: Path) -> bool:
    """Does the list at a path show things that can be got, by an identity of theirs, somewhere else?"""
    getter = catalogue.methods(path).get(Method.GET)
    entity = catalogue.shape(getter).entity if getter is not None else ()
    if not entity:
        return False
    for route in catalogue.routes.values():
        if route.operation.method in (Method.GET, Method.PATCH) and route.ends_with_parameter:
            shape = catalogue.shape(route)
            if shape.kind is Kind.OBJECT and shape.entity == entity and route.path[: len(path)] != path:
                return True
    return False
