"""Slices and seeds as the JSON lines that scripts read."""

from __future__ import annotations

import json
import re

from lobrest.enhance.sources import sources_of
from lobrest.model.entry import LogEntry
from lobrest.model.operation import Json
from lobrest.model.resource import ResourceInstance, ResourceModel, Source
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice

_UNWRITABLE = re.compile("[\ud800-\udfff]")


def slice_to_json(piece: Slice) -> str:
    """One line of slices JSONL."""
    return _line(
        {
            "strategies": [strategy.value for strategy in piece.strategies],
            "user": piece.user,
            "entries": [_entry(entry) for entry in piece.entries],
        }
    )


def seed_to_json(seed: Seed, model: ResourceModel) -> str:
    """One line of seeds JSONL."""
    entries: list[Json] = []
    for step in seed.steps:
        written = _entry(step.entry)
        if step.origin in (Origin.CREATION, Origin.LISTING):
            written["added"] = step.reason or step.origin.value
        entries.append(written)
    bindings: list[Json] = []
    for wire in seed.wires:
        usable = sources_of(wire, seed, model)
        bindings.append(
            {
                "entry": wire.step,
                "in": wire.parameter.location.value,
                "param": wire.parameter.pointer,
                "from_entry": wire.producer,
                "source": usable[0].source.value if usable else Source.RESPONSE.value,
                "pointer": usable[0].pointer if usable else "",
            }
        )
    return _line(
        {
            "id": seed.id,
            "origin": seed.origin.value,
            "strategies": [strategy.value for strategy in seed.source.strategies],
            "user": seed.source.user,
            "entries": entries,
            "bindings": bindings,
            "identities": [
                {
                    "entry": one.step,
                    "in": one.parameter.location.value,
                    "param": one.parameter.pointer,
                    "user": one.user,
                }
                for one in seed.identities
            ],
            "notes": list(seed.notes),
        }
    )


def _line(value: Json) -> str:
    """One line of JSON that has bytes: half a surrogate pair is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() or _UNWRITABLE.search(text) is None else json.dumps(value)


def _entry(entry: LogEntry) -> dict[str, Json]:
    arguments = entry.arguments
    parameters: dict[str, Json] = {"path": dict(arguments.path), "query": dict(arguments.query)}
    parameters["body"] = arguments.body if arguments.has_body else {}
    if arguments.header:
        parameters["header"] = dict(arguments.header)
    uses = dict.fromkeys(entry.uses.values())
    instances: list[Json] = [{**_instance(one), "role": "uses"} for one in uses if one != entry.creates]
    if entry.creates is not None:
        instances.append({**_instance(entry.creates), "role": "creates"})
    return {
        "source": str(entry.source) if entry.source else None,
        "time": entry.at,
        "op": entry.operation,
        "status": entry.status,
        "user": entry.user,
        "params": parameters,
        "instances": instances,
    }


def _instance(instance: ResourceInstance) -> dict[str, Json]:
    above: Json = _instance(instance.parent) if instance.parent is not None else None
    return {"resource": instance.resource, "value": instance.value, "parent": above}
