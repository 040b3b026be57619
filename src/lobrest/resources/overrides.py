"""What a person decides in ``lobrest.toml``; it wins over rules, logs and models.

The shape of the table ``[resources]``::

    [resources]
    creates = [
      {op = "POST /orders", resource = "/orders"},       # resource may be left out: the rules name it
    ]
    not_creates = ["POST /orders/{id}/share"]
    retrieves = [{op = "GET /orders", resource = "/orders"}]
    not_retrieves = ["GET /orders/statistics"]
    dependencies = [
      {op = "POST /orders", in = "body", param = "customer", resource = "/customers",
       bindings = [{source = "response", pointer = "id"}]},   # bindings may be left out
      {op = "POST /orders", in = "body", param = "note", resource = ""},   # refers to nothing
    ]
    parents = [{path = "/orders", parent = "/customers"}]     # parent = "" is none
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lobrest.errors import ConfigError
from lobrest.model.operation import ApiSpec, Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, ResourceName, Source

_KEYS = ("creates", "not_creates", "retrieves", "not_retrieves", "dependencies", "parents")


@dataclass(frozen=True, slots=True)
class DependencyOverride:
    """What a parameter refers to: a resource, or (``None``) nothing."""

    resource: ResourceName | None
    bindings: tuple[Binding, ...] = ()


@dataclass(frozen=True, slots=True)
class Overrides:
    """The checked decisions of a person."""

    creates: Mapping[OperationId, bool] = field(default_factory=dict)
    lists: Mapping[OperationId, bool] = field(default_factory=dict)
    resources: Mapping[OperationId, ResourceName] = field(default_factory=dict)
    """The resource an operation creates or lists, where it was named."""
    dependencies: Mapping[ParameterRef, DependencyOverride] = field(default_factory=dict)
    parents: Mapping[ResourceName, ResourceName | None] = field(default_factory=dict)


def read_overrides(table: Mapping[str, Any] | None, spec: ApiSpec) -> Overrides:
    """Check the table against the specification; ``ConfigError`` says what is wrong and where."""
    if not table:
        return Overrides()
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ConfigError(f"[resources] has no setting {unknown[0]!r}", hint=f"known: {', '.join(_KEYS)}")
    resources: dict[OperationId, ResourceName] = {}
    verdicts: dict[str, dict[OperationId, bool]] = {"creates": {}, "retrieves": {}}
    for key, decided in verdicts.items():
        for entry in _tables(table, key):
            identity = _operation(entry.get("op"), spec, key)
            decided[identity] = True
            if entry.get("resource"):
                resources[identity] = ResourceName(str(entry["resource"]))
        for written in _list(table, f"not_{key}"):
            decided[_operation(written, spec, f"not_{key}")] = False
    dependencies = dict(_dependency(entry, spec) for entry in _tables(table, "dependencies"))
    parents = {
        ResourceName(_text(entry, "path", "parents")): (
            ResourceName(str(entry["parent"])) if entry.get("parent") else None
        )
        for entry in _tables(table, "parents")
    }
    return Overrides(verdicts["creates"], verdicts["retrieves"], resources, dependencies, parents)


def _dependency(entry: Mapping[str, Any], spec: ApiSpec) -> tuple[ParameterRef, DependencyOverride]:
    identity = _operation(entry.get("op"), spec, "dependencies")
    try:
        location = Location(_text(entry, "in", "dependencies"))
        bindings = tuple(
            Binding(Source(str(one["source"])), str(one.get("pointer", "")))
            for one in entry.get("bindings", ())
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"[resources] dependencies of {identity}: {error}") from error
    ref = ParameterRef(identity, location, _text(entry, "param", "dependencies"))
    resource = entry.get("resource")
    return ref, DependencyOverride(ResourceName(str(resource)) if resource else None, bindings)


def _operation(written: Any, spec: ApiSpec, key: str) -> OperationId:
    identity = OperationId(str(written))
    if identity not in spec.operations:
        raise ConfigError(
            f"[resources] {key} names {written!r}, which is no operation of the specification",
            hint='write it as "METHOD /path/{template}"',
        )
    return identity


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"[resources] {where}: an entry lacks {key!r}")
    return value


def _list(table: Mapping[str, Any], key: str) -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise ConfigError(f"[resources] {key} must be a list")
    return value


def _tables(table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = [{"op": one} if isinstance(one, str) else one for one in _list(table, key)]
    if not all(isinstance(one, dict) for one in entries):
        raise ConfigError(f"[resources] {key} must be a list of tables")
    return entries
