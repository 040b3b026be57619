"""Schemas of every dialect → the dialect of OpenAPI 3.1, references by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lobrest.model.operation import Json, Schema, Warning
from lobrest.spec.references import References, escape

_MAX_DEPTH: Final = 60
_MAX_SCHEMAS: Final = 50_000
_TYPES: Final = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_MISSPELT: Final[Mapping[str, Schema]] = {
    "int": {"type": "integer"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "long": {"type": "integer", "format": "int64"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "decimal": {"type": "number"},
    "bool": {"type": "boolean"},
    "str": {"type": "string"},
    "text": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "date-time": {"type": "string", "format": "date-time"},
    "uuid": {"type": "string", "format": "uuid"},
    "email": {"type": "string", "format": "email"},
    "file": {"type": "string", "format": "binary"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
    "hash": {"type": "object"},
    "json": {},
    "any": {},
}
_ONE: Final = ("items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames")
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "dependentSchemas")
_DROPPED: Final = frozenset(
    (
        *("nullable", "x-nullable", "example", "xml", "externalDocs", "type", "required", "enum"),
        *("exclusiveMinimum", "exclusiveMaximum", "definitions", "$defs", "collectionFormat"),
        *_ONE,
        *_MANY,
        *_NAMED,
    )
)


class Schemas:
    """Normalises schemas and collects the named ones they refer to."""

    def __init__(self, references: References, warnings: list[Warning]) -> None:
        self._references = references
        self._warnings = warnings
        self._names: dict[tuple[str, str], str] = {}
        self.named: dict[str, Schema] = {}
        self._pending: list[tuple[str, Json, str]] = []

    def declare(self, name: str, raw: Json, *, pointer: str) -> None:
        """Take a definition of the document under its own name."""
        self._names[("", pointer)] = name
        self.named[name] = {}
        self.named[name] = self.normalise(raw, place=pointer)

    def reserve(self, name: str, *, pointer: str) -> None:
        """Announce a definition, so that references to it met earlier find its name."""
        self._names[("", pointer)] = name

    def finish(self) -> dict[str, Schema]:
        """All named schemas. What references led to is looked at here, so that a long chain is no deep one."""
        while self._pending:
            name, raw, place = self._pending.pop()
            self.named[name] = self.normalise(raw, place=place)
        return self.named

    def normalise(self, raw: Json, *, place: str, depth: int = 0) -> Schema:
        """The schema in the dialect of OpenAPI 3.1; what cannot be understood is a warning and ``{}``."""
        if raw is True or raw is None:
            return {}
        if raw is False:
            return {"not": {}}
        if not isinstance(raw, dict):
            self._warn(place, "a schema is expected here")
            return {}
        if depth > _MAX_DEPTH:
            self._warn(place, f"schemas nested deeper than {_MAX_DEPTH} levels are cut")
            return {}
        if "$ref" in raw:
            return self._reference(raw, place)
        schema: dict[str, Json] = {}
        for key, value in raw.items():
            if key not in _DROPPED:
                schema[key] = value
        self._type(raw, schema, place)
        self._numbers(raw, schema)
        self._children(raw, schema, place, depth + 1)
        self._required(raw, schema, place)
        if "example" in raw and "examples" not in schema:
            schema["examples"] = [raw["example"]]
        return schema

    def _reference(self, raw: dict[str, Json], place: str) -> Schema:
        target = self._references.locate(raw["$ref"], place=place)
        if target is None:
            return {}
        key = (target.document, target.pointer)
        name = self._names.get(key)
        if name is None:
            if len(self.named) >= _MAX_SCHEMAS:
                self._warn(place, f"more than {_MAX_SCHEMAS} schemas")
                return {}
            name = self._new_name(target.document, target.pointer)
            self._names[key] = name
            self.named[name] = {}
            at = f"{target.document}#{target.pointer}" if target.document else target.pointer
            self._pending.append((name, target.value, at))
        return {"$ref": f"#/schemas/{escape(name)}"}

    def _new_name(self, document: str, pointer: str) -> str:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/") if part]
        kept = [part for part in parts if part not in ("definitions", "components", "schemas", "$defs")]
        base = kept[-1] if len(kept) == 1 else ".".join(kept)
        if not base:
            base = document.rpartition("/")[2].partition(".")[0] or "document"
        name, number = base, 2
        while name in self.named:
            name, number = f"{base}-{number}", number + 1
        return name

    def _type(self, raw: dict[str, Json], schema: dict[str, Json], place: str) -> None:
        declared = raw.get("type")
        kinds: list[Json] = []
        for kind in declared if isinstance(declared, list) else [declared]:
            if kind is None:
                continue
            if isinstance(kind, str) and kind in _TYPES:
                kinds.append(kind)
                continue
            meant = _MISSPELT.get(kind.lower()) if isinstance(kind, str) else None
            if kind != "file":
                self._warn(place, f"there is no type {kind!r}")
            for key, value in (meant or {}).items():
                if key == "type":
                    kinds.append(value)
                else:
                    schema.setdefault(key, value)
        if (raw.get("nullable") is True or raw.get("x-nullable") is True) and kinds and "null" not in kinds:
            kinds.append("null")
        if not kinds and isinstance(raw.get("properties"), dict):
            kinds.append("object")
        if kinds:
            schema["type"] = kinds[0] if len(kinds) == 1 else kinds
        values = raw.get("enum")
        if isinstance(values, list):
            if values:
                schema["enum"] = values
        elif values is not None:
            self._warn(place, "enum must be a list")

    @staticmethod
    def _numbers(raw: dict[str, Json], schema: dict[str, Json]) -> None:
        """Draft 4 says ``exclusiveMinimum: true`` beside ``minimum``; now it is the number itself."""
        for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            value = raw.get(exclusive)
            if value is True and limit in schema:
                schema[exclusive] = schema.pop(limit)
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                schema[exclusive] = value

    def _children(self, raw: dict[str, Json], schema: dict[str, Json], place: str, depth: int) -> None:
        for key in _ONE:
            value = raw.get(key)
            if isinstance(value, dict):
                schema[key] = dict(self.normalise(value, place=f"{place}/{key}", depth=depth))
            elif isinstance(value, bool):
                schema[key] = value
            elif isinstance(value, list) and key == "items":
                schema["prefixItems"] = self._list(value, f"{place}/{key}", depth)
        for key in _MANY:
            value = raw.get(key)
            if isinstance(value, list):
                schema[key] = self._list(value, f"{place}/{key}", depth)
            elif value is not None:
                self._warn(place, f"{key} must be a list")
        for key in _NAMED:
            value = raw.get(key)
            if isinstance(value, dict):
                at = f"{place}/{key}"
                schema[key] = {
                    name: dict(self.normalise(inner, place=f"{at}/{escape(name)}", depth=depth))
                    for name, inner in value.items()
                }
            elif value is not None:
                self._warn(place, f"{key} must be a mapping")

    def _list(self, values: list[Json], place: str, depth: int) -> list[Json]:
        return [
            dict(self.normalise(value, place=f"{place}/{number}", depth=depth))
            for number, value in enumerate(values)
        ]

    def _required(self, raw: dict[str, Json], schema: dict[str, Json], place: str) -> None:
        """A list of names; or, in the old way, ``required: true`` on each property."""
        value = raw.get("required")
        names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
        properties = raw.get("properties")
        if isinstance(properties, dict):
            for name, inner in properties.items():
                if isinstance(inner, dict) and inner.get("required") is True and name not in names:
                    names.append(name)
        if names:
            schema["required"] = list[Json](names)
        if value is not None and not isinstance(value, (list, bool)):
            self._warn(place, "required must be a list of names")

    def _warn(self, place: str, message: str) -> None:
        self._warnings.append(Warning(place, message))
