"""Which value of a request came out of which earlier answer, judged from the exchanges alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json, OperationId
from lobrest.model.pointer import leaves, parts
from lobrest.model.reproducer import CaptureSource
from lobrest.report.secrets import is_secret_field
from lobrest.report.spans import Span

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTITY_WORDS = frozenset({
    "id", "ids", "iid", "iids", "uid", "uuid", "guid", "oid", "number", "no", "num", "name",
    "names", "path", "slug", "key", "login", "username", "user", "owner", "email", "handle", "code",
    "sha", "hash", "ref", "reference", "tag", "branch", "version", "sku", "isbn", "identifier",
    "index", "uri", "url", "href",
})  # fmt: skip
_NUMBER_WORDS = frozenset({"id", "ids", "iid", "iids", "uid", "uuid", "guid", "oid", "number", "no", "num"})
_GENERIC_NAMES = frozenset({"id", "name", "number", "key", "code", "path", "slug", "url", "index"})
_SHORT = 3
"""A shorter value may be equal by chance: then names must agree."""


@dataclass(frozen=True, slots=True)
class Produced:
    """A value in an answer that may identify something."""

    step: int
    source: CaptureSource
    where: str
    name: str
    """The field's own name."""
    owner: str
    """The thing it belongs to: the object it is nested in, else what the operation's path names; singular."""
    depth: int
    creates: bool
    """Was it the answer to a POST or PUT?"""


def words(name: str) -> tuple[str, ...]:
    """``projectId`` and ``project_id`` are both ``project id``."""
    return tuple(word.lower() for word in _WORD.findall(name))


def is_identity_name(name: str) -> bool:
    """Does a field of that name tell things apart?"""
    found = words(name)
    return bool(found) and found[-1] in _IDENTITY_WORDS


def noun(name: str) -> str:
    """What a parameter or path segment is about, singular: ``merge_request_iid``, ``merge_requests``."""
    found = list(words(name))
    while len(found) > 1 and found[-1] in _IDENTITY_WORDS:
        found.pop()
    return "_".join((*found[:-1], _singular(found[-1]))) if found else ""


def produced_values(step: int, exchange: Exchange) -> Iterator[tuple[str, Produced]]:
    """Every value of an answer that may identify something, as text."""
    response = exchange.response
    if response is None or not exchange.ok:
        return
    creates = exchange.request.method in ("POST", "PUT")
    owner = noun(_collection(exchange.request.operation))
    for pointer, value in leaves(_parsed(response.body)):
        if isinstance(value, bool) or value is None or value == "":
            continue
        named = [part for part in parts(pointer) if not part.isdigit()]
        name = named[-1] if named else ""
        if name and not is_identity_name(name) and not is_secret_field(name):
            continue
        inside = noun(named[-2]) if len(named) > 1 and named[-2] not in ("data", "result", "items") else owner
        yield (
            value if isinstance(value, str) else json.dumps(value),
            Produced(step, CaptureSource.BODY, pointer, name, inside, len(named), creates),
        )
    location = response.header("location")
    if location and creates:
        segments = [part for part in location.partition("?")[0].split("/") if part]
        if segments:
            yield segments[-1], Produced(step, CaptureSource.LOCATION, "-1", "", owner, 1, creates)


def origin_of(
    site: Span, candidates: Sequence[Produced], *, in_path: bool, used_before: Mapping[tuple[str, str], int]
) -> Produced | None:
    """The answer a value was most likely taken from, or None where chance explains it as well.

    ``used_before`` tells at which step a parameter of that name first had that value: an answer that is later
    cannot have brought it.
    """
    first_use = used_before.get((site.name, site.text))
    possible = [one for one in candidates if first_use is None or one.step < first_use]
    if not possible:
        return None
    best = max(possible, key=lambda one: (_score(site, one), -one.step))
    if _agrees(site, best):
        return best
    distinctive = len(site.text) >= 2 * _SHORT and any(letter.isdigit() for letter in site.text)
    if distinctive and not site.text.isdigit():
        return best
    if not in_path:
        return None
    return (
        best
        if len(site.text) >= _SHORT or (best.creates and best.depth == 1 and len(site.text) > 1)
        else None
    )


def _score(site: Span, one: Produced) -> int:
    score = -one.depth
    score += 8 if _agrees(site, one) else 0
    score += 4 if site.name == one.name else 0
    site_words, own_words = words(site.name), words(one.name)
    score += 3 if site_words and own_words and site_words[-1] == own_words[-1] else 0
    score += 2 if one.creates else 0
    return score


def _agrees(site: Span, one: Produced) -> bool:
    if site.name == one.name and site.name not in _GENERIC_NAMES:
        return True
    about = {noun(site.name), noun(site.collection)} - {""} - _GENERIC_NAMES
    *whose, kind = words(one.name) or ("",)
    things = {"_".join(whose)} - {""}
    if not whose or kind not in _NUMBER_WORDS:  # a project's ``creator_id`` is no project's
        things.add(one.owner)
    # ``to_project_id`` and ``target_project`` are about a project too.
    return any(f"_{each}".endswith(f"_{thing}") for each in about for thing in things if thing)


def _collection(operation: OperationId) -> str:
    literal = [part for part in operation.split("/")[1:] if part and "{" not in part]
    return literal[-1] if literal else ""


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def _parsed(body: bytes) -> Json:
    try:
        value: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value
