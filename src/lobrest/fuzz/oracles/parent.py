"""A thing reached through something that it is not in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.extend import Extension
from lobrest.fuzz.oracles.reading import ends_with_parameter, same_thing
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.entry import Arguments, LogEntry
from lobrest.model.operation import ApiSpec, Location, Method, ParameterRef
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Seed, Wire

OTHER: Final = "wrong-parent: another parent"
RIGHT: Final = "wrong-parent: through its own"
CROSS: Final = "wrong-parent: through the other"
_NAMES: Final = ("name", "title", "path", "slug", "login", "username", "email", "key", "code")


class ParentOracle:
    """Makes a second parent and asks it for the child of the first.

    Only the very same document counts: two parents may well have children of the same number.
    """

    name = BugKind.WRONG_PARENT

    def __init__(self, spec: ApiSpec, model: ResourceModel) -> None:
        self._spec = spec
        self._model = model

    def probe(self, base: Seed, _context: MutationContext) -> Seed | None:
        """The flow, another parent, and the last read through both."""
        last = len(base.steps) - 1
        operation = self._spec.operations[base.steps[last].entry.operation]
        if operation.method is not Method.GET or not ends_with_parameter(operation.template):
            return None
        found = self._family(base, last)
        if found is None:
            return None
        _, parent = found
        flow = Extension(base, last)
        flow.copy(last, RIGHT)
        other = flow.copy(parent.producer, OTHER, broken=False)
        flow.steps[other] = replace(flow.steps[other], entry=self._renamed(flow.steps[other].entry))
        flow.copy(last, CROSS, instead={parent.producer: other})
        return flow.seed(self.name)

    def _family(self, base: Seed, last: int) -> tuple[Wire, Wire] | None:
        """The wires of a child and of what it is in, both made by the flow."""
        creations = self._model.creations
        path = [
            wire
            for wire in base.wires
            if wire.step == last
            and wire.parameter.location is Location.PATH
            and base.steps[wire.producer].entry.operation in creations
        ]
        if len(path) < 2:
            return None
        child = max(path, key=lambda wire: len(wire.instance.ancestors()))
        for above in child.instance.ancestors():
            if above.resource in self._model.acting_users:
                continue
            parent = next((wire for wire in path if wire.instance == above), None)
            if parent is not None and parent.producer != child.producer:
                return child, parent
        return None

    def _renamed(self, entry: LogEntry) -> LogEntry:
        """The creation of something with another name."""
        creation = self._model.creations.get(entry.operation)
        arguments = entry.arguments
        for ref in creation.identified_by if creation is not None else ():
            if ref not in entry.uses:
                arguments = _with_other_text(arguments, ref)
        if isinstance(arguments.body, dict) and arguments.body == entry.arguments.body:
            for name in _NAMES:
                if name in arguments.body:
                    arguments = _with_other_text(
                        arguments, ParameterRef(entry.operation, Location.BODY, name)
                    )
        return replace(entry, arguments=arguments, creates=None)

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """The same document through both."""
        steps, results = seen.performance.plan.seed.steps, seen.performance.results
        at = {step.reason: index for index, step in enumerate(steps)}
        if not {RIGHT, OTHER, CROSS} <= set(at):
            return
        right, cross = results[at[RIGHT]].exchange, results[at[CROSS]].exchange
        if not (right.ok and results[at[OTHER]].exchange.ok and cross.ok):
            return
        if right.request.target == cross.request.target or not same_thing(right.response, cross.response):
            return
        operation = cross.request.operation
        yield alarm(
            BugKind.WRONG_PARENT,
            operation,
            cross.status,
            "",
            position=at[CROSS],
            message="shows the same thing through something that it is not in",
            severity=Severity.MEDIUM,
            evidence=f"{cross.request.target} and {right.request.target} show the same, "
            "and the former was made without it",
            check=Check(statuses=("2XX",), same_as=at[RIGHT]),
            needs=[at[RIGHT], at[OTHER]],
        )


def _with_other_text(arguments: Arguments, ref: ParameterRef) -> Arguments:
    current = arguments.get(ref)
    return arguments.with_value(ref, f"b{current}") if isinstance(current, str) and current else arguments
