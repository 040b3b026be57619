"""The resources JSON of the interface, written and read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lobrest.errors import InputError
from lobrest.model.operation import ApiSpec, Location, OperationId, ParameterRef
from lobrest.model.resource import (
    Binding,
    Creation,
    Decider,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)

VERSION = 1
_HINT = "write one with lobrest analyze --out"


def to_json(model: ResourceModel) -> dict[str, Any]:
    """The model as plain values. PUTs that create (``puts``), POSTs that list (``queries``) stand apart."""
    creations, retrievals = list(model.creations.values()), list(model.retrievals.values())
    return {
        "version": VERSION,
        "service": model.service,
        "creates": [_creation(one) for one in creations if not one.operation.startswith("PUT ")],
        "puts": [_creation(one) for one in creations if one.operation.startswith("PUT ")],
        "retrieves": [_retrieval(one) for one in retrievals if one.operation.startswith("GET ")],
        "queries": [_retrieval(one) for one in retrievals if not one.operation.startswith("GET ")],
        "resources": [
            {
                "path": one.name,
                "parent": one.parent,
                "creators": list(one.creators),
                "listers": list(one.listers),
                **({"acts": True} if one.name in model.acting_users else {}),
            }
            for one in model.resources.values()
        ],
        "dependencies": [
            {
                "op": one.parameter.operation,
                "param": one.parameter.pointer,
                "in": one.parameter.location.value,
                "resource": one.resource,
                "bindings": [{"source": b.source.value, "pointer": b.pointer} for b in one.bindings],
                **_decided(one),
            }
            for one in model.dependencies.values()
        ],
    }


def _creation(creation: Creation) -> dict[str, Any]:
    return {
        "op": creation.operation,
        "resource": creation.resource,
        "identified_by": [{"in": ref.location.value, "param": ref.pointer} for ref in creation.identified_by],
        **_decided(creation),
    }


def _retrieval(retrieval: Retrieval) -> dict[str, Any]:
    return {
        "op": retrieval.operation,
        "resource": retrieval.resource,
        "items": retrieval.items,
        **_decided(retrieval),
    }


def _decided(one: Creation | Retrieval | Dependency) -> dict[str, Any]:
    return {"confidence": one.confidence, "reason": one.reason, "decided_by": one.decided_by.value}


def from_json(data: Any, spec: ApiSpec) -> ResourceModel:
    """Read a document (its bytes, text or parsed) back against its specification.

    ``InputError`` where it is no such document or names operations that the specification does not have.
    """
    if isinstance(data, (bytes, str)):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError("not a resources document: it is no JSON", hint=_HINT) from error
    if not isinstance(data, dict):
        raise InputError("not a resources document", hint=_HINT)
    creations: dict[OperationId, Creation] = {}
    for entry in (*_entries(data, "creates"), *_entries(data, "puts")):
        identity = _operation(entry, spec)
        creations[identity] = Creation(
            identity,
            _resource(entry),
            identified_by=tuple(
                ParameterRef(identity, _location(one), str(one.get("param", "")))
                for one in entry.get("identified_by", ())
                if isinstance(one, dict)
            ),
            **_decision(entry),
        )
    retrievals: dict[OperationId, Retrieval] = {}
    for entry in (*_entries(data, "retrieves"), *_entries(data, "queries")):
        identity = _operation(entry, spec)
        retrievals[identity] = Retrieval(
            identity, _resource(entry), items=str(entry.get("items", "")), **_decision(entry)
        )
    dependencies: dict[ParameterRef, Dependency] = {}
    for entry in _entries(data, "dependencies"):
        ref = ParameterRef(_operation(entry, spec), _location(entry), str(entry.get("param", "")))
        dependencies[ref] = Dependency(ref, _resource(entry), tuple(_bindings(entry)), **_decision(entry))
    resources, acting = _resources(data, creations, retrievals, dependencies)
    return ResourceModel(
        str(data.get("service", spec.title)), resources, creations, retrievals, dependencies, acting
    )


def _resources(
    data: dict[str, Any],
    creations: dict[OperationId, Creation],
    retrievals: dict[OperationId, Retrieval],
    dependencies: dict[ParameterRef, Dependency],
) -> tuple[dict[ResourceName, Resource], frozenset[ResourceName]]:
    resources: dict[ResourceName, Resource] = {}
    acting: set[ResourceName] = set()
    for entry in _entries(data, "resources"):
        name = ResourceName(str(entry.get("path", "")))
        makers = [c.operation for c in creations.values() if c.resource == name]
        finders = [r.operation for r in retrievals.values() if r.resource == name]
        parent = entry.get("parent")
        resources[name] = Resource(
            name,
            ResourceName(parent) if isinstance(parent, str) else None,
            tuple(_first(entry.get("creators"), makers)),
            tuple(_first(entry.get("listers"), finders)),
        )
        if entry.get("acts") is True:
            acting.add(name)
    named = [
        *(one.resource for one in creations.values()),
        *(one.resource for one in retrievals.values()),
        *(one.resource for one in dependencies.values()),
    ]
    for name in named:
        if name not in resources:
            resources[name] = Resource(
                name,
                None,
                tuple(c.operation for c in creations.values() if c.resource == name),
                tuple(r.operation for r in retrievals.values() if r.resource == name),
            )
    return resources, frozenset(acting)


def _first(ordered: Any, known: list[OperationId]) -> list[OperationId]:
    """Known operations in the order the document gives, the rest behind."""
    wanted = [OperationId(one) for one in ordered if one in known] if isinstance(ordered, list) else []
    return [*wanted, *(one for one in known if one not in wanted)]


def _entries(data: dict[str, Any], key: str) -> Iterable[dict[str, Any]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InputError(f"{key!r} must be a list of objects", hint=_HINT)
    return value


def _operation(entry: dict[str, Any], spec: ApiSpec) -> OperationId:
    identity = OperationId(str(entry.get("op", "")))
    if identity not in spec.operations:
        raise InputError(
            f"no operation {identity!r} in the specification", hint="analyse this specification anew"
        )
    return identity


def _resource(entry: dict[str, Any]) -> ResourceName:
    name = entry.get("resource")
    if not isinstance(name, str) or not name:
        raise InputError(f"an entry of {entry.get('op')!r} names no resource")
    return ResourceName(name)


def _location(entry: dict[str, Any]) -> Location:
    try:
        return Location(str(entry.get("in", "")))
    except ValueError as error:
        raise InputError(f"there is no place {entry.get('in')!r} in a request") from error


def _bindings(entry: dict[str, Any]) -> Iterable[Binding]:
    for one in entry.get("bindings", ()):
        if isinstance(one, dict):
            try:
                yield Binding(Source(str(one.get("source"))), str(one.get("pointer", "")))
            except ValueError as error:
                raise InputError(f"there is no source {one.get('source')!r}") from error


def _decision(entry: dict[str, Any]) -> dict[str, Any]:
    confidence = entry.get("confidence", 1.0)
    try:
        decider = Decider(str(entry.get("decided_by", "person")))
    except ValueError:
        decider = Decider.PERSON
    return {
        "confidence": float(confidence) if isinstance(confidence, (int, float)) else 1.0,
        "reason": str(entry.get("reason", "")),
        "decided_by": decider,
    }
