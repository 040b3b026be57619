"""Reading refusals: which field a 400, 409 or 422 complains about, and what to send instead."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lobrest.enhance.values import ValueMaker, as_text
from lobrest.fuzz.judge import message, parsed
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Response
from lobrest.model.operation import ApiSpec, Json, Location, Operation, Parameter, ParameterRef
from lobrest.spec.fields import BodyFields


class Complaint(StrEnum):
    """What is wrong with a field."""

    MISSING = "missing"
    TAKEN = "taken"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    UNWELCOME = "unwelcome"
    INVALID = "invalid"


def _sign(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_SIGNS: Sequence[tuple[Complaint, re.Pattern[str]]] = (
    (
        Complaint.TAKEN,
        _sign(
            r"already|taken|duplicate|conflict|unique|been used|in use\b",
            r"exist(?!\W*not)s?\b(?<!not exist)",
        ),
    ),
    (
        Complaint.UNWELCOME,
        _sign(
            r"unknown (field|parameter|property|key|attribute)|unexpected|not (allowed|permitted|supported)",
            r"additional propert|extra (field|input)|mutually exclusive|cannot be (used|set|combined)",
            r"forbidden field",
        ),
    ),
    (
        Complaint.MISSING,
        _sign(
            r"missing|required|must (be (present|provided|set|specified|given)|have)|not provided|no value",
            r"((must|may|should) not|can'?t|cannot) be (blank|empty|null)|(is|are) (blank|empty|null)|at least one",
            r"expected .* (got|but) (null|none)",
        ),
    ),
    (Complaint.TOO_SHORT, _sign(r"too short|at least \d+ char|min(imum)?[ _]?(length|size)|shorter")),
    (
        Complaint.TOO_LONG,
        _sign(
            r"too (long|large|big|high|many)|at most|no more than|max(imum)?[ _]?(length|size)",
            r"exceed|longer|greater than",
        ),
    ),
    (
        Complaint.INVALID,
        _sign(
            r"invalid|not (a )?valid|malformed|wrong|must be|should be|expected|does not have|doesn'?t have",
            r"cannot (parse|unmarshal|convert)|unparsable|format|bad |not (in|one of)\b",
        ),
    ),
)
_NOT_THERE = _sign(
    r"not (exist|found)|does ?n.t exist|no such|unknown(?! (field|parameter|property|key|attribute))"
)
_WORD = r"['\"]?[\w.-]+['\"]?"
_CHOICES = _sign(rf"(?:one of|in|either|values?:?)[\s:]*[\[({{]?((?:{_WORD}\s*(?:,|\||\bor\b)\s*)+{_WORD})")
_SPLIT = re.compile(r"\s*(?:,|\||\bor\b)\s*")
_NUMBER = re.compile(r"\d{1,5}")
_INNER = _sign(r"(?:option|key|entry|attribute|setting)s?\W{1,3}([a-z_]\w*)")
_FRESH = re.compile(r"(-x[0-9a-z]{4,}|_x[0-9a-z]{4,}|_X[0-9A-Z]{4,})$")


@dataclass(frozen=True, slots=True)
class Finding:
    """One field and what the service has against it."""

    parameter: ParameterRef
    complaint: Complaint
    choices: tuple[str, ...] = ()
    number: int | None = None
    inner: str = ""
    """A name inside the field that the service misses."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The arguments to send instead, and what was read out of the refusal."""

    arguments: Arguments
    findings: tuple[Finding, ...]


class Repairer:
    """Repairs the refused requests of one play: chance is its argument."""

    def __init__(self, spec: ApiSpec, fields: BodyFields, values: ValueMaker, chance: random.Random) -> None:
        self._spec = spec
        self._fields = fields
        self._values = values
        self._chance = chance

    def repaired(
        self,
        operation: Operation,
        arguments: Arguments,
        response: Response,
        *,
        bound: frozenset[ParameterRef],
        token: str,
        tries: int,
    ) -> Repair | None:
        """Arguments that meet the complaint, or None where nothing can be read out of it.

        ``bound`` parameters get their values elsewhere and are left alone unless they are optional.
        """
        declared = self._declared(operation)
        found = tuple(findings(response, declared, arguments))
        for finding in found:
            parameter = next((one for one in declared if one.ref == finding.parameter), None)
            if parameter is None:
                continue
            if finding.parameter in bound and finding.complaint is not Complaint.UNWELCOME:
                continue
            arguments = self._mend(operation, arguments, parameter, finding, token)
        if found:
            return Repair(arguments, found)
        changed = self._otherwise(operation, arguments, bound, tries)
        return Repair(changed, ()) if changed is not None and changed != arguments else None

    def _declared(self, operation: Operation) -> tuple[Parameter, ...]:
        return (*operation.parameters, *self._fields.of(operation))

    def _mend(
        self,
        operation: Operation,
        arguments: Arguments,
        parameter: Parameter,
        finding: Finding,
        token: str,
    ) -> Arguments:
        ref = parameter.ref
        current = arguments.get(ref)
        match finding.complaint:
            case Complaint.UNWELCOME:
                return arguments.without(ref)
            case Complaint.MISSING if (
                finding.inner and isinstance(current, dict) and finding.inner not in current
            ):
                inner = self._values.generator.value({"type": "string"}, name=finding.inner)
                return arguments.with_value(ref, {**current, finding.inner: inner})
            case Complaint.TAKEN:
                value = current if current is not None else self._values.generator.value(parameter.schema)
                return arguments.with_value(ref, freshened(value, token))
            case Complaint.TOO_SHORT:
                return arguments.with_value(ref, as_text(current) + "x" * max(finding.number or 8, 8))
            case Complaint.TOO_LONG if isinstance(current, str):
                return arguments.with_value(ref, current[: max(1, (finding.number or 20) - 1)])
            case Complaint.MISSING if current is None or current in ("", [], {}):
                value = self._values.known_value(
                    operation.id,
                    parameter.name,
                    self._values.generator.value(parameter.schema, name=parameter.name),
                )
                return arguments.with_value(
                    ref, self._chance.choice(finding.choices) if finding.choices else value
                )
            case _:
                if finding.choices:
                    return arguments.with_value(ref, self._chance.choice(finding.choices))
                if not parameter.required and current is not None and self._chance.random() < 0.6:
                    return arguments.without(ref)
                value = self._values.generator.value(parameter.schema, name=parameter.name)
                return arguments.with_value(ref, value)

    def _otherwise(
        self, operation: Operation, arguments: Arguments, bound: frozenset[ParameterRef], tries: int
    ) -> Arguments | None:
        """Nothing was named: fewer fields first, then a combination known to work, then more fields."""
        kept = {ref.pointer.partition("/")[0] for ref in bound if ref.location is Location.BODY}
        if tries == 0 and isinstance(arguments.body, dict) and len(arguments.body) > len(kept) + 1:
            required = {one.ref.pointer for one in self._fields.of(operation) if one.required}
            body = {name: value for name, value in arguments.body.items() if name in required | kept}
            return replace(arguments, body=body, query={})
        if tries <= 1:
            other = self._values.arguments(operation.id)
            return _merged(arguments, other, bound)
        if arguments.has_body or operation.body is not None:
            other = self._values.with_body(operation, arguments)
            return _merged(arguments, other, bound)
        return None


def findings(response: Response, declared: Sequence[Parameter], arguments: Arguments) -> Iterator[Finding]:
    """Fields of the operation that a refusal names, or whose value it quotes, each with what is wrong."""
    body = parsed(response)
    text = message(response)
    by_name: dict[str, Parameter] = {}
    for parameter in declared:
        by_name.setdefault(_plain(parameter.name), parameter)
        by_name.setdefault(_plain(parameter.ref.pointer), parameter)
    seen: set[ParameterRef] = set()
    for name, said in _named_texts(body):
        named = by_name.get(_plain(name))
        outer, _, inner = name.partition(".")
        if named is None and inner and complaint_of(said) is Complaint.MISSING:
            around = by_name.get(_plain(outer))  # what is inside an open field is declared nowhere
            if around is not None and around.ref not in seen:
                seen.add(around.ref)
                yield replace(_finding(around, Complaint.MISSING, said), inner=inner)
            continue
        if named is not None and named.ref not in seen:
            complaint = complaint_of(said)
            if complaint is not None:
                seen.add(named.ref)
                yield _finding(named, complaint, said)
    if seen:
        return
    overall = complaint_of(text)
    if overall is None:
        return
    for parameter in declared:
        sent = arguments.get(parameter.ref)
        quoted = [one for one in (sent if isinstance(sent, list) else [sent]) if isinstance(one, str)]
        if any(len(one) > 3 and one in text for one in quoted) and parameter.ref not in seen:
            seen.add(parameter.ref)
            yield _finding(parameter, overall, text)
    if seen:
        return
    words = {_plain(word) for word in re.findall(r"[A-Za-z_][\w.\[\]-]*", text)}
    for name, parameter in by_name.items():
        if len(name) > 1 and name in words and parameter.ref not in seen:
            seen.add(parameter.ref)
            yield _finding(parameter, overall, text)
    if seen or overall is not Complaint.TAKEN:
        return
    for parameter in declared:  # "the repository with the same name" is about ``repo_name``
        last = re.split(r"[_.\-/]|(?<=[a-z])(?=[A-Z])", parameter.ref.pointer)[-1]
        if _plain(last) in words and isinstance(arguments.get(parameter.ref), str):
            yield _finding(parameter, overall, text)


def complaint_of(text: str) -> Complaint | None:
    """What a message complains about."""
    if _NOT_THERE.search(text):
        return Complaint.INVALID
    return next((complaint for complaint, sign in _SIGNS if sign.search(text)), None)


def _finding(parameter: Parameter, complaint: Complaint, text: str) -> Finding:
    choices = _CHOICES.search(text)
    options = tuple(word.strip("'\" ") for word in _SPLIT.split(choices.group(1))) if choices else ()
    number = _NUMBER.search(text)
    inner = _INNER.search(text) if complaint is Complaint.MISSING else None
    return Finding(
        parameter.ref,
        complaint,
        options,
        int(number.group()) if number else None,
        inner.group(1) if inner else "",
    )


def _named_texts(body: Json) -> Iterator[tuple[str, str]]:
    """Pairs of a field name and what is said of it, in the forms services use."""
    if isinstance(body, dict):
        place = (
            body.get("loc") or body.get("field") or body.get("path") or body.get("param") or body.get("name")
        )
        said = body.get("msg") or body.get("message") or body.get("error") or body.get("description")
        if isinstance(said, str) and place:
            names = [str(part) for part in (place if isinstance(place, list) else [place]) if part != "body"]
            if names:
                yield names[-1], said
        for key, value in body.items():
            if isinstance(value, str):
                yield key, value
            elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
                yield key, " ".join(str(item) for item in value)
            else:
                yield from _named_texts(value)
    elif isinstance(body, list):
        for item in body[:20]:
            yield from _named_texts(item)


def _plain(name: str) -> str:
    last = re.split(r"[./\[\]]", name.strip("[]"))[-1] or name
    return re.sub(r"[^a-z0-9]", "", last.lower())


def _merged(old: Arguments, new: Arguments, bound: frozenset[ParameterRef]) -> Arguments:
    """The new combination with the bound values of the old one."""
    merged = replace(new, path={**new.path, **old.path})
    for ref in bound:
        value = old.get(ref)
        if value is not None and ref.location is not Location.PATH:
            merged = merged.with_value(ref, value)
    return merged


def freshened(value: Json, token: str) -> Json:
    """A value like the given one that nothing else has, written in the letters that it is written in."""
    if isinstance(value, str):
        name, at, host = value.partition("@")
        stem = _FRESH.sub("", name)
        if at:
            return f"{stem}-x{token}@{host}"
        if "_" in stem and re.fullmatch(r"\w+", stem):
            ending = f"_X{token.upper()}" if stem.isupper() else f"_x{token}"
        else:
            ending = f"-x{token}"
        return f"{stem[:40]}{ending}"
    if isinstance(value, list):
        return [freshened(item, token) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return value + int(token, 36) % 100_000 + 1
    return value
