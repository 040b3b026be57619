"""Further steps at the end of a flow that works, on the same things."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from lobrest.fuzz.edit import rebuilt
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance, ResourceModel
from lobrest.model.seed import Identity, Origin, Seed, Step, Wire


def grounded(seed: Seed, model: ResourceModel) -> bool:
    """Is everything that the paths of the last step, and of all it stands on, refer to bound at run time?"""
    bound: dict[int, set[ParameterRef]] = {}
    producers: dict[int, set[int]] = {}
    for wire in seed.wires:
        bound.setdefault(wire.step, set()).add(wire.parameter)
        producers.setdefault(wire.step, set()).add(wire.producer)
    for identity in seed.identities:
        bound.setdefault(identity.step, set()).add(identity.parameter)
    waiting, seen = [len(seed.steps) - 1], set[int]()
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        waiting.extend(producers.get(index, ()))
        entry = seed.steps[index].entry
        creation = model.creations.get(entry.operation)
        own = creation.identified_by if creation is not None else ()
        for name in entry.arguments.path:
            ref = ParameterRef(entry.operation, Location.PATH, name)
            if ref in model.dependencies and ref not in bound.get(index, set()) and ref not in own:
                return False
    return True


class Extension:
    """Builds a longer flow from the first ``keep`` steps of another; copies keep their wiring."""

    def __init__(self, base: Seed, keep: int) -> None:
        self._base = base
        self.steps: list[Step] = list(base.steps[:keep])
        self._wires: list[Wire] = [wire for wire in base.wires if wire.step < keep]
        self._identities: list[Identity] = [one for one in base.identities if one.step < keep]

    def copy(
        self,
        index: int,
        reason: str,
        *,
        user: UserId | None = None,
        anonymous: bool = False,
        headers: tuple[tuple[str, str], ...] = (),
        pause: float = 0.0,
        broken: bool = True,
        instead: dict[int, int] | None = None,
    ) -> int:
        """A step of the base once more; ``instead`` says which producers give way to which."""
        step = self._base.steps[index]
        return self._add(
            step,
            index,
            step.entry,
            {ref: ref for ref in self._bound(index)},
            reason,
            user=user,
            anonymous=anonymous,
            headers=headers,
            pause=pause,
            broken=broken,
            instead=instead or {},
        )

    def on_the_same(
        self,
        index: int,
        operation: OperationId,
        names: Container[str],
        reason: str,
        *,
        user: UserId | None = None,
        anonymous: bool = False,
        pause: float = 0.0,
    ) -> int:
        """Another operation with those path parameters of a step of the base that are named."""
        entry = self._base.steps[index].entry
        path = {name: value for name, value in entry.arguments.path.items() if name in names}
        moved = {
            ref: ParameterRef(operation, Location.PATH, ref.pointer)
            for ref in {*entry.uses, *self._bound(index)}
            if ref.location is Location.PATH and ref.pointer in names
        }
        changed = LogEntry(
            at=entry.at,
            operation=operation,
            arguments=Arguments(path=path),
            user=entry.user,
            status=0,
            uses={moved[ref]: one for ref, one in entry.uses.items() if ref in moved},
        )
        step = Step(changed, Origin.MUTATION)
        return self._add(
            step, index, changed, moved, reason, user=user, anonymous=anonymous, headers=(), pause=pause,
            broken=True, instead={},
        )  # fmt: skip

    def unless(self, settled: int) -> None:
        """The step added last need not wait where the one before was answered 2XX (2) or 4XX (4)."""
        self.steps[-1] = replace(self.steps[-1], settled=settled)

    def bind(self, parameter: ParameterRef, producer: int, instance: ResourceInstance) -> None:
        """A parameter of the step added last gets its value from an earlier one."""
        here = len(self.steps) - 1
        step = self.steps[here]
        entry = replace(
            step.entry,
            arguments=step.entry.arguments.with_value(parameter, instance.value),
            uses={**step.entry.uses, parameter: instance},
        )
        self.steps[here] = replace(step, entry=entry)
        self._wires.append(Wire(here, parameter, producer, instance))

    def _bound(self, index: int) -> set[ParameterRef]:
        wired = {wire.parameter for wire in self._base.wires if wire.step == index}
        return wired | {one.parameter for one in self._base.identities if one.step == index}

    def _add(
        self,
        step: Step,
        index: int,
        entry: LogEntry,
        moved: dict[ParameterRef, ParameterRef],
        reason: str,
        *,
        user: UserId | None,
        anonymous: bool,
        headers: tuple[tuple[str, str], ...],
        pause: float,
        broken: bool,
        instead: dict[int, int],
    ) -> int:
        here = len(self.steps)
        arguments = entry.arguments
        if headers:
            arguments = replace(arguments, header={**arguments.header, **dict(headers)})
        self.steps.append(
            replace(
                step,
                entry=replace(entry, arguments=arguments, user=entry.user if user is None else user),
                reason=reason,
                anonymous=anonymous or step.anonymous,
                concurrent=False,
                broken=broken or step.broken,
                pause=pause,
            )
        )
        self._wires.extend(
            replace(
                wire,
                step=here,
                parameter=moved[wire.parameter],
                producer=instead.get(wire.producer, wire.producer),
            )
            for wire in self._base.wires
            if wire.step == index and wire.parameter in moved
        )
        self._identities.extend(
            replace(
                one,
                step=here,
                parameter=moved[one.parameter],
                owner_of=None if one.owner_of is None else instead.get(one.owner_of, one.owner_of),
            )
            for one in self._base.identities
            if one.step == index and one.parameter in moved
        )
        return here

    def seed(self, name: str) -> Seed:
        """The finished flow."""
        return rebuilt(self._base, tuple(self.steps), tuple(self._wires), tuple(self._identities), name)
