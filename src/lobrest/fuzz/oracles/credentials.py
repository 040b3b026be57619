"""Requests without credentials, or with broken ones, that work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.extend import Extension
from lobrest.fuzz.oracles.reading import Readers, parameter_names, segments, shows_something
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import ApiSpec, Method, Operation, OperationId
from lobrest.model.seed import Seed

LOOK: Final = "credentials: look"
NONE: Final = "credentials: none"
BROKEN: Final = "credentials: broken"
_DENIED: Final = (401, 403)
_ENOUGH: Final = {True: 20, False: 8}
"""Reads and changes that must have been refused before one that is not stands out."""
_FEW: Final = 0.05
"""Share of operations open to everybody up to which an open one stands out."""
_PUBLIC: Final = frozenset(
    {
        *(
            "login",
            "signin",
            "signup",
            "register",
            "registration",
            "oauth",
            "oauth2",
            "openid",
            "sso",
            "saml",
        ),
        *("captcha", "health", "healthz", "healthcheck", "ready", "readyz", "livez", "liveness", "ping"),
        *("version", "status", "metrics", "swagger", "openapi", "wellknown", "public", "forgot", "jwks"),
        *("forgotpassword", "resetpassword", "authenticate", "authentication", "session", "sessions"),
        *("robots.txt", "favicon.ico", "search", "nodeinfo", "settings", "info", "about", "languages"),
    }
)
"""Path segments of what is meant for everybody, without hyphens and the like."""
_READS: Final = (Method.GET, Method.HEAD, Method.OPTIONS)


@dataclass(slots=True)
class Openness:
    """Which operations were refused to nobody, and which were not."""

    open: set[OperationId] = field(default_factory=set)
    shut: set[OperationId] = field(default_factory=set)


class CredentialOracle:
    """Sends what works once more, without credentials and with ones that are none.

    Many services show some things to everybody. An open read counts where something around it is shut in the
    same play, or where nearly everything else is shut; an open change where the other changes are shut.
    """

    name = BugKind.NO_CREDENTIALS

    def __init__(
        self,
        spec: ApiSpec,
        readers: Readers,
        openness: Openness,
        *,
        broken: tuple[tuple[str, str], ...],
    ) -> None:
        self._spec = spec
        self._readers = readers
        self._openness = openness
        self._broken = broken

    def probe(self, base: Seed, _context: MutationContext) -> Seed | None:
        """The flow up to its last step, then that step by nobody, and by somebody with broken credentials."""
        last = len(base.steps) - 1
        operation = self._spec.operations[base.steps[last].entry.operation]
        if not needs_credentials(operation) or base.steps[last].anonymous:
            return None
        flow = Extension(base, last)
        for reader in self._readers.above(operation)[-1:]:
            flow.on_the_same(last, reader.id, parameter_names(reader.template), LOOK, anonymous=True)
        flow.copy(last, NONE, anonymous=True)
        if self._broken:
            flow.copy(last, BROKEN, anonymous=True, headers=self._broken)
        return flow.seed(self.name)

    def wants_again(self, operation: OperationId) -> bool:
        """Did it work, and is enough known by now to judge it?"""
        return operation in self._openness.open and bool(self._stands_out(self._spec.operations[operation]))

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Operations that answer anybody."""
        steps, results = seen.performance.plan.seed.steps, seen.performance.results
        for index, step in enumerate(steps):
            if not step.anonymous or step.reason not in (NONE, LOOK):
                continue
            if results[index].exchange.status in _DENIED:
                self._openness.shut.add(step.entry.operation)
            elif results[index].exchange.ok and step.reason == NONE:
                self._openness.open.add(step.entry.operation)
        at = {step.reason: index for index, step in enumerate(steps)}
        if NONE not in at:
            return
        bare = results[at[NONE]].exchange
        operation = self._spec.operations[bare.request.operation]
        if bare.ok and not bare.request.actor:
            look = results[at[LOOK]].exchange if LOOK in at else None
            # Where something is merely not found, a list with nothing in it says nothing either.
            shut = look is not None and (
                look.status in _DENIED or (look.status == 404 and shows_something(bare.response))
            )
            if look is not None and shut:
                evidence = f"{look.request.operation} answers {look.status} without credentials"
            else:
                evidence = self._stands_out(operation)
            if evidence:
                yield alarm(
                    BugKind.NO_CREDENTIALS,
                    operation.id,
                    bare.status,
                    "",
                    position=at[NONE],
                    message="works without credentials",
                    severity=Severity.HIGH,
                    evidence=evidence,
                    check=Check(statuses=("2XX",)),
                    needs=[at[LOOK]] if shut else (),
                )
        broken = results[at[BROKEN]].exchange if BROKEN in at else None
        if broken is not None and broken.ok and bare.status in _DENIED:
            yield alarm(
                BugKind.BROKEN_CREDENTIALS,
                operation.id,
                broken.status,
                "",
                position=at[BROKEN],
                message="works with credentials that are none",
                severity=Severity.HIGH,
                evidence=f"without credentials it answers {bare.status}",
                check=Check(statuses=("2XX",)),
                needs=[at[NONE]],
            )

    def _stands_out(self, operation: Operation) -> str:
        """Why an open operation is strange, empty where it is not."""
        reads = operation.method in _READS
        shut = self._alike(self._openness.shut - self._openness.open, reads=reads)
        openly = self._alike(self._openness.open, reads=reads)
        if shut < _ENOUGH[reads] or openly > max(1.0, _FEW * (shut + openly)):
            return ""
        kind = "reads" if reads else "changes"
        return f"{shut} other {kind} are refused without credentials, {openly} are not"

    def _alike(self, operations: set[OperationId], *, reads: bool) -> int:
        return sum((self._spec.operations[one].method in _READS) is reads for one in operations)


def needs_credentials(operation: Operation) -> bool:
    """False for what says that it is open, and for what one does before one has credentials."""
    words = {re.sub(r"[-_.]", "", part).lower() for part in segments(operation.template) if "{" not in part}
    return operation.secured and not words & _PUBLIC
