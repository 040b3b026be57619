"""A bug as something that anybody can run again: steps with holes that are filled at run time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from lobrest.model.bug import BugKind, Check
from lobrest.model.exchange import Headers
from lobrest.model.operation import OperationId


class CaptureSource(StrEnum):
    """Where in an answer a value is taken from."""

    BODY = "body"
    """``where`` is a JSON pointer into the answer, without the first slash: ``id``, ``0/owner/login``."""
    LOCATION = "location"
    """``where`` counts path segments of the ``Location`` header from the end: ``-1`` is the last."""
    HEADER = "header"
    """``where`` is the name of a response header."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A value of a step's answer that later steps need."""

    name: str
    source: CaptureSource
    where: str

    def __post_init__(self) -> None:
        _check(self.name)


class FreshKind(StrEnum):
    """What a value that is made anew in every run looks like."""

    HEX = "hex"
    DIGITS = "digits"
    SECRET = "secret"
    """A password or token that the flow itself chooses."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A value made anew in every run, so that running twice does not collide."""

    name: str
    kind: FreshKind
    length: int

    def __post_init__(self) -> None:
        _check(self.name)


class Encoding(StrEnum):
    """How a value is written into a template."""

    URL = "url"
    """Percent-encoded."""
    JSON = "json"
    """As the inside of a JSON string; a number stays the number it is."""
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class ReproStep:
    """One request. ``{{name}}`` in target, headers and body stands for a captured or a fresh value.

    Names are chosen so that no literal text of the requests looks like one of them.
    """

    operation: OperationId
    method: str
    target: str
    """Path and query, holes filled percent-encoded."""
    headers: Headers = ()
    """Holes filled as they are; no credentials."""
    body: str | None = None
    """Text body; holes filled as ``body_encoding`` says."""
    body_encoding: Encoding = Encoding.RAW
    raw_body: bytes | None = None
    """A body that is no text; then ``body`` is None and nothing is filled in."""
    actor: str = ""
    """Whose credentials; empty is anonymous."""
    captures: tuple[Capture, ...] = ()
    expected: int = 0
    """The status when it was recorded; 0: no answer."""


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The steps to one bug, the failing one last."""

    number: int
    operation: OperationId
    status: int
    message: str
    steps: tuple[ReproStep, ...]
    fresh: tuple[Fresh, ...] = ()
    kind: BugKind = BugKind.SERVER_ERROR
    check: Check = field(default_factory=Check)
    evidence: str = ""

    @property
    def statuses(self) -> tuple[str, ...]:
        """Statuses of the last answer that belong to the bug: ``500``, ``2XX``, ``000`` for no answer."""
        return self.check.statuses or (f"{self.status:03d}",)


def _check(name: str) -> None:
    """Names become variables of scripts: nothing else may come that way."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} cannot name a value of a reproducer")
