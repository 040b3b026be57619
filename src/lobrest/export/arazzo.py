"""Flows as an Arazzo 1.0.1 document: workflows whose steps name operations of an OpenAPI document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import yaml

from lobrest.export.flow import Flow
from lobrest.export.values import Hole, Text, Value, gathered, text_of, values_of
from lobrest.model.operation import ApiSpec, Json, OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Fresh, FreshKind, ReproStep
from lobrest.report.wording import one_line, split_operation

VERSION = "1.0.1"
SOURCE_NAME = "service"
USER_FIELD = "x-lobrest-user"
"""Arazzo has no word for who sends a request."""
SEGMENT_FIELD = "x-lobrest-location-segment"
"""Arazzo can name a header but no part of it: which path segment of ``Location`` is meant, by output."""


def arazzo_document(flows: Sequence[Flow], *, service: str, source: str, spec: ApiSpec | None = None) -> Json:
    """The document. ``source`` is the address of the OpenAPI document."""
    names = _operation_names(spec) if spec is not None else {}
    return {
        "arazzo": VERSION,
        "info": {
            "title": f"Business flows of {one_line(service)}",
            "summary": "Mined from request logs and completed with what each flow needs",
            "version": "1.0.0",
        },
        "sourceDescriptions": [{"name": SOURCE_NAME, "url": source, "type": "openapi"}],
        "workflows": [_workflow(flow, names) for flow in flows],
    }


class _Dumper(yaml.SafeDumper):
    """Writes every value out: anchors are read badly by people."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (all of them)
        return True


def _operation_names(spec: ApiSpec) -> dict[OperationId, str]:
    counts = Counter(operation.operation_id for operation in spec.operations.values())
    return {
        operation.id: operation.operation_id
        for operation in spec.operations.values()
        if operation.operation_id and counts[operation.operation_id] == 1
    }


def _workflow(flow: Flow, names: Mapping[OperationId, str]) -> Json:
    step_ids = [f"step{number}" for number in range(1, len(flow.steps) + 1)]
    expressions = {fresh.name: f"$inputs.{fresh.name}" for fresh in flow.fresh}
    for step_id, step in zip(step_ids, flow.steps, strict=True):
        expressions |= {one.name: f"$steps.{step_id}.outputs.{one.name}" for one in step.captures}
    workflow: dict[str, Json] = {"workflowId": flow.name, "summary": one_line(flow.title, 200)}
    seen = f"First seen at {one_line(flow.source)}. " if flow.source else ""
    proof = "It ran with success." if flow.played else "It was not run yet."
    workflow["description"] = seen + proof
    if flow.fresh:
        workflow["inputs"] = {
            "type": "object",
            "properties": {fresh.name: _input(fresh) for fresh in flow.fresh},
            "required": [fresh.name for fresh in flow.fresh],
        }
    reasons = flow.reasons or ("",) * len(flow.steps)
    writer = _StepWriter(expressions, names)
    workflow["steps"] = [
        writer.step(step_id, step, reason)
        for step_id, step, reason in zip(step_ids, flow.steps, reasons, strict=True)
    ]
    return workflow


def _input(fresh: Fresh) -> Json:
    schema: dict[str, Json] = {"type": "string", "minLength": fresh.length}
    match fresh.kind:
        case FreshKind.HEX:
            schema |= {"pattern": "^[0-9a-f]+$", "description": "New in every run, so that names are unique."}
        case FreshKind.DIGITS:
            schema |= {"pattern": "^[0-9]+$", "description": "New in every run, so that numbers are unique."}
        case FreshKind.SECRET:
            schema |= {"format": "password", "description": "A secret that the flow itself chooses."}
    return schema


class _StepWriter:
    """Writes steps in which holes are runtime expressions."""

    def __init__(self, expressions: Mapping[str, str], names: Mapping[OperationId, str]) -> None:
        self._expressions = expressions
        self._holes = frozenset(expressions)
        self._names = names

    def step(self, step_id: str, step: ReproStep, reason: str) -> Json:
        written: dict[str, Json] = {
            "stepId": step_id,
            "description": one_line(reason or step.operation, 200),
            **self._operation(step.operation),
        }
        values = values_of(step, self._holes)
        parameters: list[Json] = [
            {"name": name, "in": "path", "value": self._value(value)} for name, value in values.path.items()
        ]
        parameters += [
            {"name": name, "in": "query", "value": self._value(value)}
            for name, value in gathered(values.query).items()
        ]
        media_type = ""
        for name, text in step.headers:
            if name.lower() == "content-type":
                media_type = text.partition(";")[0]
            else:
                value = self._value(text_of(text, self._holes))
                parameters.append({"name": name, "in": "header", "value": value})
        if parameters:
            written["parameters"] = parameters
        if step.body is not None:
            body: dict[str, Json] = {"contentType": media_type} if media_type else {}
            payload = values.body if values.has_body else text_of(step.body, self._holes)
            written["requestBody"] = {**body, "payload": self._value(payload)}
        if 200 <= step.expected < 400:
            least = step.expected // 100 * 100
            written["successCriteria"] = [
                {"condition": f"$statusCode >= {least}"},
                {"condition": f"$statusCode < {least + 100}"},
            ]
        if step.captures:
            written["outputs"] = {one.name: _output(one) for one in step.captures}
            segments: dict[str, Json] = {
                one.name: int(one.where) for one in step.captures if one.source is CaptureSource.LOCATION
            }
            if segments:
                written[SEGMENT_FIELD] = segments
        if step.actor:
            written[USER_FIELD] = step.actor
        return written

    def _operation(self, operation: OperationId) -> dict[str, Json]:
        name = self._names.get(operation)
        if name is not None:
            return {"operationId": name}
        method, path = split_operation(operation)
        escaped = path.replace("~", "~0").replace("/", "~1")
        return {
            "operationPath": f"{{$sourceDescriptions.{SOURCE_NAME}.url}}#/paths/{escaped}/{method.lower()}"
        }

    def _value(self, value: Value) -> Json:
        match value:
            case Hole(name):
                return self._expressions[name]
            case Text(pieces):
                if value.whole is not None:
                    return self._expressions[value.whole.name]
                return "".join(
                    f"{{{self._expressions[one.name]}}}" if isinstance(one, Hole) else one for one in pieces
                )
            case list():
                return [self._value(item) for item in value]
            case dict():
                return {name: self._value(inner) for name, inner in value.items()}
            case _:
                return value


def _output(capture: Capture) -> str:
    match capture.source:
        case CaptureSource.BODY:
            return f"$response.body#/{capture.where}" if capture.where else "$response.body"
        case CaptureSource.LOCATION:
            return "$response.header.Location"
        case CaptureSource.HEADER:
            return f"$response.header.{capture.where}"


def document_text(document: Json, *, as_json: bool) -> str:
    """A document as JSON, or as YAML with its fields in their order."""
    if as_json:
        return json.dumps(document, indent=1) + "\n"
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text
