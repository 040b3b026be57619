"""Answers that are not what the specification says they are (fault 101 of Web Fuzzing Commons)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import jsonschema_rs

from lobrest.fuzz.judge import parsed
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.validators import Compiled, Validators, json_type
from lobrest.model import pointer
from lobrest.model.bug import BugKey, BugKind, Check, Rule, Severity, ValueCheck
from lobrest.model.exchange import Response
from lobrest.model.operation import ApiSpec, Json, Method, Operation

_LARGEST: Final = 200_000
_MOST: Final = 4
"""Differences told of one answer."""
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


@dataclass(slots=True)
class Places:
    """Where a difference in a named schema was seen first: it is one finding wherever it shows."""

    first: dict[str, BugKey] = field(default_factory=dict)


class SchemaOracle:
    """Validates JSON answers, successes and refusals alike, by what is declared for their status."""

    def __init__(self, spec: ApiSpec, validators: Validators, places: Places) -> None:
        self._spec = spec
        self._validators = validators
        self._places = places
        self._may_be_null = spec.dialect.startswith("swagger")  # Swagger 2.0 has no word for it

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Differences, those in a named schema once however many operations show it."""
        for position, result in enumerate(seen.performance.results):
            response = result.exchange.response
            if response is None or not seen.looked_at[position] or response.status >= 500:
                continue
            operation = self._spec.operations[result.exchange.request.operation]
            yield from self._answer(position, operation, response)

    def _answer(self, position: int, operation: Operation, response: Response) -> Iterator[Alarm]:
        if operation.method is Method.HEAD or response.truncated or not 0 < len(response.body) <= _LARGEST:
            return
        if "json" not in (response.header("content-type") or "json"):
            return
        compiled = self._validators.answer(operation, response.status)
        if compiled is None:
            return
        document = parsed(response)
        if (document is None and response.body.strip() != b"null") or compiled.is_valid(document):
            return
        told: set[str] = set()
        for error in compiled.errors(document):
            if self._may_be_null and error.instance is None:
                continue
            found = _difference(position, operation, response, compiled, error)
            if found is not None and found.key.fingerprint.startswith("#"):
                key = self._places.first.setdefault(found.key.fingerprint, found.key)
                found = replace(found, key=key)
            if found is not None and found.key.fingerprint not in told:
                told.add(found.key.fingerprint)
                yield found
                if len(told) >= _MOST:
                    return


def _difference(
    position: int,
    operation: Operation,
    response: Response,
    compiled: Compiled,
    error: jsonschema_rs.ValidationError,
) -> Alarm | None:
    keyword = str(error.schema_path[-1]) if error.schema_path else ""
    value: Json = _plain(error.instance)
    kind = json_type(value)
    where = _generalised(error.instance_path, error.schema_path)
    name, inside = compiled.place(error)
    check = _check(error, keyword, kind, where)
    if value is None and keyword in ("anyOf", "oneOf", "allOf", "enum"):
        return None  # OpenAPI 3.0 has no way to say that a choice or a reference may be null
    if keyword == "additionalProperties" and not getattr(error.kind, "unexpected", None):
        return None
    detail = _detail(error, keyword, kind)
    place = f"#{name}/{inside}".rstrip("/") if name else where or "the answer"
    return alarm(
        BugKind.SCHEMA,
        operation.id,
        response.status,
        f"{place}: {detail}",
        position=position,
        message=f"{f'{name}: ' if name else ''}{where or 'the answer'} {detail}",
        severity=Severity.INFO if value is None or keyword == "additionalProperties" else Severity.LOW,
        evidence=f"{error.message[:300]} (at /{'/'.join(map(str, error.instance_path))})",
        check=Check(statuses=(str(response.status),), value=check),
    )


def _plain(value: object) -> Json:
    """A value without the decimals that the validator makes of large numbers."""
    if isinstance(value, dict | list | str | int | float) or value is None:
        return value
    return float(str(value))


def _generalised(path: list[str | int], schema_path: list[str | int]) -> str:
    """The place with ``*`` for elements, and for fields whose names are data."""
    free = sum(part in ("additionalProperties", "patternProperties") for part in schema_path[:-1])
    parts = ["*" if isinstance(part, int) else pointer.join(part) for part in path]
    if free and parts:
        # Which of the names are data cannot be told from the path alone where several levels are.
        parts = ["*" if free >= 1 and index >= len(parts) - 1 else part for index, part in enumerate(parts)]
    return "/".join(parts)


def _detail(error: jsonschema_rs.ValidationError, keyword: str, kind: str) -> str:
    match keyword:
        case "type":
            return f"is {kind}, not {' or '.join(_types(error))}"
        case "required":
            return f"has no {_missing(error)!r}"
        case "additionalProperties":
            unexpected = getattr(error.kind, "unexpected", [])
            return f"has undeclared {', '.join(sorted(map(str, unexpected))[:4])}"
        case "enum":
            return "is none of the values declared"
        case _:
            return f"is {kind} against {keyword}"


def _check(error: jsonschema_rs.ValidationError, keyword: str, kind: str, where: str) -> ValueCheck:
    match keyword:
        case "type":
            return ValueCheck(where, Rule.TYPE, tuple(_types(error)))
        case "required":
            return ValueCheck(where, Rule.REQUIRED, (_missing(error),))
        case "enum":
            options = getattr(error.kind, "options", None)
            if isinstance(options, list) and all(
                isinstance(one, str | int) or one is None for one in options
            ):
                return ValueCheck(where, Rule.ENUM, tuple(options))
    return ValueCheck(where, Rule.STILL_TYPE, (kind,))


def _types(error: jsonschema_rs.ValidationError) -> list[str]:
    return [one for one in _TYPES if one in set(map(str, getattr(error.kind, "types", [])))]


def _missing(error: jsonschema_rs.ValidationError) -> str:
    return str(getattr(error.kind, "property", ""))
