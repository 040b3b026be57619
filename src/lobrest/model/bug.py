"""Findings about the service, told apart by what a person would call the same bug."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from enum import StrEnum

from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json, OperationId
from lobrest.model.seed import SeedId


class BugKind(StrEnum):
    """What is wrong, in the words of the command line."""

    SERVER_ERROR = "server-error"
    """Answered 5XX."""
    OUTAGE = "takes-service-down"
    """After this request the service answered no more."""
    SCHEMA = "response-schema"
    """The answer is not what the specification says it is."""
    UNDECLARED_STATUS = "undeclared-status"
    UNDECLARED_MEDIA = "undeclared-media-type"
    DELETED_ANSWERS = "deleted-answers"
    """Deleted with success, and still there."""
    CREATED_MISSING = "created-missing"
    """Created with success, and not there."""
    WRONG_PARENT = "wrong-parent"
    """Reached through something that it is not in."""
    FOREIGN_READ = "foreign-read"
    """Read by somebody who may not see what it is in."""
    FOREIGN_CHANGE = "foreign-change"
    """Changed by somebody who is not its owner."""
    NO_CREDENTIALS = "no-credentials"
    """Works without credentials where they are needed."""
    BROKEN_CREDENTIALS = "broken-credentials"
    """Works with credentials that are none."""
    SECRET = "secret"
    """A secret in an answer."""
    INTERNALS = "internals"
    """Stack traces, queries and the like in an answer."""
    INVALID_ACCEPTED = "invalid-accepted"
    """Taken although the specification forbids it."""
    REGRESSION = "regression"
    """The log shows it working; now it is refused."""
    SLOW = "slow"
    """Far slower than in the log."""


class Severity(StrEnum):
    """How much it matters."""

    INFO = "info"
    """Worth knowing: the document and the service differ, nobody is hurt."""
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 matters least."""
        return list(Severity).index(self)


class Rule(StrEnum):
    """What can be wrong with a value in an answer."""

    TYPE = "type"
    """The argument lists the JSON types it may have."""
    REQUIRED = "required"
    """The argument names a field that must be there."""
    ENUM = "enum"
    """The argument lists the values it may have."""
    STILL_TYPE = "still"
    """The argument is the JSON type it has while the finding is there: for rules with no simple form."""


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """A value in the answer that is wrong. Scripts evaluate it too, so it stays simple."""

    pointer: str
    """JSON pointer without the first slash; ``*`` is any element or field."""
    rule: Rule
    argument: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """How the last answer of a finding tells that it is there: everything that is given must hold."""

    statuses: tuple[str, ...] = ()
    """``500`` or ``2XX``; any of them. None: the status of the key."""
    value: ValueCheck | None = None
    pattern: str = ""
    """A regular expression (common to Python, JavaScript and grep -E) found in the body."""
    media_type: str = ""
    """The media type of the answer."""
    same_as: int | None = None
    """The step whose answer has the same body, apart from what changes by itself."""
    slower_than: float | None = None
    """Seconds."""
    pause: float = 0.0
    """Seconds to wait before the last step."""


@dataclass(frozen=True, slots=True, order=True)
class BugKey:
    """Equal keys are one bug."""

    operation: OperationId
    status: int
    fingerprint: str
    """The answer's message without numbers, ids, times and addresses; of other kinds, what is wrong."""
    kind: BugKind = BugKind.SERVER_ERROR

    @property
    def identity(self) -> str:
        """Equal for the same bug in every run: for baselines and fingerprints.

        What is wrong with a named schema is one bug, wherever it shows first.
        """
        everywhere = self.kind is BugKind.SCHEMA and self.fingerprint.startswith("#")
        facts: tuple[object, ...] = (self.operation, self.status, self.fingerprint)
        if self.kind is not BugKind.SERVER_ERROR:
            facts = (self.kind, self.fingerprint) if everywhere else (self.kind, *facts)
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Bug:
    """A finding with the exchanges that lead to it, the telling one last."""

    number: int
    key: BugKey
    message: str
    first_seen_s: float
    exchanges: tuple[Exchange, ...]
    seed: SeedId
    count: int = 1
    confirmed: bool = False
    """Seen again when the whole sequence was run a second time."""
    minimised: bool = False
    severity: Severity = Severity.HIGH
    evidence: str = ""
    """In short why it is a finding; empty where the message says it all."""
    check: Check = field(default_factory=Check)

    @property
    def kind(self) -> BugKind:
        """What is wrong."""
        return self.key.kind

    def seen_again(self) -> Bug:
        """The same bug, counted once more."""
        return replace(self, count=self.count + 1)
