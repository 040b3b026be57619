"""Flows that somebody wrote down: Arazzo documents beside the logs, or in their place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

from lobrest.app import pipeline
from lobrest.app.pipeline import Prepared, Reading, Watch
from lobrest.app.userkey import user_key
from lobrest.errors import InputError
from lobrest.export.arazzo_reader import ArazzoFlows, Carried, ReadStep, is_arazzo, read_arazzo
from lobrest.logs import LogReader
from lobrest.model.corpus import Corpus
from lobrest.model.operation import Json, OperationId
from lobrest.model.resource import (
    Binding,
    Creation,
    Decider,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Source,
)
from lobrest.model.slice import Slice
from lobrest.spec.router import Router

_SUFFIXES = (".yaml", ".yml", ".json")
_FIELDS = {
    "time": "time", "method": "method", "target": "target", "status": "status", "user": "user", "body": "body",
    "media_type": "media_type", "response": "response", "location": "location", "headers": "headers",
}  # fmt: skip
_NOTES_TOLD = 10
_REASON = "an Arazzo document says so"


def prepare(
    spec_source: str, sources: Sequence[str], reading: Reading, watch: Watch, *, everything: bool = False
) -> Prepared:
    """``pipeline.prepare`` for logs among which may be Arazzo documents."""
    logs, flows = told_apart(sources)
    prepared = pipeline.prepare(spec_source, logs, reading, watch, everything=everything)
    return with_flows(prepared, flows, watch)


def told_apart(sources: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Logs, and those of the files that are Arazzo documents."""
    flows = [source for source in sources if _is_arazzo(source)]
    return tuple(source for source in sources if source not in flows), tuple(flows)


def _is_arazzo(source: str) -> bool:
    path = Path(source)
    try:
        if path.suffix.lower() not in _SUFFIXES or not path.is_file():
            return False
        with path.open("rb") as file:
            return is_arazzo(file.read(4096))
    except OSError:
        return False  # whoever reads it as a log will say what is wrong


def with_flows(prepared: Prepared, sources: Sequence[str], watch: Watch) -> Prepared:
    """What was prepared, with the workflows of documents as further slices. Says what it cannot take over."""
    for source in sources:
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", source=source) from error
        flows = read_arazzo(data, prepared.spec, name=source)
        prepared = _added(prepared, flows, Path(source).name)
        watch(f"{len(flows.workflows)} workflows from {source}")
        for note in flows.notes[:_NOTES_TOLD]:
            watch(f"  {note}")
        if len(flows.notes) > _NOTES_TOLD:
            watch(f"  and {len(flows.notes) - _NOTES_TOLD} more that could not be taken over")
    return prepared


def _added(prepared: Prepared, flows: ArazzoFlows, name: str) -> Prepared:
    model = with_carried(prepared.model, flows.carried)
    lines: list[str] = []
    owner: list[int] = []
    for number, workflow in enumerate(flows.workflows):
        for step in workflow.steps:
            lines.append(_line(step, prepared.router, prepared, at=len(lines)))
            owner.append(number)
    reader = LogReader(
        prepared.spec, prepared.router, model, format="json", field_map=_FIELDS, user_key=user_key()
    )
    reader.feed(name, ["\n".join(lines).encode() + b"\n"])
    table = reader.finish()
    by_workflow: dict[int, list[int]] = {}
    places = {}
    for row in range(len(table)):
        entry = table.entry(row)
        if entry.source is not None:
            places[row] = entry
            by_workflow.setdefault(owner[entry.source.line - 1], []).append(row)
    slices = tuple(
        Slice(tuple(sorted((places[row] for row in rows), key=lambda entry: entry.at)))
        for _, rows in sorted(by_workflow.items())
    )
    return replace(
        prepared,
        model=model,
        corpus=_joined(prepared.corpus, table.corpus),
        slices=(*prepared.slices, *slices),
        slice_count=prepared.slice_count + len(slices),
    )


def _line(step: ReadStep, router: Router, prepared: Prepared, *, at: int) -> str:
    """A step as a line of a log."""
    operation = prepared.spec.operations[step.operation]
    path = {name: step.path.get(name, "-") for name in _names(operation.template)}
    base = prepared.spec.base_paths[0] if prepared.spec.base_paths else ""
    target = router.expand(operation, path, base)
    if step.query:
        pairs = [
            (name, one if isinstance(one, str) else json.dumps(one))
            for name, value in step.query.items()
            for one in (value if isinstance(value, list) else [value])
        ]
        target += "?" + urlencode(pairs, quote_via=quote)
    line: dict[str, Json] = {
        "time": 1_000_000_000 + at,
        "method": operation.method.value,
        "target": target,
        "status": step.status,
        "user": step.user or "somebody",
    }
    if step.has_body:
        line["body"] = step.body if isinstance(step.body, str) else json.dumps(step.body)
        line["media_type"] = step.media_type or "application/json"
    if step.answer is not None:
        line["response"] = json.dumps(step.answer)
    if step.location:
        line["location"] = step.location
    if step.header:
        line["headers"] = dict(step.header)
    return json.dumps(line)


def _names(template: str) -> list[str]:
    return [part.partition("}")[0] for part in template.split("{")[1:]]


def with_carried(model: ResourceModel, carried: Sequence[Carried]) -> ResourceModel:
    """The model, with what a document says about where values come from."""
    resources, creations = dict(model.resources), dict(model.creations)
    dependencies = dict(model.dependencies)
    for one in carried:
        known = dependencies.get(one.parameter)
        name = _resource_of(model, one.producer)
        if name is None and known is None and one.producer.startswith(("POST ", "PUT ")):
            name = ResourceName(one.producer.partition(" ")[2])
            resources.setdefault(name, Resource(name, creators=(one.producer,)))
            creations[one.producer] = Creation(one.producer, name, reason=_REASON, decided_by=Decider.PERSON)
        if name is None or (known is not None and known.resource != name) or not one.pointer:
            continue  # found by other means: the analysis knows another way to it
        source = Source.RESPONSE if one.producer in creations else Source.LIST
        first = Binding(source, one.pointer if source is Source.RESPONSE else _any_item(one.pointer))
        others = () if known is None else known.bindings
        dependencies[one.parameter] = Dependency(
            one.parameter,
            name,
            (first, *(binding for binding in others if binding != first)),
            reason=_REASON,
            decided_by=Decider.PERSON,
        )
    return replace(model, resources=resources, creations=creations, dependencies=dependencies)


def _resource_of(model: ResourceModel, operation: OperationId) -> ResourceName | None:
    creation, retrieval = model.creations.get(operation), model.retrievals.get(operation)
    return (
        creation.resource if creation is not None else retrieval.resource if retrieval is not None else None
    )


def _any_item(where: str) -> str:
    return "/".join("*" if part.isdigit() else part for part in where.split("/"))


def _joined(left: Corpus, right: Corpus) -> Corpus:
    """What both have seen, the log's own first."""
    examples = dict(left.examples)
    for operation, several in right.examples.items():
        examples.setdefault(operation, several)
    values = dict(left.values)
    for ref, seen in right.values.items():
        values.setdefault(ref, seen)
    return Corpus(examples, values)
