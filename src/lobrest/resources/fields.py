"""Which resource a query, header, cookie or body parameter refers to, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from lobrest.model.operation import Location, Method, OperationId, Parameter, ParameterRef
from lobrest.model.resource import ResourceName
from lobrest.resources.answers import named_part
from lobrest.resources.catalogue import Route
from lobrest.resources.landscape import Known, Landscape, Reference
from lobrest.resources.texts import named_things
from lobrest.resources.words import (
    ATTRIBUTES,
    DATES,
    GENERIC,
    PEOPLE,
    Noun,
    entity_noun,
    noun_of,
    parameter_noun,
    same_noun,
)
from lobrest.spec.fields import array_items, parts, types
from lobrest.spec.template import name_words, word_set

_FROM: Final = re.compile(r"\b(from|based on|existing|source)\b", re.IGNORECASE)
_SHARED_ROLES: Final = word_set("reviewer assignee approver approval whitelist allowlist")
_COLLECTIVES: Final = word_set("team group organization department")
_SECRETS: Final = word_set("password token secret passwd")
_CONTROLS: Final = word_set(
    "limit offset page size count cursor sort order q query search fields include expand per"
)
"""Words of parameters that say how to answer, not about what."""
_CHECKSUMS: Final = word_set("sha hash checksum revision rev etag")
_EARLIER: Final = word_set("old from source base previous prev original origin copy forked parent start")
_NAMING: Final = word_set("login slug title key code email")
_TOO_COMMON: Final = word_set("id name index key number slug code type value title")
_ID_WORDS: Final = word_set("id ids iid iids uuid uuids guid guids uid")
_FINDING: Final = word_set("id ids uuid key name names")
_NO_IDENTITY_FORMATS: Final = word_set("date date-time time binary password byte")
_PLAIN_HEADERS: Final = word_set(
    "authorization accept content-type if-match if-none-match x-request-id user-agent"
)


@dataclass(frozen=True, slots=True)
class _Question:
    """One parameter, with what the evidence functions need to know about it."""

    route: Route
    parameter: Parameter
    words: tuple[str, ...]
    noun: Noun
    own: Known | None
    """The resource that the operation itself makes, lists or changes."""
    creating: bool
    identified: bool
    """Does the name say that it is an identity: ``user_id``, ``branch_name``?"""
    outside: Known | None
    """What lives inside this one cannot be meant: it is only being made, or listed."""

    @property
    def method(self) -> Method:
        return self.route.operation.method

    def answer(self, resource: ResourceName, confidence: float, reason: str) -> Reference:
        return Reference(self.parameter.ref, resource, confidence, reason)


def field_references(land: Landscape, known: dict[ParameterRef, Reference]) -> dict[ParameterRef, Reference]:
    """The resources of all parameters that are not in the path, as far as there is evidence."""
    reader = _FieldReader(land)
    found: dict[ParameterRef, Reference] = {}
    silent: list[tuple[Route, Parameter]] = []
    for route in land.catalogue.routes.values():
        for parameter in land.catalogue.parameters(route):
            if parameter.ref.location is Location.PATH or parameter.ref in known:
                continue
            reference = reader.read(route, parameter)
            if reference is not None:
                found[parameter.ref] = reference
            elif parameter.ref.location is Location.BODY:
                silent.append((route, parameter))
    reader.carry_over(found, silent)
    return found


class _FieldReader:
    def __init__(self, land: Landscape) -> None:
        self._land = land
        self._holders: dict[tuple[OperationId, str], Parameter] = {}

    def read(self, route: Route, parameter: Parameter) -> Reference | None:
        if not self._could_refer(parameter):
            return None
        nested = self._embedded(route, parameter)
        if nested is not None:
            return nested
        if "/" in parameter.ref.pointer.removesuffix("/*") and not _says_identity(parameter):
            return None
        question = self._question(route, parameter)
        if question is None or self._credential(question) or self._about_itself(question):
            return None
        own = question.own
        if question.words[0] == "parent" and own is not None and question.words[1:] in ((), ("id",)):
            return question.answer(own.name, 0.8, f"the parent of one in {own.name}")
        for evidence in (self._by_noun, self._by_role, self._by_property, self._by_word, self._by_text):
            reference = evidence(question)
            if reference is not None:
                return reference
        return None

    def carry_over(self, found: dict[ParameterRef, Reference], silent: list[tuple[Route, Parameter]]) -> None:
        """A field without evidence of its own means what it means when such a thing is made."""
        meant: dict[tuple[ResourceName, str], Reference] = {}
        for ref, reference in found.items():
            if ref.location is Location.BODY and ref.operation in self._land.making:
                own = self._land.own(self._land.catalogue.routes[ref.operation])
                if own is not None:
                    meant.setdefault((own.name, ref.pointer), reference)
        for route, parameter in silent:
            own = self._land.own(route)
            if own is None or route.operation.method not in (Method.PUT, Method.PATCH):
                continue
            known = meant.get((own.name, parameter.ref.pointer))
            if known is not None and self._could_refer(parameter):
                reason = f"as in {known.parameter.operation}"
                found[parameter.ref] = Reference(parameter.ref, known.resource, 0.6, reason)

    def _question(self, route: Route, parameter: Parameter) -> _Question | None:
        if parameter.ref.pointer.endswith("/*") and not parameter.description:
            holder = self._holder(route, parameter.ref.pointer.removesuffix("/*"))
            if holder is not None:
                parameter = replace(parameter, description=holder.description, required=holder.required)
        words = name_words(parameter.name)
        if (
            not words
            or words[-1] in _SECRETS
            or words[-1] in _CONTROLS
            or words[0] in _CONTROLS
            or words[-1] in DATES
        ):
            return None
        identity = route.operation.id
        own = self._land.own(route)
        noun = parameter_noun(parameter.name)
        if not noun and own is not None and noun_of(parameter.name) in own.nouns:
            noun = noun_of(parameter.name)
        creating = identity in self._land.making or identity in self._land.putting
        return _Question(
            route=route,
            parameter=parameter,
            words=words,
            noun=noun,
            own=own,
            creating=creating,
            identified=(bool(noun) and len(noun) < len(noun_of(parameter.name))) or _ends_with_id(words),
            outside=own if creating or identity in self._land.listing else None,
        )

    def _could_refer(self, parameter: Parameter) -> bool:
        """Can a value of this type be an identity at all?"""
        spec, schema = self._land.spec, parameter.schema
        items = array_items(spec, schema)
        if items is not None:
            if parameter.ref.location is Location.BODY:
                return False  # its items are fields of their own
            schema = items
        kinds: set[str] = set()
        for part in parts(spec, schema):
            kinds.update(types(part))
            if "properties" in part or "enum" in part or part.get("format") in _NO_IDENTITY_FORMATS:
                return False
        if kinds and not kinds & {"string", "integer"}:
            return False
        if "boolean" in kinds or "object" in kinds:
            return False
        return not (parameter.ref.location is Location.HEADER and parameter.name.lower() in _PLAIN_HEADERS)

    def _embedded(self, route: Route, parameter: Parameter) -> Reference | None:
        """``department/departmentId``: the identity inside an embedded copy of another thing."""
        above, _, key = parameter.ref.pointer.rpartition("/")
        if parameter.ref.location is not Location.BODY or not above or key == "*":
            return None
        holder = self._holder(route, above)
        if holder is None:
            return None
        label = named_part(holder.schema)
        entity = entity_noun(label) if label else parameter_noun(holder.name)
        named = parameter_noun(key) == entity and _ends_with_id(name_words(key))
        if key.lower() not in ("id", "uuid", "_id", "guid") and not named:
            return None
        known = self._land.home_of(entity, route) or self._land.named(parameter_noun(holder.name), route)
        own = self._land.own(route)
        making_it = own is not None and known is own and route.operation.id in self._land.making
        if known is None or making_it:
            return None
        return Reference(parameter.ref, known.name, 0.8, f"the identity of the embedded {' '.join(entity)}")

    def _holder(self, route: Route, pointer: str) -> Parameter | None:
        key = (route.operation.id, pointer)
        if key not in self._holders:
            for field in self._land.catalogue.fields.of(route.operation):
                self._holders[route.operation.id, field.ref.pointer] = field
        return self._holders.get(key)

    def _about_itself(self, question: _Question) -> bool:
        """Does the field describe the very thing the operation is about, rather than refer to another?"""
        own, words, noun, name = question.own, question.words, question.noun, question.parameter.name
        if own is None or (words[0] in _EARLIER and len(words) > 1):
            return False
        naming = words[-1].endswith("name") or words[-1] in _NAMING
        person = bool(noun) and noun[-1] in PEOPLE
        if words[0] == "new" and not _ends_with_id(words) and (naming or not person):
            return True
        if question.creating and naming and question.parameter.required and self._land.scalar_of(own, name):
            return True
        if not noun:
            return len(words) == 1 and self._plain_identity(question, own)
        if not self._land.exactly(noun, own):
            return False
        if question.creating:
            return True
        if question.method is Method.GET:
            return not question.identified or words[-1] in ("name", "names")
        if naming and not _ends_with_id(words) and self._land.scalar_of(own, name):
            return True
        # On the item itself it is the item's own identity; below it (/share) it is another one's.
        route = question.route
        return route.ends_with_parameter and any(
            self._land.resource_at.get(route.path[:number]) == own.name for number, _, _ in route.holes()
        )

    def _plain_identity(self, question: _Question, own: Known) -> bool:
        """A bare ``id``, ``name``, ``sha``: the thing's own unless it is known to identify others."""
        name = question.parameter.name
        open_to_text = name.lower() == "ref" or (name.lower() == "path" and not question.creating)
        if open_to_text and question.parameter.description:
            return False  # its description may say of what
        elsewhere = self._land.by_vocabulary(name, question.route)
        if elsewhere is not None and elsewhere != own.name and name.lower() not in _TOO_COMMON:
            return False
        return question.creating or (elsewhere is None and not _finds(question))

    def _credential(self, question: _Question) -> bool:
        """A user name beside its password logs in somewhere; it refers to nobody here."""
        words = question.words
        if words[-1] not in ("username", "user", "login", "name", "email"):
            return False
        stem = words[:-2] if words[-2:] == ("user", "name") else words[:-1]
        location = question.parameter.ref.location
        siblings = {
            name_words(field.name)
            for field in self._land.catalogue.parameters(question.route)
            if field.ref.location is location
        }
        return any((*stem, secret) in siblings for secret in _SECRETS)

    def _allowed(self, question: _Question, known: Known) -> bool:
        return question.outside is None or not self._land.inside(known, question.outside)

    def _by_noun(self, question: _Question) -> Reference | None:
        noun, own, name = question.noun, question.own, question.parameter.name
        if not noun:
            return self._bare(question)
        about_own = own is not None and noun in own.nouns
        if noun[-1] in GENERIC and not question.identified and not about_own:
            return None
        if len(noun) > 1 and noun[-1] in _SHARED_ROLES and noun[-2] in _COLLECTIVES:
            noun = noun[:-1]  # team_reviewers are teams
        if noun[-1] in ATTRIBUTES and not question.identified and not about_own:
            return None
        called = [known for known in self._land.called(noun) if self._allowed(question, known)]
        weak = [
            known
            for known in self._land.weak.get(noun[-1], ())
            if known not in called and self._allowed(question, known)
        ]
        reachable = self._land.reachable
        for pool in (
            [known for known in called if noun in known.nouns or reachable(known, question.route)],
            [known for known in weak if reachable(known, question.route)],
            called,
        ):
            best = self._land.nearest(pool, question.route, noun)
            if best is not None:
                return question.answer(
                    best.name, 0.85 if question.identified else 0.75, f"{name!r} names {best.name}"
                )
        return None

    def _bare(self, question: _Question) -> Reference | None:
        """An identity that names no thing: of the operation's own, or of what a link puts in."""
        own, name = question.own, question.parameter.name
        if own is None:
            return None
        if _finds(question):
            return question.answer(own.name, 0.7, f"finds one in {own.name}")
        if question.creating or question.method is Method.GET or not own.entity:
            return None
        home = self._land.home_of(own.entity, question.route)
        if home is not None and home is not own and home.name in self._land.vocabulary.get(name.lower(), ()):
            return question.answer(home.name, 0.65, f"identifies one in {home.name} elsewhere")
        return None

    def _by_role(self, question: _Question) -> Reference | None:
        people, words, name = self._land.people, question.words, question.parameter.name
        if people is None:
            return None
        done_by = len(words) > 1 and words[-1] == "by" and words[-2].endswith("ed")
        if not done_by and not (question.noun and question.noun[-1] in PEOPLE):
            return None
        own = question.own
        if own is people and (question.creating or self._land.scalar_of(people, name)):
            return None
        return question.answer(people.name, 0.75, f"{name!r} is a role that one in {people.name} has")

    def _by_property(self, question: _Question) -> Reference | None:
        own, name = question.own, question.parameter.name
        if own is None or not question.noun:
            return None
        known = self._land.property_entity(own.schema, "_".join(question.noun))
        if known is None or known is own:
            return None
        return question.answer(known.name, 0.75, f"one in {own.name} has {name!r}, which is in {known.name}")

    def _by_word(self, question: _Question) -> Reference | None:
        own, words, name = question.own, question.words, question.parameter.name
        changing = question.method in (Method.PUT, Method.PATCH, Method.DELETE) and not question.creating
        if own is not None and changing and name.lower() in _CHECKSUMS and self._land.scalar_of(own, name):
            return question.answer(own.name, 0.65, f"the state of the one in {own.name} that is changed")
        for word in dict.fromkeys((name.lower(), words[-1])):
            if word in _TOO_COMMON or word not in self._land.vocabulary:
                continue
            found = self._land.by_vocabulary(word, question.route)
            if found is None:
                continue
            known = self._land.resources[found]
            if question.creating and (known is own or not self._allowed(question, known)):
                continue
            return question.answer(found, 0.65, f"{word!r} identifies {found} elsewhere")
        return None

    def _by_text(self, question: _Question) -> Reference | None:
        own, description = question.own, question.parameter.description
        for thing in named_things(description) if description else ():
            if not thing or thing[-1] in ATTRIBUTES:
                return None
            if own is not None and self._land.exactly(thing, own):
                made_from = question.creating and _FROM.search(description)
                return question.answer(own.name, 0.5, "its description says from what") if made_from else None
            if own is not None and any(same_noun(thing, noun) for noun in own.nouns):
                return None
            reason = f"its description says {' '.join(thing)}"
            called = [
                known
                for known in self._land.called(thing)
                if self._land.reachable(known, question.route) and self._allowed(question, known)
            ]
            best = self._land.nearest(called, question.route, thing)
            if best is not None:
                return question.answer(best.name, 0.6, reason)
            if thing[-1] in PEOPLE and self._land.people is not None:
                return question.answer(self._land.people.name, 0.55, reason)
            if thing[-1] in self._land.vocabulary and thing[-1] not in _TOO_COMMON:
                found = self._land.by_vocabulary(thing[-1], question.route)
                if found is not None and (own is None or found != own.name):
                    return question.answer(found, 0.5, reason)
        return None


def _finds(question: _Question) -> bool:
    """``DELETE /things?id=…``, ``PUT /things`` with its id in the body, ``GET /things?ids=…``."""
    name, location = question.parameter.name.lower(), question.parameter.ref.location
    if question.route.ends_with_parameter or question.creating:
        return False
    if question.method is Method.GET:
        return question.words in (("ids",), ("iids",), ("uuids",))
    if question.method not in (Method.DELETE, Method.PUT, Method.PATCH):
        return False
    return name in (_FINDING if location is Location.QUERY else _ID_WORDS)


def _says_identity(parameter: Parameter) -> bool:
    """A field inside a plain object is looked at only when it says that it identifies something."""
    words = name_words(parameter.name)
    return parameter.ref.pointer.count("/") <= 3 and len(words) > 1 and _ends_with_id(words)


def _ends_with_id(words: tuple[str, ...]) -> bool:
    return bool(words) and words[-1] in _ID_WORDS
