"""Arazzo documents, ours and other people's, as flows of requests with values that stand for answers.

A value that an earlier step's answer brings is a number of its own: the step that brings it gets an answer that
holds it. So a workflow reads like a log in which every identity is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import yaml

from lobrest.errors import InputError
from lobrest.export.arazzo import SEGMENT_FIELD, USER_FIELD
from lobrest.model import pointer
from lobrest.model.operation import ApiSpec, Json, Location, OperationId, ParameterRef
from lobrest.spec.fields import BodyFields

_STEP_OUTPUT = re.compile(r"\$steps\.([^.{}#\s]+)\.outputs\.([^.{}#\s]+)(?:#(/[^\s{}]*))?")
_INPUT = re.compile(r"\$inputs\.([\w.-]+)")
_WORKFLOW_OUTPUT = re.compile(r"\$workflows\.([^.{}#\s]+)\.outputs\.([^.{}#\s]+)")
_EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")
_STATUS = re.compile(r"\$statusCode\s*==\s*'?(\d{3})")
_FIRST_VALUE = 7_310_001
"""Identities are numbers: they fit where a number is wanted and where a text is."""
_MOST_STEPS = 500
_DEEPEST = 8
_LARGEST = 32 << 20


@dataclass(frozen=True, slots=True)
class Carried:
    """A parameter whose value is taken from an earlier step's answer."""

    parameter: ParameterRef
    producer: OperationId
    pointer: str
    """Where in the body of the answer; empty where it is a header's."""


@dataclass(slots=True)
class ReadStep:
    """One request."""

    operation: OperationId
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, Json] = field(default_factory=dict)
    header: dict[str, str] = field(default_factory=dict)
    body: Json = None
    has_body: bool = False
    media_type: str = ""
    user: str = ""
    status: int = 200
    answer: Json = None
    """What it must have answered for the later steps to have their values."""
    location: str = ""


@dataclass(frozen=True, slots=True)
class ReadWorkflow:
    """A workflow, with those that it calls or depends on put in."""

    name: str
    steps: tuple[ReadStep, ...]


@dataclass(frozen=True, slots=True)
class ArazzoFlows:
    """What a document gave."""

    workflows: tuple[ReadWorkflow, ...]
    carried: tuple[Carried, ...]
    notes: tuple[str, ...]
    """What could not be taken over, with its place."""


def is_arazzo(head: bytes) -> bool:
    """Does a file that begins like this claim to be an Arazzo document?"""
    return re.search(rb"""(?:^|[\n{,])\s*["']?arazzo["']?\s*:\s*["']?1\.""", head[:4096]) is not None


def read_arazzo(data: bytes, spec: ApiSpec, *, name: str) -> ArazzoFlows:
    """The flows of a document; raises ``InputError`` where it is none or none of its steps can be used."""
    document = _parsed(data, name)
    reader = _Reader(document, spec)
    workflows = tuple(one for one in reader.workflows() if one.steps)
    if not workflows:
        hint = reader.notes[0] if reader.notes else "is it for this specification?"
        raise InputError("no workflow with a step of this service", source=name, hint=hint)
    return ArazzoFlows(workflows, tuple(dict.fromkeys(reader.carried)), tuple(dict.fromkeys(reader.notes)))


def _parsed(data: bytes, name: str) -> Mapping[str, Any]:
    if len(data) > _LARGEST:
        raise InputError("is larger than 32 MiB", source=name)
    try:
        document = json.loads(data) if data.lstrip()[:1] == b"{" else yaml.load(data, Loader=yaml.CSafeLoader)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise InputError(f"cannot be read: {' '.join(str(error).split())[:160]}", source=name) from error
    if not isinstance(document, dict) or not str(document.get("arazzo", "")).startswith("1."):
        raise InputError("is no Arazzo 1 document", source=name, hint='its first field is "arazzo: 1.0.1"')
    return document


@dataclass(frozen=True, slots=True)
class _FromAnswer:
    """An output: a place in the answer of a step."""

    step: int
    pointer: str = ""
    header: str = ""
    segment: int = -1


@dataclass(frozen=True, slots=True)
class _Missing:
    """An input that nobody gives a value: one is generated."""


@dataclass(slots=True)
class _Scope:
    """What names mean inside one workflow."""

    name: str
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[tuple[str, str], Any] = field(default_factory=dict)
    """By step and name of the output."""


@dataclass(slots=True)
class _Draft:
    """The steps so far, with what they take from each other."""

    steps: list[ReadStep] = field(default_factory=list)
    values: dict[_FromAnswer, str] = field(default_factory=dict)
    workflow_outputs: dict[tuple[str, str], Any] = field(default_factory=dict)


class _Reader:
    def __init__(self, document: Mapping[str, Any], spec: ApiSpec) -> None:
        self._spec = spec
        self._fields = BodyFields(spec)
        self._document = document
        self._by_name = {
            operation.operation_id: operation.id
            for operation in spec.operations.values()
            if operation.operation_id
        }
        listed = document.get("workflows")
        self._workflows: dict[str, Mapping[str, Any]] = {
            str(one["workflowId"]): one
            for one in (listed if isinstance(listed, list) else [])
            if isinstance(one, dict) and "workflowId" in one
        }
        self._next_value = _FIRST_VALUE
        self.carried: list[Carried] = []
        self.notes: list[str] = []

    def workflows(self) -> Iterator[ReadWorkflow]:
        for name, workflow in self._workflows.items():
            draft = _Draft()
            self._play(name, workflow, {}, draft, (name,))
            yield ReadWorkflow(name, tuple(draft.steps))

    def _note(self, place: str, text: str) -> None:
        if len(self.notes) < 200:
            self.notes.append(f"{place}: {text}")

    def _play(
        self,
        name: str,
        workflow: Mapping[str, Any],
        given: Mapping[str, Any],
        draft: _Draft,
        above: tuple[str, ...],
    ) -> _Scope:
        """Append the steps of a workflow; its scope tells what its outputs are."""
        scope = _Scope(name, {**self._inputs(workflow), **given})
        for needed in _texts(workflow.get("dependsOn")):
            self._called(needed.rpartition(".")[2], {}, draft, above, f"{name}: dependsOn")
        for key in ("successActions", "failureActions"):
            if workflow.get(key):
                self._note(name, f"{key} are not followed: steps are played in their order")
        steps = workflow.get("steps")
        for step in steps if isinstance(steps, list) else []:
            if not isinstance(step, dict) or len(draft.steps) >= _MOST_STEPS:
                self._note(name, "a step that is none, or too many of them, was left out")
                break
            self._step(step, workflow, scope, draft, above)
        outputs = workflow.get("outputs")
        for output, expression in (outputs if isinstance(outputs, dict) else {}).items():
            draft.workflow_outputs[name, str(output)] = self._resolved(expression, scope, draft)
        return scope

    def _called(
        self, name: str, given: Mapping[str, Any], draft: _Draft, above: tuple[str, ...], place: str
    ) -> bool:
        called = self._workflows.get(name)
        if called is None or name in above or len(above) > _DEEPEST:
            why = "calls itself" if name in above else "is not in this document"
            self._note(place, f"the workflow {name} {why}")
            return False
        self._play(name, called, given, draft, (*above, name))
        return True

    def _inputs(self, workflow: Mapping[str, Any]) -> dict[str, Any]:
        schema = workflow.get("inputs")
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            name = schema["$ref"].rpartition("/")[2]
            schema = self._component("inputs", name)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        found: dict[str, Any] = {}
        for name, one in (properties if isinstance(properties, dict) else {}).items():
            if not isinstance(one, dict):
                continue
            for key in ("default", "const", "example"):
                if key in one:
                    found[str(name)] = one[key]
                    break
            else:
                several = one.get("examples") or one.get("enum")
                found[str(name)] = several[0] if isinstance(several, list) and several else _Missing()
        return found

    def _component(self, kind: str, name: str) -> Any:
        components = self._document.get("components")
        held = components.get(kind) if isinstance(components, dict) else None
        return held.get(name) if isinstance(held, dict) else None

    def _step(
        self,
        step: Mapping[str, Any],
        workflow: Mapping[str, Any],
        scope: _Scope,
        draft: _Draft,
        above: tuple[str, ...],
    ) -> None:
        step_id = str(step.get("stepId", len(draft.steps) + 1))
        place = f"{scope.name}.{step_id}"
        for key in ("onSuccess", "onFailure"):
            if step.get(key):
                self._note(place, f"{key} is not followed: steps are played in their order")
        parameters = [*self._parameters(workflow, place), *self._parameters(step, place)]
        if "workflowId" in step:
            name = str(step["workflowId"]).rpartition(".")[2]
            given = {
                str(one.get("name")): self._resolved(one.get("value"), scope, draft) for one in parameters
            }
            if self._called(name, given, draft, above, place):
                self._outputs(step, step_id, scope, draft, None, name)
            return
        operation = self._operation(step, place)
        if operation is None:
            return
        made = ReadStep(operation, user=str(step.get(USER_FIELD, "") or ""), status=_status(step, operation))
        index = len(draft.steps)
        draft.steps.append(made)
        for parameter in parameters:
            self._set_parameter(made, parameter, scope, draft, place)
        self._body(made, step, scope, draft, place)
        self._outputs(step, step_id, scope, draft, index, "")

    def _parameters(self, holder: Mapping[str, Any], place: str) -> Iterator[Mapping[str, Any]]:
        listed = holder.get("parameters")
        for one in listed if isinstance(listed, list) else []:
            if not isinstance(one, dict):
                continue
            reference = one.get("reference")
            if not isinstance(reference, str):
                yield one
                continue
            found = self._component("parameters", reference.rpartition(".")[2])
            if isinstance(found, dict):
                yield {**found, **({"value": one["value"]} if "value" in one else {})}
            else:
                self._note(place, f"{reference} is not in the document")

    def _operation(self, step: Mapping[str, Any], place: str) -> OperationId | None:
        named, written = step.get("operationId"), step.get("operationPath")
        if isinstance(named, str):
            found = self._by_name.get(named) or self._by_name.get(named.rpartition(".")[2])
        elif isinstance(written, str):
            path, _, method = written.partition("#/paths/")[2].rpartition("/")
            decoded = unquote(path).replace("~1", "/").replace("~0", "~")
            wanted = OperationId(f"{method.upper()} {decoded}")
            found = wanted if wanted in self._spec.operations else None
        else:
            found = None
        if found is None:
            self._note(
                place, f"{named or written or 'a step without an operation'} is not in the specification"
            )
        return found

    def _set_parameter(
        self, step: ReadStep, parameter: Mapping[str, Any], scope: _Scope, draft: _Draft, place: str
    ) -> None:
        name = str(parameter.get("name", ""))
        where = str(parameter.get("in") or self._declared(step.operation, name))
        try:
            location = Location(where)
        except ValueError:
            self._note(place, f"the parameter {name} is in {where!r}, which is no place of a request")
            return
        value = self._put(parameter.get("value"), step, location, name, scope, draft, place)
        if isinstance(value, _Missing) and location is Location.PATH:
            value = self._new_value()  # something of which only this is known: completion makes it
        if isinstance(value, _Missing) or value is None:
            return
        match location:
            case Location.PATH:
                step.path[name] = _text(value)
            case Location.QUERY:
                step.query[name] = value
            case Location.HEADER:
                if name.lower() != "authorization":  # who logs in, and how, is told by credentials
                    step.header[name] = _text(value)
            case _:
                self._note(place, f"the {where} parameter {name} is left out")

    def _declared(self, operation: OperationId, name: str) -> str:
        declared = self._spec.operations[operation].parameters
        return next((one.ref.location.value for one in declared if one.ref.pointer == name), "query")

    def _body(
        self, step: ReadStep, written: Mapping[str, Any], scope: _Scope, draft: _Draft, place: str
    ) -> None:
        request = written.get("requestBody")
        if not isinstance(request, dict):
            return
        payload = request.get("payload")
        if isinstance(payload, str):
            payload = _json_template(payload)
        step.media_type = str(request.get("contentType") or "")
        step.has_body = True
        step.body = self._filled(payload, step, "", scope, draft, place)
        replacements = request.get("replacements")
        for one in replacements if isinstance(replacements, list) else []:
            target = str(one.get("target", "")) if isinstance(one, dict) else ""
            if not target.startswith("/"):
                self._note(place, f"the replacement at {target!r} is no JSON pointer")
                continue
            where = target[1:]
            value = self._put(one.get("value"), step, Location.BODY, where, scope, draft, place)
            if not isinstance(value, _Missing):
                step.body = pointer.replaced(step.body, where, value)

    def _filled(
        self, value: Any, step: ReadStep, where: str, scope: _Scope, draft: _Draft, place: str
    ) -> Json:
        if isinstance(value, dict):
            fields: dict[str, Json] = {}
            for name, inner in value.items():
                below = pointer.join(str(name))
                below = f"{where}/{below}" if where else below
                filled = self._filled(inner, step, below, scope, draft, place)
                if not isinstance(filled, _Missing):
                    fields[str(name)] = filled
            return fields
        if isinstance(value, list):
            below = f"{where}/*" if where else "*"
            items = [self._filled(item, step, below, scope, draft, place) for item in value]
            return [item for item in items if not isinstance(item, _Missing)]
        return self._put(value, step, Location.BODY, where, scope, draft, place)  # type: ignore[no-any-return]

    def _put(
        self,
        value: Any,
        step: ReadStep,
        location: Location,
        where: str,
        scope: _Scope,
        draft: _Draft,
        place: str,
    ) -> Any:
        """A value as it is sent; what an answer brings becomes a value of its own."""
        if isinstance(value, str):
            value = self._resolved(value, scope, draft)
        if isinstance(value, list | dict) and location is not Location.BODY:
            return value
        if isinstance(value, _FromAnswer):
            producer = draft.steps[value.step]
            ref = ParameterRef(step.operation, location, where)
            self.carried.append(Carried(ref, producer.operation, value.pointer))
            text = self._brought(value, draft)
            return text if location is not Location.BODY or self._is_text(ref) else int(text)
        if isinstance(value, _Unknown):
            self._note(place, f"{value.expression} is not understood: a value is made up")
            return _Missing()
        return value

    def _brought(self, value: _FromAnswer, draft: _Draft) -> str:
        """The number that stands for a place in an answer; the answer gets it."""
        if value not in draft.values:
            draft.values[value] = self._new_value()
            step = draft.steps[value.step]
            if value.header.lower() == "location":
                step.location = "/" + "/".join([draft.values[value]] + ["-"] * (-value.segment - 1))
            elif not value.header:
                step.answer = pointer.replaced(step.answer, value.pointer, int(draft.values[value]))
        return draft.values[value]

    def _new_value(self) -> str:
        self._next_value += 1
        return str(self._next_value)

    def _is_text(self, ref: ParameterRef) -> bool:
        declared = self._fields.of(self._spec.operations[ref.operation])
        schema = next((one.schema for one in declared if one.ref == ref), {})
        kinds = self._spec.resolve(schema).get("type")
        return kinds == "string" or (isinstance(kinds, list) and "string" in kinds)

    def _resolved(self, value: Any, scope: _Scope, draft: _Draft) -> Any:
        """A literal, or what an expression stands for."""
        if not isinstance(value, str):
            return value
        if value.startswith("$"):
            return self._expression(value, scope, draft)
        found = _EMBEDDED.fullmatch(value)
        if found is not None:
            return self._expression(found[1], scope, draft)

        def inside(match: re.Match[str]) -> str:
            held = self._expression(match[1], scope, draft)
            if isinstance(held, _FromAnswer):
                return self._brought(held, draft)
            return "" if isinstance(held, _Missing | _Unknown) else _text(held)

        return _EMBEDDED.sub(inside, value)

    def _expression(self, text: str, scope: _Scope, draft: _Draft) -> Any:
        found = _INPUT.fullmatch(text)
        if found is not None:
            return scope.inputs.get(found[1], _Missing())
        found = _STEP_OUTPUT.fullmatch(text)
        if found is not None:
            held = scope.outputs.get((found[1], found[2]), _Unknown(text))
            if isinstance(held, _FromAnswer) and found[3]:
                below = found[3][1:]
                return _FromAnswer(held.step, f"{held.pointer}/{below}" if held.pointer else below)
            return held
        found = _WORKFLOW_OUTPUT.fullmatch(text)
        if found is not None:
            return draft.workflow_outputs.get((found[1], found[2]), _Unknown(text))
        known = text.startswith(("$steps", "$inputs", "$workflows", "$request", "$response", "$components"))
        return _Unknown(text) if known else text  # a price in dollars is no expression

    def _outputs(
        self,
        step: Mapping[str, Any],
        step_id: str,
        scope: _Scope,
        draft: _Draft,
        index: int | None,
        called: str,
    ) -> None:
        outputs = step.get("outputs")
        segments = step.get(SEGMENT_FIELD)
        for name, written in (outputs if isinstance(outputs, dict) else {}).items():
            expression = str(written)
            held: Any = _Unknown(f"$steps.{step_id}.outputs.{name}")
            if index is None:
                held = draft.workflow_outputs.get((called, expression.rpartition(".")[2]), held)
            elif expression.startswith("$response.body"):
                held = _FromAnswer(index, expression.partition("#/")[2])
            elif expression.startswith("$response.header."):
                segment = segments.get(name, -1) if isinstance(segments, dict) else -1
                header = expression.removeprefix("$response.header.")
                held = _FromAnswer(index, header=header, segment=segment if isinstance(segment, int) else -1)
            elif expression.startswith("$request."):
                held = _sent(draft.steps[index], expression.removeprefix("$request."))
            scope.outputs[step_id, str(name)] = held
        for (workflow, name), held in list(draft.workflow_outputs.items()) if called else []:
            if workflow == called:
                scope.outputs.setdefault((step_id, name), held)


@dataclass(frozen=True, slots=True)
class _Unknown:
    """An expression that cannot be followed."""

    expression: str


def _sent(step: ReadStep, place: str) -> Any:
    """A value of a step's own request."""
    kind, _, rest = place.partition(".")
    if kind.startswith("body"):
        return pointer.first(step.body, place.partition("#/")[2])
    places: dict[str, Mapping[str, Any]] = {"path": step.path, "query": step.query, "header": step.header}
    return places.get(kind, {}).get(rest, _Unknown(f"$request.{place}"))


def _status(step: Mapping[str, Any], operation: OperationId) -> int:
    criteria = step.get("successCriteria")
    for one in criteria if isinstance(criteria, list) else []:
        condition = one.get("condition") if isinstance(one, dict) else None
        found = _STATUS.search(condition) if isinstance(condition, str) else None
        if found is not None:
            return int(found[1])
    return 201 if operation.startswith("POST ") else 200


def _json_template(text: str) -> Any:
    """A payload that is JSON written as text; anything else stays text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    quoted = re.sub(r'(?<!["\w])\{(\$[^{}]+)\}(?!["\w])', lambda found: json.dumps(f"{{{found[1]}}}"), text)
    try:
        return json.loads(quoted)
    except (ValueError, RecursionError):
        return text


def _texts(value: Any) -> Sequence[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
