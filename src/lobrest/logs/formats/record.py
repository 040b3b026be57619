"""One logged request as a format reader gives it, before anything is known of the service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import msgspec

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?", re.ASCII)


class Body(IntEnum):
    """What the log tells of the request body."""

    UNKNOWN = 0
    """The format keeps no bodies: nothing can be said."""
    TEXT = 1
    """``Record.body`` is the body as it was sent; empty means that there was none."""
    CUT = 2
    """``Record.body`` is the beginning of it."""
    PARAMETERS = 3
    """``Record.body`` is a JSON list of ``{"key", "value"}``: query and body merged, as GitLab writes it."""


class Actor(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Everything a line tells of who sent the request. Lives only while a block is read."""

    name: str = ""
    token: str = ""
    cookie: str = ""
    address: str = ""
    agent: str = ""
    acting_as: str = ""


ANONYMOUS = Actor()


class Record(msgspec.Struct, gc=False):
    """A parsed line."""

    start: float
    """When the request began, seconds since the epoch."""
    method: str
    target: str
    """Path and query as sent: percent-encoding kept, scheme and host taken off."""
    status: int
    """0 where the log shows no answer."""
    actor: Actor = ANONYMOUS
    body: str = ""
    body_kind: Body = Body.UNKNOWN
    media_type: str = ""
    response: bytes | str = ""
    """Body of the answer, where the log keeps it whole."""
    location: str = ""
    """The answer's ``Location`` header."""
    headers: tuple[tuple[str, str], ...] = ()
    """Request headers that the log keeps, names in lower case, credentials left out."""
    host: str = ""
    """Where the request was sent to, as logged; the port may be there."""
    request_id: str = ""
    """What every proxy on the way calls the request."""


class LineError(ValueError):
    """A line that is not what its format promises; the text is the reason it is counted under."""


class Parser(Protocol):
    """Parses the lines of one block. It may cache, it never remembers."""

    def __call__(self, line: bytes, /) -> Record | None:
        """The record; None for a line that is no request (a comment, a directive); raises ``LineError``."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Which field of a JSON line plays which role."""

    fields: Mapping[str, tuple[tuple[str, ...], ...]]
    """Role to candidate paths; the first that holds something counts."""
    duration_unit: float = 1.0
    """Seconds in one unit of the duration field."""
    time_is_start: bool = False
    """False: the line was written when the answer was done, so the duration is taken off."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Names that stand for a method."""


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What a user can say about a format."""

    template: str = ""
    """nginx ``log_format`` or Apache ``LogFormat`` text."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JSON lines: role (``time``, ``method``, ``target``, ``status`` …) to field, dots for nested ones."""
    shape: Shape | None = None
    """JSON lines: the shape that was found in them."""
    context: bytes = b""
    """What lines further up in the file settled, such as the ``#Fields`` of a W3C log."""


def origin_form(target: str) -> str:
    """Path and query of a request target, which may be a whole URL."""
    if target.startswith("/"):
        return target
    scheme, separator, rest = target.partition("://")
    if separator and scheme.isalpha():
        slash = rest.find("/")
        question = rest.find("?")
        if slash < 0 or 0 <= question < slash:
            return "/" + rest[question:] if question >= 0 else "/"
        return rest[slash:]
    return target


def url_host(target: str) -> str:
    """Host and port of a request target that is a whole URL; nothing otherwise."""
    scheme, separator, rest = target[:2048].partition("://")
    if not separator or not scheme.isalpha():
        return ""
    return rest.partition("/")[0].partition("?")[0].rpartition("@")[2]


def host_name(text: str) -> str:
    """A logged host without its port, in lower case; nothing where it cannot be one."""
    name = text.strip().lower()
    if name.startswith("["):
        inside, bracket, _ = name[1:].partition("]")
        return inside if bracket and ":" in inside and set(inside) <= set("0123456789abcdef:.%") else ""
    if name.count(":") == 1:
        name = name.partition(":")[0]
    name = name.rstrip(".")
    return name if _HOST.fullmatch(name) else ""
