"""Logged requests as an object-centric event log, OCEL 2.0 in JSON: process-mining tools open it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from lobrest.model.entry import LogEntry
from lobrest.model.operation import Json
from lobrest.model.resource import ResourceInstance

_USER = "user"
_ATTRIBUTES: list[Json] = [{"name": "status", "type": "string"}, {"name": "source", "type": "string"}]
"""Texts all of them: the published schema has no other values, whatever types may be declared."""


def ocel_log(entries: Iterable[LogEntry]) -> Json:
    """The log: an event a request, an object for every instance and every user, parents related to children."""
    events: list[Json] = []
    objects: dict[str, dict[str, Json]] = {}
    types: dict[str, None] = {}
    for number, entry in enumerate(sorted(_once(entries), key=lambda one: one.at), 1):
        types.setdefault(entry.operation)
        objects.setdefault(f"{_USER}:{entry.user}", _object(f"{_USER}:{entry.user}", _USER))
        related: list[Json] = [{"objectId": f"{_USER}:{entry.user}", "qualifier": "sent by"}]
        for instance in dict.fromkeys(entry.uses.values()):
            if instance != entry.creates:
                related.append({"objectId": _added(instance, objects), "qualifier": "uses"})
        if entry.creates is not None:
            related.append({"objectId": _added(entry.creates, objects), "qualifier": "creates"})
        events.append(
            {
                "id": f"e{number}",
                "type": entry.operation,
                "time": datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="milliseconds"),
                "attributes": [
                    {"name": "status", "value": str(entry.status)},
                    {"name": "source", "value": str(entry.source or "")},
                ],
                "relationships": related,
            }
        )
    kinds = dict.fromkeys(str(one["type"]) for one in objects.values())
    return {
        "objectTypes": [{"name": kind, "attributes": []} for kind in kinds],
        "eventTypes": [{"name": kind, "attributes": _ATTRIBUTES} for kind in types],
        "objects": list(objects.values()),
        "events": events,
    }


def _once(entries: Iterable[LogEntry]) -> Iterable[LogEntry]:
    """Slices share entries: each line of the log is one event."""
    seen = set()
    for entry in entries:
        if entry.source is None or entry.source not in seen:
            seen.add(entry.source)
            yield entry


def _added(instance: ResourceInstance, objects: dict[str, dict[str, Json]]) -> str:
    name = _name(instance)
    if name not in objects:
        objects[name] = _object(name, instance.resource)
        if instance.parent is not None:
            above = _added(instance.parent, objects)
            objects[name]["relationships"] = [{"objectId": above, "qualifier": "inside"}]
    return name


def _name(instance: ResourceInstance) -> str:
    own = f"{instance.resource}={instance.value}"
    return own if instance.parent is None else f"{own} in {_name(instance.parent)}"


def _object(name: str, kind: str) -> dict[str, Json]:
    return {"id": name, "type": kind, "attributes": [], "relationships": []}
