"""Requests that the specification forbids and the service takes (fault 102 of Web Fuzzing Commons)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.validators import Validators
from lobrest.fuzz.play import StepResult
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.operation import ApiSpec, Json, Location, Operation
from lobrest.model.seed import Step

_NOT_JSON: Final = object()


@dataclass(slots=True)
class Leniency:
    """What the service takes every day although the specification forbids it: no news."""

    usual: set[tuple[str, str]] = field(default_factory=set)
    """Operation and what is wrong."""


class InvalidOracle:
    """Tells requests broken on purpose that were answered 2XX, by what is wrong with them."""

    def __init__(self, spec: ApiSpec, validators: Validators, leniency: Leniency) -> None:
        self._spec = spec
        self._validators = validators
        self._leniency = leniency

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Learns from right requests what the document is wrong about, and judges the broken ones by the rest."""
        performance = seen.performance
        for position, (step, result) in enumerate(
            zip(performance.plan.seed.steps, performance.results, strict=True)
        ):
            if not result.exchange.ok or position in seen.astray:
                continue
            if not step.broken and not (seen.first_play and seen.looked_at[position]):
                continue
            operation = self._spec.operations[step.entry.operation]
            wrong = list(self._wrong(operation, step, result))
            if not step.broken and step.entry.source is None:
                continue
            if not step.broken:
                self._leniency.usual.update((str(operation.id), what) for what, _ in wrong)
                continue
            for what, evidence in wrong[:2]:
                if (str(operation.id), what) not in self._leniency.usual:
                    yield alarm(
                        BugKind.INVALID_ACCEPTED,
                        operation.id,
                        result.exchange.status,
                        what,
                        position=position,
                        message=f"takes a request in which {what}",
                        severity=Severity.LOW,
                        evidence=evidence,
                        check=Check(statuses=("2XX",)),
                    )

    def _wrong(self, operation: Operation, step: Step, result: StepResult) -> Iterator[tuple[str, str]]:
        """What is wrong with a request, and in the validator's words."""
        arguments = result.arguments
        for parameter in operation.parameters:
            place = parameter.ref.location
            if (
                parameter.required
                and place is Location.QUERY
                and parameter.ref.pointer not in arguments.query
            ):
                yield f"query {parameter.ref.pointer!r} is missing", "it is declared as required"
        if operation.body is None:
            return
        sent = _sent(step, result)
        if sent is _NOT_JSON:
            if any("json" in kind for kind in operation.body.media):
                yield "the body is no JSON", ascii((step.raw_body or b"")[:80])
            return
        compiled = self._validators.request(operation)
        if compiled is None or (sent is None and not operation.body.required):
            return
        if "json" not in (arguments.media_type or "json") or compiled.is_valid(sent):  # type: ignore[arg-type]
            return
        for error in compiled.errors(sent):  # type: ignore[arg-type]
            keyword = str(error.schema_path[-1]) if error.schema_path else ""
            if error.instance is None and keyword != "required":
                continue  # null is how many clients leave a field out
            where = "/".join("*" if isinstance(part, int) else part for part in error.instance_path)
            if keyword == "required":
                missing = str(getattr(error.kind, "property", ""))
                where = f"{where}/{missing}" if where else missing
                yield f"{where!r} is missing", error.message[:200]
            elif keyword != "additionalProperties":
                yield f"{where or 'the body'!r} is wrong by {keyword!r}", error.message[:200]


def _sent(step: Step, result: StepResult) -> Json | object:
    """The body as the service reads it."""
    if step.raw_body is None:
        return result.arguments.body if result.arguments.has_body else None
    try:
        decoded: Json = msgspec.json.decode(step.raw_body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None if not step.raw_body.strip() else _NOT_JSON
    return decoded
