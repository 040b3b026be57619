"""A created thing that does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.mutators.graft import grafted
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.extend import Extension
from lobrest.fuzz.oracles.reading import ends_with_parameter, parameters_of, segments
from lobrest.fuzz.play import StepResult
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import ApiSpec, Location, Method, Operation, OperationId, ParameterRef
from lobrest.model.resource import Creation, ResourceInstance, ResourceModel, ResourceName, Source
from lobrest.model.seed import Seed, Step, Wire

READ: Final = "created-missing: read"
_PLACES: Final = frozenset(
    {
        "ref",
        "branch",
        "sha",
        "revision",
        "rev",
        "version",
        "tag",
        "scope",
        "namespace",
        "tenant",
        "draft",
        "state",
    }
)
_SIMPLE: Final = re.compile(r"^[\w.~-]{1,100}$", re.ASCII)
_PAUSES: Final = (0.5, 2.0)
"""Some services need a moment until what is new is seen everywhere."""


@dataclass(slots=True)
class Reads:
    """What is known to work: a read of what a creation has made."""

    worked: set[tuple[OperationId, OperationId]] = field(default_factory=set)


class CreationOracle:
    """Reads what was created, three times over some seconds."""

    name = BugKind.CREATED_MISSING

    def __init__(
        self, spec: ApiSpec, model: ResourceModel, held_back: frozenset[OperationId], reads: Reads
    ) -> None:
        self._spec = spec
        self._model = model
        self._reads = reads
        self._readers: dict[ResourceName, OperationId] = {}
        for operation in spec.operations.values():
            if operation.method is not Method.GET or not ends_with_parameter(operation.template):
                continue
            path = [one.ref for one in operation.parameters if one.ref.location is Location.PATH]
            shown = model.dependencies.get(path[-1]) if path else None
            if shown is not None and operation.id not in held_back:
                self._readers.setdefault(shown.resource, operation.id)

    def probe(self, base: Seed, context: MutationContext) -> Seed | None:
        """The creation, and three reads."""
        last = base.steps[-1].entry.operation
        creation = self._model.creations.get(last)
        reader = self._readers.get(creation.resource) if creation is not None else None
        if reader is None:
            return None
        reading = self._spec.operations[reader]
        creating = self._spec.operations[last]
        if segments(reading.template)[:-1] == segments(creating.template) and creating.method is Method.POST:
            return self._right_behind(base, reading)
        longer = grafted(base, reader, context)
        end = len(longer.steps) - 1
        made = [wire.producer for wire in longer.wires if wire.step == end]
        if not any(longer.steps[index].entry.operation == last for index in made):
            return None
        flow = Extension(longer, end)
        for pause in (0.0, *_PAUSES):
            flow.copy(end, READ, pause=pause)
            flow.unless(2)
        return flow.seed(self.name)

    def _right_behind(self, base: Seed, reading: Operation) -> Seed:
        """The reads on the creation's own path, with the new identity at the end."""
        end = len(base.steps) - 1
        creation = self._model.creations[base.steps[end].entry.operation]
        identity = base.steps[end].entry.creates or ResourceInstance(creation.resource, "new")
        names = parameters_of(reading.template)
        shown = ParameterRef(reading.id, Location.PATH, names[-1])
        flow = Extension(base, end + 1)
        flow.steps[end] = _with_simple_names(flow.steps[end], creation)
        for pause in (0.0, *_PAUSES):
            flow.on_the_same(end, reading.id, names[:-1], READ, pause=pause)
            flow.unless(2)
            flow.bind(shown, end, identity)
        return flow.seed(self.name)

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """A 404 or 410 to the end, where the same read of other new things works or the answer said where to look."""
        seed, results = seen.performance.plan.seed, seen.performance.results
        last = max((index for index, step in enumerate(seed.steps) if step.reason == READ), default=None)
        for wire in seed.wires:
            if wire.step != last and wire.step < len(results) and results[wire.step].exchange.ok:
                self._worked(seed, wire)
        if last is None:
            return
        reading = results[last]
        shown = parameters_of(seed.steps[last].entry.operation)[-1:]
        for wire in (one for one in seed.wires if one.step == last and one.parameter.pointer in shown):
            maker = results[wire.producer]
            creation = self._model.creations.get(seed.steps[wire.producer].entry.operation)
            dependency = self._model.dependencies.get(wire.parameter)
            if creation is None or dependency is None or dependency.resource != creation.resource:
                continue
            if reading.exchange.ok:
                self._worked(seed, wire)
                continue
            if not maker.exchange.ok or reading.exchange.status not in (404, 410):
                continue
            if maker.actor != reading.actor:
                continue
            evidence = self._evidence(wire, maker, reading)
            if evidence:
                yield alarm(
                    BugKind.CREATED_MISSING,
                    creation.operation,
                    reading.exchange.status,
                    "",
                    position=last,
                    message=f"created with {maker.exchange.status}, and answers {reading.exchange.status}",
                    severity=Severity.MEDIUM,
                    evidence=f"{reading.exchange.request.operation} finds nothing; {evidence}",
                    check=Check(statuses=("404", "410"), pause=_PAUSES[-1]),
                )

    def _worked(self, seed: Seed, wire: Wire) -> None:
        step = seed.steps[wire.step]
        if self._spec.operations[step.entry.operation].method is Method.GET:
            self._reads.worked.add((seed.steps[wire.producer].entry.operation, step.entry.operation))

    def _evidence(self, wire: Wire, maker: StepResult, reading: StepResult) -> str:
        response = maker.exchange.response
        location = response.header("location") if response is not None else None
        if location and urlsplit(location).path == urlsplit(reading.exchange.request.target).path:
            return "the creation's Location header names exactly this address"
        pair = (maker.exchange.request.operation, reading.exchange.request.operation)
        if self._looks_elsewhere(reading.exchange.request.operation):
            return ""
        proven = "others that were created the same way are found" if pair in self._reads.worked else ""
        creating, shown = (self._spec.operations[one].template for one in pair)
        if segments(shown) not in (segments(creating), (*segments(creating), segments(shown)[-1])):
            return proven
        used = reading.arguments.path.get(wire.parameter.pointer, "")
        if not _SIMPLE.match(used):
            return ""  # how odd letters are written in a path is a question of its own
        creation = self._model.creations[maker.exchange.request.operation]
        if any(maker.arguments.get(ref) == used for ref in creation.identified_by):
            return "the creation's own request chose the identity"
        named = _plain(wire.parameter.pointer)
        for bound, binding in reading.bound:
            known = _plain(binding.pointer.rpartition("/")[2])
            # Another name may be another thing: the ``name`` of a release is not its ``tag_name``.
            same = known == named or (known in ("id", "iid", "uuid") and named.endswith(known))
            if bound == wire and binding.source in (Source.RESPONSE, Source.REQUEST) and same:
                return f"the creation gave the identity as {binding.pointer!r}"
        return proven

    def _looks_elsewhere(self, operation: OperationId) -> bool:
        """Can a read be told where to look? Then it may well look where the new thing is not."""
        parameters = self._spec.operations[operation].parameters
        return any(
            one.ref.location is Location.QUERY and _plain(one.ref.pointer) in _PLACES for one in parameters
        )


def _with_simple_names(step: Step, creation: Creation) -> Step:
    """What is new gets a name of plain letters."""
    arguments = step.entry.arguments
    for ref in creation.identified_by:
        value = arguments.get(ref)
        if isinstance(value, str) and value and not _SIMPLE.match(value) and ref not in step.entry.uses:
            arguments = arguments.with_value(
                ref, re.sub(r"[^A-Za-z0-9]+", "-", value)[:40].strip("-") or "new"
            )
    return replace(step, entry=replace(step.entry, arguments=arguments))


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
