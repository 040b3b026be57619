"""Where the value of a parameter can be taken from: candidates, best first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from lobrest.model.operation import ApiSpec, Location, Operation, Parameter, ParameterRef, Schema
from lobrest.model.resource import Binding, Source
from lobrest.resources.answers import Kind, Shape
from lobrest.resources.words import PEOPLE, Noun, noun_of, parameter_noun, singular
from lobrest.spec.fields import properties_of, types
from lobrest.spec.references import escape
from lobrest.spec.template import name_words

_MAX_POINTERS: Final = 6
_SEQUENCES: Final = ("number", "iid", "index", "no", "seq", "sequence")
_TEXT_NAMES: Final = (
    "name",
    "slug",
    "key",
    "code",
    "full_name",
    "path",
    "full_path",
    "title",
    "identifier",
    "tag_name",
)
_LOGINS: Final = ("login", "username", "user_name", "userName", "name", "handle", "email")
_SPOKEN: Final = frozenset(
    ("id", "path", "slug", "username", "login", "name", "number", "iid", "sha", "key", "email")
)
_IDS: Final = ("id", "_id", "uuid", "guid", "pk", "uid")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a value is needed for: the parameter's name, its types, and the thing it names."""

    name: str
    kinds: tuple[str, ...]
    nouns: frozenset[Noun]
    person: bool = False
    """Does the resource act: a user, an account?"""
    told: tuple[str, ...] = ()
    """Which identities the description speaks of, in its order: "ID or URL-encoded path"."""


def wanted(parameter: Parameter | None, name: str, nouns: Collection[Noun], *, person: bool) -> Wanted:
    """From a declared parameter; an array wants its items."""
    kinds: tuple[str, ...] = ()
    if parameter is not None:
        schema = parameter.schema
        items = schema.get("items")
        kinds = types(items) if isinstance(items, dict) else types(schema)
    named = {part for noun in nouns for part in (noun, noun[-1:]) if part}
    told = _identities_in(parameter.description) if parameter is not None else ()
    return Wanted(name, kinds, frozenset(named), person, told)


def _identities_in(description: str) -> tuple[str, ...]:
    """Words of a short description that name kinds of identities, before it says what for."""
    words = re.findall(r"[a-z_]+", re.split(r"\b(?:of|for|to|in)\b", description.lower(), maxsplit=1)[0])[:10]
    return tuple(dict.fromkeys(word for word in words if word in _SPOKEN))


def pointers(spec: ApiSpec, schema: Schema, want: Wanted) -> list[tuple[float, str]]:
    """Fields of a thing that could be the wanted value, with their score, best first."""
    scored: list[tuple[float, int, str]] = []
    noun = parameter_noun(want.name)
    wished = {noun_of(want.name), noun, noun[-1:]} - {()}
    telling = want.name.lower() not in ("id", "name", "number", "index")
    for position, (key, value) in enumerate(properties_of(spec, schema).items()):
        if "object" not in types(value) and "$ref" not in value and "allOf" not in value:
            points = _score(spec, key, value, want)
            if points > 0:
                scored.append((points, -position, escape(key)))
            continue
        inner = properties_of(spec, value)
        if not inner:
            points = _score(spec, key, value, want)
            if points > 0:
                scored.append((points, -position, escape(key)))
        elif noun_of(key) in wished:
            # {owner} is owner/login.
            person = want.person or noun_of(key)[-1] in PEOPLE
            narrowed = replace(want, nouns=want.nouns | {noun_of(key)}, person=person)
            for inside, (name, deeper) in enumerate(inner.items()):
                points = _score(spec, name, deeper, narrowed) - 0.5
                if points > 0:
                    scored.append((points, -position * 1000 - inside, f"{escape(key)}/{escape(name)}"))
        elif telling and want.name in inner and _score(spec, want.name, inner[want.name], want) > 0:
            # Only a telling name is taken from another thing inside: commit/sha, not milestone/id.
            scored.append((6, -position * 1000, f"{escape(key)}/{escape(want.name)}"))
    scored.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [(points, pointer) for points, _, pointer in scored[:_MAX_POINTERS]]


def _score(spec: ApiSpec, key: str, schema: Schema, want: Wanted) -> float:
    resolved = spec.resolve(schema)
    kinds = types(resolved)
    if "object" in kinds or "array" in kinds or "boolean" in kinds or "properties" in resolved:
        return 0
    points = _name_score(key, want)
    if key.lower() in want.told and (points > 0 or key.lower() == "path"):
        # A description is good evidence; the parameter's own name is better.
        points = max(points, 8.9 - 0.2 * want.told.index(key.lower()))
    if points <= 0:
        return 0
    if resolved.get("format") in ("date", "date-time"):
        return 0
    if want.kinds and kinds:
        integer = "integer" in want.kinds and "string" not in want.kinds
        if integer and kinds == ("string",):
            points -= 4
        elif want.kinds == ("string",) and "integer" in kinds and not _wants_id(want.name):
            points -= 0 if key.lower() in want.told else 2
    return points


def _wants_id(name: str) -> bool:
    words = name_words(name)
    return bool(words) and singular(words[-1]) in ("id", "iid", "uid", "number", "index", "pk")


@lru_cache(maxsize=65536)
def _name_score(key: str, want: Wanted) -> float:
    lowered, wished = key.lower(), want.name.lower()
    if lowered == wished:
        return 10
    key_words, words = name_words(key), tuple(singular(word) for word in name_words(want.name))
    tail = _without_noun(words, want.nouns)
    flat_key = "".join(key_words)
    if key_words and tuple(singular(w) for w in key_words) == tail:
        return 9
    key_tail = _without_noun(tuple(singular(w) for w in key_words), want.nouns)
    if key_tail and key_tail == tail and key_tail != tuple(key_words):
        return 8.5
    bare = not tail or tail in (("name",), ("ref",))
    integer = "integer" in want.kinds and "string" not in want.kinds
    if tail and tail[-1] in ("index", "number", "iid", "no", "num"):
        if lowered in _SEQUENCES:
            return 8 - 0.1 * _SEQUENCES.index(lowered)
        return 6 if lowered in _IDS else 0
    if tail and tail[-1] in ("id", "ids", "uid", "pk", "uuid", "guid"):
        if lowered in _IDS:
            return 8 - 0.1 * _IDS.index(lowered)
        if lowered in _SEQUENCES:
            return 5
        return 2 if not integer and lowered in _TEXT_NAMES[:4] else 0
    if bare or want.person:
        if integer:
            return 7 if lowered in _IDS else (6 if lowered in _SEQUENCES else 0)
        order = _LOGINS if want.person else _TEXT_NAMES
        for rank, candidate in enumerate(order):
            if lowered == candidate.lower():
                return 8 - 0.2 * rank
        if key_tail in (("name",), ("slug",), ("key",), ()) and flat_key:
            return 6 if key_tail else 5
        if key_words[-1:] == ("name",):
            return 3  # rule_name, display_name
        return 4 if lowered in _IDS else 0
    if lowered in _IDS:
        return 3
    if lowered in ("name", "slug", "key"):
        return 2.5
    return 0


def _without_noun(words: tuple[str, ...], nouns: Iterable[Noun]) -> tuple[str, ...]:
    """``merge_request_iid`` of a merge request → ("iid",); the words of the thing itself say nothing."""
    best = words
    for noun in nouns:
        size = len(noun)
        for start in range(len(words) - size + 1):
            if noun_of("_".join(words[start : start + size])) == noun:
                rest = words[start + size :]
                if len(rest) < len(best):
                    best = rest
        if len(words) == 1 and noun:
            # username, branchname: written together.
            joined = "".join(noun)
            if words[0].startswith(joined) and words[0] != joined:
                rest = (words[0][len(joined) :],)
                if rest[0] in ("name", "id", "slug", "key", "uuid"):
                    best = rest
    return best


def from_answer(spec: ApiSpec, shape: Shape, want: Wanted) -> list[tuple[float, Binding]]:
    """Fields of a creator's answer."""
    if shape.kind is Kind.SCALAR:
        return [(3, Binding(Source.RESPONSE, ""))]
    if shape.kind is not Kind.OBJECT:
        if shape.kind is Kind.LIST:
            prefix = f"{shape.pointer}/0" if shape.pointer else "0"
            return [
                (points - 1, Binding(Source.RESPONSE, f"{prefix}/{pointer}"))
                for points, pointer in pointers(spec, shape.schema, want)
            ]
        return []
    prefix = f"{shape.pointer}/" if shape.pointer else ""
    return [
        (points, Binding(Source.RESPONSE, prefix + pointer))
        for points, pointer in pointers(spec, shape.schema, want)
    ]


def from_list(spec: ApiSpec, shape: Shape, want: Wanted) -> list[tuple[float, Binding]]:
    """Fields of an item of a list; the item itself where it is a bare value."""
    if shape.kind is not Kind.LIST:
        return []
    if not properties_of(spec, shape.schema):
        return [(3, Binding(Source.LIST, ""))]
    return [(points, Binding(Source.LIST, pointer)) for points, pointer in pointers(spec, shape.schema, want)]


def from_request(
    spec: ApiSpec, operation: Operation, fields: Iterable[Parameter], want: Wanted, chosen: str
) -> list[tuple[float, ParameterRef]]:
    """Parameters of the creator's own request by which the client gives the new thing its name."""
    found: list[tuple[float, ParameterRef]] = []
    if chosen:
        found.append((12, ParameterRef(operation.id, Location.PATH, chosen)))
    integer = "integer" in want.kinds and "string" not in want.kinds
    candidates = [p for p in operation.parameters if p.ref.location is Location.QUERY]
    for parameter in (*fields, *candidates):
        if "/" in parameter.ref.pointer:
            continue
        words = name_words(parameter.name)
        if words[:1] in (("old",), ("from",), ("source",), ("base",), ("parent",)):
            continue
        stripped = "_".join(words[1:]) if words[:1] == ("new",) and len(words) > 1 else parameter.name
        points = _score(spec, stripped, parameter.schema, want)
        if integer and (parameter.name != want.name or len(words) == 1):
            continue  # numbers are given by the service, unless the request has the very name
        if points >= 5 and not (
            want.kinds == ("string",) and _wants_id(want.name) and stripped not in ("id", want.name)
        ):
            found.append((points + (0.5 if parameter.required else 0), parameter.ref))
    found.sort(key=lambda entry: -entry[0])
    return found[:3]


def request_binding(ref: ParameterRef) -> Binding:
    """A parameter of the creator's request as a source."""
    return Binding(Source.REQUEST, f"{ref.location.value}/{ref.pointer}")
