"""Body fields of an operation, flattened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lobrest.model.operation import (
    ApiSpec,
    Json,
    Location,
    Operation,
    OperationId,
    Parameter,
    ParameterRef,
    Schema,
)
from lobrest.spec.references import escape

MAX_DEPTH = 6
MAX_FIELDS = 600
_MAX_PARTS = 200
_MAX_COMPOSITION = 4


class BodyFields:
    """Flattened body fields of a specification's operations, each computed once.

    Objects and arrays are there themselves, then what is inside them: ``assignee``, ``assignee/id``,
    ``items``, ``items/*``, ``items/*/sku``. A schema inside itself is cut where it comes again.
    """

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec
        self._known: dict[OperationId, tuple[Parameter, ...]] = {}

    def of(self, operation: Operation) -> tuple[Parameter, ...]:
        """The fields of one operation's body, in the order of the document, outer before inner."""
        known = self._known.get(operation.id)
        if known is None:
            known = self._known[operation.id] = body_fields(self._spec, operation)
        return known


def body_fields(spec: ApiSpec, operation: Operation) -> tuple[Parameter, ...]:
    """The fields of an operation's preferred body by JSON pointer, bounded in depth and number."""
    preferred = operation.body.preferred() if operation.body else None
    if preferred is None:
        return ()
    found: dict[str, Parameter] = {}
    _collect(spec, operation.id, preferred[1], "", (), found, required=True)
    return tuple(found.values())


def _collect(
    spec: ApiSpec,
    operation: OperationId,
    schema: Schema,
    pointer: str,
    inside: tuple[str, ...],
    found: dict[str, Parameter],
    *,
    required: bool,
) -> None:
    if len(inside) > MAX_DEPTH or len(found) >= MAX_FIELDS:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference in inside:
        return
    inside = (*inside, reference if isinstance(reference, str) else "")
    items = array_items(spec, schema)
    if items is not None:
        star = f"{pointer}/*" if pointer else "*"
        _add(operation, star, items, False, found)
        _collect(spec, operation, items, star, inside, found, required=False)
    needed = required_names(spec, schema)
    children = list(properties_of(spec, schema).items())
    for name, inner in children:
        at = f"{pointer}/{escape(name)}" if pointer else escape(name)
        _add(operation, at, inner, required and name in needed, found)
    for name, inner in children:
        at = f"{pointer}/{escape(name)}" if pointer else escape(name)
        _collect(spec, operation, inner, at, inside, found, required=required and name in needed)


def _add(
    operation: OperationId, pointer: str, schema: Schema, required: bool, found: dict[str, Parameter]
) -> None:
    if pointer in found or len(found) >= MAX_FIELDS:
        return
    description = schema.get("description")
    found[pointer] = Parameter(
        ref=ParameterRef(operation, Location.BODY, pointer),
        required=required,
        schema=schema,
        description=description if isinstance(description, str) else "",
    )


def parts(spec: ApiSpec, schema: Schema) -> Iterator[Schema]:
    """The schema and what it is composed of (``allOf``, the choices of ``oneOf`` and ``anyOf``), resolved.

    Each part once, and no more than a few hundred: compositions of compositions multiply.
    """
    pending = [(schema, 0)]
    seen: set[int] = set()
    while pending and len(seen) < _MAX_PARTS:
        current, depth = pending.pop()
        current = spec.resolve(current)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if depth >= _MAX_COMPOSITION:
            continue
        inner: list[tuple[Schema, int]] = []
        for key in ("allOf", "oneOf", "anyOf"):
            options = current.get(key)
            if isinstance(options, list):
                inner += [(one, depth + 1) for one in options[:32] if isinstance(one, dict)]
        pending += reversed(inner)


def properties_of(spec: ApiSpec, schema: Schema) -> dict[str, Schema]:
    """Properties of an object schema, those of its parts included; read-only ones too."""
    found: dict[str, Schema] = {}
    for part in parts(spec, schema):
        properties = part.get("properties")
        if isinstance(properties, Mapping):
            for name, inner in properties.items():
                if isinstance(inner, dict):
                    found.setdefault(name, inner)
    return found


def required_names(spec: ApiSpec, schema: Schema) -> frozenset[str]:
    """Names that every instance must have: of the schema itself and its ``allOf``, not of mere choices."""
    found: set[str] = set()
    _required(spec, schema, found, 0)
    return frozenset(found)


def _required(spec: ApiSpec, schema: Schema, found: set[str], depth: int) -> None:
    schema = spec.resolve(schema)
    names = schema.get("required")
    if isinstance(names, list):
        found.update(name for name in names if isinstance(name, str))
    inner = schema.get("allOf")
    if isinstance(inner, list) and depth < 4:
        for one in inner[:32]:
            if isinstance(one, dict):
                _required(spec, one, found, depth + 1)


def array_items(spec: ApiSpec, schema: Schema) -> Schema | None:
    """The schema of an array's items, or ``None`` for what is no array."""
    for part in parts(spec, schema):
        items = part.get("items")
        if isinstance(items, dict) and (part.get("type") in ("array", None) or "array" in types(part)):
            return items
        if "array" in types(part):
            return {}
    return None


def types(schema: Schema) -> tuple[str, ...]:
    """Declared types without ``null``."""
    kind: Json = schema.get("type")
    if isinstance(kind, str):
        return (kind,) if kind != "null" else ()
    if isinstance(kind, list):
        return tuple(one for one in kind if isinstance(one, str) and one != "null")
    return ()
