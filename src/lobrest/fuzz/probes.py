"""What can be wrong about one request, in the order in which it usually pays."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest

from lobrest.fuzz.edit import rebuilt, reordered
from lobrest.fuzz.mutators.odd import odd_values
from lobrest.model.operation import ApiSpec, Json, Location, Operation, Parameter, ParameterRef
from lobrest.model.seed import Seed, Step


class Wrong(StrEnum):
    """How a request is broken."""

    VALUE = "value"
    LEFT_OUT = "left out"
    RAW = "raw"
    ANONYMOUS = "anonymous"


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing to break."""

    wrong: Wrong
    ref: ParameterRef | None = None
    value: Json = None
    raw: bytes = b""


def probes_of(
    operation: Operation, declared: Iterable[Parameter], spec: ApiSpec, chance: random.Random
) -> list[Probe]:
    """Everything worth breaking about an operation: one odd value of every parameter, then the next of every …"""
    rows: list[list[Probe]] = []
    for parameter in declared:
        odd = odd_values(spec.resolve(parameter.schema))
        row = [Probe(Wrong.VALUE, parameter.ref, value) for value in odd]
        if parameter.required and parameter.ref.location is not Location.PATH:
            row.insert(1, Probe(Wrong.LEFT_OUT, parameter.ref))
        rows.append(row)
    chance.shuffle(rows)
    found = [probe for round_ in zip_longest(*rows) for probe in round_ if probe is not None]
    if operation.body is not None:
        raw = (b"{", b"", b"null", b"[]", b"[" * 500 + b"]" * 500, b'"\xff"', b'{"a":1,"a":2}')
        found[4:4] = [Probe(Wrong.RAW, raw=body) for body in raw]
    found.insert(min(8, len(found)), Probe(Wrong.ANONYMOUS))
    return found


def probing(base: Seed, probes: Iterable[Probe]) -> Seed:
    """The flow once, and its last request again and again, broken in another way each time."""
    broken = list(probes)
    last = len(base.steps) - 1
    fan = reordered(base, [*range(last), *([last] * len(broken))], "probe")
    steps = list(fan.steps)
    gone: set[tuple[int, ParameterRef]] = set()
    for offset, probe in enumerate(broken):
        steps[last + offset] = _applied(steps[last + offset], probe)
        if probe.ref is not None:
            gone.add((last + offset, probe.ref))
    return rebuilt(
        base,
        tuple(steps),
        tuple(wire for wire in fan.wires if (wire.step, wire.parameter) not in gone),
        tuple(one for one in fan.identities if (one.step, one.parameter) not in gone),
        "probe",
    )


def _applied(step: Step, probe: Probe) -> Step:
    arguments = step.entry.arguments
    if probe.wrong is Wrong.ANONYMOUS:
        return replace(step, anonymous=True, broken=True)
    if probe.wrong is Wrong.RAW:
        return replace(step, raw_body=probe.raw, broken=True)
    if probe.ref is not None:
        if probe.wrong is Wrong.LEFT_OUT:
            arguments = arguments.without(probe.ref)
        else:
            arguments = arguments.with_value(probe.ref, probe.value)
    return replace(step, entry=replace(step.entry, arguments=arguments), broken=True)
