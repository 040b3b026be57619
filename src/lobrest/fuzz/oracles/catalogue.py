"""All oracles, written out: what each is called, whether it is on, and its fault code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lobrest.errors import ConfigError
from lobrest.model.bug import BugKind


@dataclass(frozen=True, slots=True)
class OracleFacts:
    """One oracle, as a person chooses it."""

    name: str
    kinds: tuple[BugKind, ...]
    on: bool
    """By default."""
    about: str


ORACLES: Final = (
    OracleFacts("response-schema", (BugKind.SCHEMA,), True, "answers match their declared schema"),
    OracleFacts("undeclared-status", (BugKind.UNDECLARED_STATUS,), True, "statuses are declared"),
    OracleFacts("undeclared-media-type", (BugKind.UNDECLARED_MEDIA,), True, "media types are declared"),
    OracleFacts("deleted-answers", (BugKind.DELETED_ANSWERS,), True, "what is deleted is gone"),
    OracleFacts("created-missing", (BugKind.CREATED_MISSING,), True, "what is created is there"),
    OracleFacts(
        "wrong-parent", (BugKind.WRONG_PARENT,), True, "things are reached through their own parents"
    ),
    OracleFacts(
        "ownership",
        (BugKind.FOREIGN_READ, BugKind.FOREIGN_CHANGE),
        True,
        "other people's things are neither read nor changed",
    ),
    OracleFacts(
        "credentials",
        (BugKind.NO_CREDENTIALS, BugKind.BROKEN_CREDENTIALS),
        True,
        "what needs credentials does not work without them",
    ),
    OracleFacts(
        "leaks", (BugKind.SECRET, BugKind.INTERNALS), True, "answers show no secrets and no internals"
    ),
    OracleFacts("invalid-accepted", (BugKind.INVALID_ACCEPTED,), False, "forbidden requests are refused"),
    OracleFacts("regression", (BugKind.REGRESSION,), False, "what works in the log works"),
    OracleFacts("slow", (BugKind.SLOW,), False, "answers are about as fast as in the log"),
)

FAULT_CODES: Final = {
    BugKind.SERVER_ERROR: 100,
    BugKind.SCHEMA: 101,
    BugKind.UNDECLARED_STATUS: 101,
    BugKind.UNDECLARED_MEDIA: 101,
    BugKind.INVALID_ACCEPTED: 102,
    BugKind.DELETED_ANSWERS: 103,
    BugKind.FOREIGN_CHANGE: 206,
    BugKind.FOREIGN_READ: 206,
}
"""Categories of Web Fuzzing Commons, for the kinds that have one."""


def chosen(wishes: Iterable[str], *, source: str = "") -> frozenset[str]:
    """The names of the oracles that are on.

    Wishes are ``+name``, ``-name``, ``all``, ``none`` or, like ``+``, a bare name; later ones win. Several may
    stand in one text, separated by commas. Raises ``ConfigError`` for a name that is none.
    """
    names = {one.name for one in ORACLES}
    on = {one.name for one in ORACLES if one.on}
    for wish in (part.strip() for text in wishes for part in text.split(",")):
        name = wish.lstrip("+-")
        if not name:
            continue
        if name == "all":
            on = set() if wish.startswith("-") else set(names)
        elif name == "none":
            on = set()
        elif name not in names:
            raise ConfigError(
                f"there is no oracle {name!r}",
                source=source,
                hint=f"all, none, or {', '.join(sorted(names))}",
            )
        elif wish.startswith("-"):
            on.discard(name)
        else:
            on.add(name)
    return frozenset(on)
