"""What an operation answers: one thing or a list of them, and which kind of thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from lobrest.model.operation import ApiSpec, Operation, Schema
from lobrest.resources.words import Noun, entity_noun, noun_of, singular
from lobrest.spec.fields import array_items, properties_of, types
from lobrest.spec.template import word_set

_LIST_NAMES = word_set(
    "data items results result content contents records values value rows list elements entries hits"
    " objects resources payload collection docs documents edges nodes page"
)
_WRAPPERS = ("data", "result", "item", "payload", "object", "response", "body", "attributes", "record")
_PAGING = word_set(
    "total count page size limit offset next previous prev first last number links meta pages pagination"
    " cursor has more per ok success version status code message self"
)


class Kind(Enum):
    """The shape of an answer."""

    LIST = "list"
    OBJECT = "object"
    SCALAR = "scalar"
    NONE = "none"
    """Nothing comes back (204, or no content declared at all while other answers have some)."""
    UNKNOWN = "unknown"
    """The document does not say."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An answer: its kind, the schema of one thing in it, and the pointer to the thing or the list."""

    kind: Kind
    schema: Schema
    entity: Noun = ()
    """What the schema's name says; empty for a schema without a name."""
    schema_name: str = ""
    pointer: str = ""
    status: str = ""


def shape_of(spec: ApiSpec, operation: Operation) -> Shape:
    """The shape of an operation's successful answer."""
    statuses = [status for status in operation.answers if status.startswith("2")]
    status = min(statuses, default="")
    schema = operation.success_schema()
    if schema is None:
        if not statuses:
            declared = operation.answers.get("default")
            if declared is None or declared.schema() is None or _is_error(declared.schema()):
                return Shape(Kind.UNKNOWN, {}, status=status)
            schema = declared.schema()
        elif "204" in statuses or "205" in statuses:
            return Shape(Kind.NONE, {}, status=status)
        else:
            return Shape(Kind.UNKNOWN, {}, status=status)
    assert schema is not None
    shape = _classify(spec, schema, operation.template, operation.summary or operation.description)
    return Shape(shape.kind, shape.schema, shape.entity, shape.schema_name, shape.pointer, status)


def _is_error(schema: Schema | None) -> bool:
    reference = (schema or {}).get("$ref")
    return isinstance(reference, str) and "error" in reference.lower()


def schema_name(schema: Schema) -> str:
    """The name of a referenced schema, empty for an inline one."""
    reference = schema.get("$ref")
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


def named_part(schema: Schema) -> str:
    """The name of a schema, seen through a single ``allOf`` or a choice with null."""
    for _ in range(4):
        name = schema_name(schema)
        if name:
            return name
        inner = None
        for key in ("allOf", "anyOf", "oneOf"):
            options = schema.get(key)
            if isinstance(options, list):
                named = [one for one in options if isinstance(one, dict) and one.get("type") != "null"]
                if len(named) == 1:
                    inner = named[0]
        if inner is None:
            title = schema.get("title")
            told = "properties" in schema or schema.get("type") == "object"
            return title if isinstance(title, str) and told else ""
        schema = inner
    return ""


def _classify(spec: ApiSpec, schema: Schema, template: str, text: str) -> Shape:
    items = array_items(spec, schema)
    if items is not None:
        name = named_part(items)
        return Shape(Kind.LIST, items, entity_noun(name) if name else (), name)
    properties = properties_of(spec, schema)
    resolved = spec.resolve(schema)
    if not properties:
        kinds = types(resolved)
        if "additionalProperties" in resolved:
            return _object(schema, "")
        if "object" in kinds:
            # An object of which nothing is said may be anything, a page of a list too.
            known = _object(schema, "")
            return Shape(Kind.UNKNOWN, schema, known.entity, known.schema_name)
        if kinds:
            return Shape(Kind.SCALAR, schema)
        return Shape(Kind.UNKNOWN, schema)
    listed = _wrapped_list(spec, named_part(schema), properties, template, text)
    if listed is not None:
        return listed
    for wrapper in _WRAPPERS:
        inner = properties.get(wrapper)
        if inner is not None and len(properties) <= 4 and properties_of(spec, inner):
            return _object(inner, wrapper)
    return _object(schema, "")


def _object(schema: Schema, pointer: str) -> Shape:
    name = named_part(schema)
    return Shape(Kind.OBJECT, schema, entity_noun(name) if name else (), name, pointer)


def _wrapped_list(
    spec: ApiSpec, name: str, properties: Mapping[str, Schema], template: str, text: str
) -> Shape | None:
    """An object around a list: paging, an envelope, ``{"branches": […], "total_count": 3}``."""
    arrays = {
        key: inner for key, value in properties.items() if (inner := array_items(spec, value)) is not None
    }
    if not arrays:
        return _embedded(spec, properties)
    literals = [part for part in template.split("/") if part and "{" not in part]
    last = noun_of(literals[-1]) if literals else ()
    others = [key for key in properties if key not in arrays]
    paging = all(any(word in _PAGING for word in noun_of(key)) for key in others)
    listish = any(
        word in name for word in ("List", "Page", "Collection", "Results", "Search", "Set", "Response")
    )
    said = [singular(word.strip(".,")) for word in text.lower().split()[:8]]
    told = bool({"all", "list"} & set(said[:4])) and len(arrays) == len(properties)
    for key, items in arrays.items():
        about = noun_of(key)
        named = bool(last) and (about == last or about[-1:] == last[-1:])
        if (
            (key in _LIST_NAMES and (paging or len(properties) <= 5))
            or (named and (paging or listish or len(properties) <= 4))
            or (told and bool(about) and about[-1] in said)
            or (len(arrays) == 1 and paging and (listish or len(others) <= 6))
        ):
            item_name = named_part(items)
            return Shape(Kind.LIST, items, entity_noun(item_name) if item_name else (), item_name, key)
    return None


def _embedded(spec: ApiSpec, properties: Mapping[str, Schema]) -> Shape | None:
    embedded = properties.get("_embedded")
    if embedded is None:
        return None
    for key, value in properties_of(spec, embedded).items():
        items = array_items(spec, value)
        if items is not None:
            name = named_part(items)
            return Shape(Kind.LIST, items, entity_noun(name) if name else (), name, f"_embedded/{key}")
    return None
