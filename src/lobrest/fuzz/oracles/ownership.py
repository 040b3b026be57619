"""Other people's things, read or changed (fault 206 of Web Fuzzing Commons).

Public and shared things raise no alarm. Either the stranger is refused something that the thing is in,
in the same play, or the log shows that only owners ever do what the stranger could do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from lobrest.fuzz.cast import cast
from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.extend import Extension
from lobrest.fuzz.oracles.reading import (
    Readers,
    ends_with_parameter,
    parameter_names,
    segments,
    shows_something,
)
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.entry import UserId
from lobrest.model.operation import ApiSpec, Json, Location, Method, OperationId, Schema
from lobrest.model.resource import ResourceInstance, ResourceModel
from lobrest.model.seed import Seed, Step
from lobrest.model.slice import Slice
from lobrest.spec.fields import BodyFields

LOOK: Final = "foreign: look"
TRY: Final = "foreign: try"
_DENIED: Final = (401, 403, 404)
_ENOUGH: Final = 5
"""Times that the log must show owners, and never anybody else."""
_OWN: Final = re.compile(r"^(user|users?|me|self|my|myself|account|profile|current[_-]?user)$", re.IGNORECASE)
_CHANGES: Final = (Method.PUT, Method.PATCH, Method.DELETE)


@dataclass(slots=True)
class Denials:
    """Who was refused what: somebody who is refused nothing may well be allowed everything."""

    by_actor: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Owners:
    """How often each operation of the log was sent by whoever made the thing it is about, and by others."""

    own: Mapping[OperationId, int]
    others: Mapping[OperationId, int]

    def only(self, operation: OperationId) -> bool:
        """Does the log show owners alone, and often enough?"""
        return self.own.get(operation, 0) >= _ENOUGH and not self.others.get(operation, 0)


def mine_owners(slices: Iterable[Slice], model: ResourceModel) -> Owners:
    """From flows whose creations the log shows. Who made a thing owns it and what is in it."""
    maker: dict[ResourceInstance, UserId] = {}
    pieces = list(slices)
    for piece in pieces:
        for entry in piece.entries:
            if entry.creates is not None:
                maker.setdefault(entry.creates, entry.user)
    own: dict[OperationId, int] = {}
    others: dict[OperationId, int] = {}
    for piece in pieces:
        for entry in piece.entries:
            if not 200 <= entry.status < 300 or entry.creates is not None:
                continue
            owners = {
                maker[one]
                for instance in entry.uses.values()
                for one in (instance, *instance.ancestors())
                if one in maker and one.resource not in model.acting_users
            }
            if owners:
                counts = own if entry.user in owners else others
                counts[entry.operation] = counts.get(entry.operation, 0) + 1
    return Owners(own, others)


class OwnershipOracle:
    """A stranger looks at what the thing is in, then does what its owner has just been able to do."""

    name = BugKind.FOREIGN_READ

    def __init__(
        self,
        spec: ApiSpec,
        model: ResourceModel,
        readers: Readers,
        owners: Owners,
        denials: Denials,
        *,
        everybody: tuple[str, ...],
        people: Mapping[str, Json],
    ) -> None:
        self._spec = spec
        self._model = model
        self._readers = readers
        self._owners = owners
        self._denials = denials
        self._fields = BodyFields(spec)
        self._everybody = everybody
        self._ordinary = [name for name in everybody if not is_administrator(people.get(name))]

    def probe(self, base: Seed, _context: MutationContext) -> Seed | None:
        """The flow up to its last step, what a stranger sees of it, and the last step by the stranger."""
        last = len(base.steps) - 1
        step = base.steps[last]
        operation = self._spec.operations[step.entry.operation]
        made = any(
            wire.step == last
            and wire.parameter.location is Location.PATH
            and wire.instance.resource not in self._model.acting_users
            and base.steps[wire.producer].entry.operation in self._model.creations
            for wire in base.wires
        )
        if not made or _OWN.match(segments(operation.template)[0]):
            return None
        stranger = self._stranger(base)
        if stranger is None:
            return None
        flow = Extension(base, last)
        for index in {wire.producer for wire in base.wires if wire.step == last}:
            flow.steps[index] = self._private(flow.steps[index])
        looks = self._readers.above(operation)
        own = self._readers.of(operation)
        if own is not None and own.id != operation.id:
            looks.insert(0, own)
        for reader in {one.id: one for one in (*looks[:1], *looks[-1:])}.values():
            flow.on_the_same(last, reader.id, parameter_names(reader.template), LOOK, user=stranger)
        flow.copy(last, TRY, user=stranger)
        return flow.seed(self.name)

    def _private(self, step: Step) -> Step:
        """A creation that says, where it can, that what it makes is for nobody else."""
        operation = self._spec.operations[step.entry.operation]
        if operation.id not in self._model.creations:
            return step
        arguments = step.entry.arguments
        for parameter in self._fields.of(operation):
            value = private_value(parameter.name, self._spec.resolve(parameter.schema))
            if value is not None and "/" not in parameter.ref.pointer:
                arguments = arguments.with_value(parameter.ref, value)
        return replace(step, entry=replace(step.entry, arguments=arguments))

    def _stranger(self, base: Seed) -> UserId | None:
        parts = cast(base, self._everybody)
        taken = {*parts.values(), *map(str, base.users)}
        return next((UserId(name) for name in self._ordinary if name not in taken), None)

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """What the stranger could do although something around it was refused."""
        steps, results = seen.performance.plan.seed.steps, seen.performance.results
        attempt = next((index for index, step in enumerate(steps) if step.reason == TRY), None)
        if attempt is None:
            return
        looks = [index for index, step in enumerate(steps[:attempt]) if step.reason == LOOK]
        tried = results[attempt]
        denied = [index for index in looks if results[index].exchange.status in _DENIED]
        if denied or tried.exchange.status == 403:
            self._denials.by_actor[tried.actor] = self._denials.by_actor.get(tried.actor, 0) + 1
        seed = seen.performance.plan.seed
        makers = [results[wire.producer] for wire in seed.wires if wire.step == attempt]
        if not tried.exchange.ok or not all(maker.exchange.ok for maker in makers):
            return
        if not tried.actor or tried.actor in {maker.actor for maker in makers}:
            return
        operation = self._spec.operations[tried.exchange.request.operation]
        reads = operation.method in (Method.GET, Method.HEAD)
        if denied:
            shut = results[denied[0]].exchange
            evidence = f"{shut.request.operation} is refused with {shut.status} to the same user"
        elif (
            operation.method in _CHANGES
            and ends_with_parameter(operation.template)
            and self._owners.only(operation.id)
            and self._denials.by_actor.get(tried.actor, 0) > 0
        ):
            count = self._owners.own[operation.id]
            evidence = f"the log shows it {count} times, always by whoever made the thing"
        else:
            return
        if reads and not shows_something(tried.exchange.response):
            return
        yield alarm(
            BugKind.FOREIGN_READ if reads else BugKind.FOREIGN_CHANGE,
            operation.id,
            tried.exchange.status,
            "",
            position=attempt,
            message=f"{'shows' if reads else 'changes'} what belongs to somebody else",
            severity=Severity.HIGH,
            evidence=evidence,
            check=Check(statuses=("2XX",)),
            needs=denied[:1],
        )


def private_value(name: str, schema: Schema) -> Json:
    """The value of a field that makes a thing private, or None where the field is about something else."""
    lowered = name.lower().replace("_", "")
    options = schema.get("enum")
    if isinstance(options, list):
        about = re.search(r"visib|privacy|access", lowered)
        return next((one for one in options if about and one in ("private", "PRIVATE", "Private")), None)
    if schema.get("type") == "boolean" and lowered in ("private", "isprivate"):
        return True
    return False if schema.get("type") == "boolean" and lowered in ("public", "ispublic") else None


def is_administrator(person: Json) -> bool:
    """Does the service itself say that somebody may do everything?"""
    if not isinstance(person, dict):
        return False
    for name, value in person.items():
        lowered = name.lower().replace("_", "")
        if (
            lowered in ("isadmin", "admin", "siteadmin", "issuperuser", "superuser", "isstaff")
            and value is True
        ):
            return True
        role = value if lowered in ("role", "type", "usertype", "rootrole") else None
        if isinstance(role, str) and re.search(r"admin|owner|root|superuser", role, re.IGNORECASE):
            return True
    return False
