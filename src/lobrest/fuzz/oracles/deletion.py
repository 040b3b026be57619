"""A deleted thing that still answers (fault 103 of Web Fuzzing Commons)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.extend import Extension
from lobrest.fuzz.oracles.reading import Readers, ends_with_parameter, parameter_names, same_thing
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import ApiSpec, Method
from lobrest.model.seed import Seed

BEFORE: Final = "deleted-answers: before"
DELETE: Final = "deleted-answers: delete"
AFTER: Final = "deleted-answers: after"
_PATIENCE_SECONDS: Final = 1.0


class DeletionOracle:
    """Reads before a deletion and twice after it.

    A deletion may be soft: only a thing that looks exactly as it did before counts as still there.
    """

    name = BugKind.DELETED_ANSWERS

    def __init__(self, spec: ApiSpec, readers: Readers) -> None:
        self._spec = spec
        self._readers = readers

    def probe(self, base: Seed, _context: MutationContext) -> Seed | None:
        """Read, delete, read, wait, read."""
        last = len(base.steps) - 1
        operation = self._spec.operations[base.steps[last].entry.operation]
        if operation.method is not Method.DELETE or not ends_with_parameter(operation.template):
            return None
        reader = self._readers.of(operation)
        if reader is None:
            return None
        names = parameter_names(reader.template)
        flow = Extension(base, last)
        flow.on_the_same(last, reader.id, names, BEFORE)
        flow.copy(last, DELETE)
        flow.on_the_same(last, reader.id, names, AFTER)
        flow.on_the_same(last, reader.id, names, AFTER, pause=_PATIENCE_SECONDS)
        flow.unless(4)
        return flow.seed(self.name)

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """The last read decides."""
        steps, results = seen.performance.plan.seed.steps, seen.performance.results
        at = {step.reason: index for index, step in enumerate(steps)}
        if AFTER not in at or BEFORE not in at or DELETE not in at:
            return
        before, deletion, after = results[at[BEFORE]], results[at[DELETE]], results[at[AFTER]]
        if not (before.exchange.ok and deletion.exchange.ok and after.exchange.ok):
            return
        if not same_thing(before.exchange.response, after.exchange.response):
            return
        deleting = deletion.exchange.request.operation
        yield alarm(
            BugKind.DELETED_ANSWERS,
            deleting,
            after.exchange.status,
            "",
            position=at[AFTER],
            message=f"deleted with {deletion.exchange.status}, and still answers {after.exchange.status}",
            severity=Severity.MEDIUM,
            evidence=f"{after.exchange.request.operation} shows the same before and after {deleting}",
            check=Check(statuses=("2XX",), same_as=at[BEFORE], pause=_PATIENCE_SECONDS),
            needs=[at[BEFORE], at[DELETE]],
        )
