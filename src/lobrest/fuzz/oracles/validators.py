"""Schemas of the specification as compiled validators, made once and when first needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import jsonschema_rs

from lobrest.model.operation import Answer, ApiSpec, Json, Operation, Schema

_DROPPED: Final = frozenset({
    "$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
    "$vocabulary", "id", "format", "discriminator", "examples", "default", "description", "title",
    "contentEncoding", "contentMediaType", "deprecated",
})  # fmt: skip
"""Said about a schema, or a way out of it: a specification is not trusted to name documents to fetch."""
_LITERAL: Final = frozenset({"enum", "const"})
_NAMES: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_MOST_ERRORS: Final = 12
_LONGEST_REGEX: Final = 500


class Side(StrEnum):
    """Which way a document goes: what is read-only is not required of a client, and the other way round."""

    REQUEST = "readOnly"
    ANSWER = "writeOnly"


class Compiled:
    """One schema, ready to judge."""

    def __init__(self, validator: jsonschema_rs.Draft202012Validator, names: tuple[str, ...]) -> None:
        self._validator = validator
        self._names = names

    def is_valid(self, value: Json) -> bool:
        """Does the value match?"""
        try:
            return bool(self._validator.is_valid(value))
        except ValueError:  # a number that JSON Schema cannot hold
            return True

    def errors(self, value: Json) -> Iterator[jsonschema_rs.ValidationError]:
        """The first few differences."""
        try:
            for position, error in enumerate(self._validator.iter_errors(value)):
                if position >= _MOST_ERRORS:
                    return
                yield error
        except ValueError:
            return

    def place(self, error: jsonschema_rs.ValidationError) -> tuple[str, str]:
        """The named schema that a difference is in, empty for none, and the place inside it."""
        path = [str(part) for part in error.schema_path]
        name = ""
        if len(path) >= 2 and path[0] == "schemas" and path[1][1:].isdigit():
            name, path = self._names[int(path[1][1:])], path[2:]
        return name, "/".join(part for part in path[:-1] if part != "properties")


class Validators:
    """All validators of one specification."""

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec
        self._known: dict[tuple[str, str, Side], Compiled | None] = {}

    def answer(self, operation: Operation, status: int) -> Compiled | None:
        """For the JSON answers with that status; None where nothing is declared or it cannot be compiled."""
        key = (str(operation.id), str(status), Side.ANSWER)
        if key not in self._known:
            declared = declared_answer(operation, status)
            schema = json_schema(declared) if declared is not None else None
            self._known[key] = self._compiled(schema, Side.ANSWER) if schema else None
        return self._known[key]

    def request(self, operation: Operation) -> Compiled | None:
        """For JSON bodies of requests."""
        key = (str(operation.id), "", Side.REQUEST)
        if key not in self._known:
            media = operation.body.media if operation.body is not None else {}
            schema = next((one for kind, one in media.items() if "json" in kind), None)
            self._known[key] = self._compiled(schema, Side.REQUEST) if schema else None
        return self._known[key]

    def value(self, schema: Schema) -> Compiled | None:
        """For a single value of a request."""
        return self._compiled(schema, Side.REQUEST)

    def _compiled(self, schema: Schema, side: Side) -> Compiled | None:
        bundle = _Bundle(self._spec, side)
        root = bundle.plain(dict(schema))
        named = bundle.finish()
        if not isinstance(root, dict):
            return None
        document: dict[str, Json] = {**root, "schemas": named}
        try:
            validator = jsonschema_rs.Draft202012Validator(document, validate_formats=False, offline=True)
        except (ValueError, RecursionError):  # the specification is broken here: nothing can be said
            return None
        return Compiled(validator, tuple(bundle.names))


class _Bundle:
    """A schema with all that it refers to, in the words of JSON Schema alone."""

    def __init__(self, spec: ApiSpec, side: Side) -> None:
        self._spec = spec
        self._side = side
        self.names: dict[str, int] = {}

    def finish(self) -> dict[str, Json]:
        """The schemas referred to, by number."""
        done: dict[str, Json] = {}
        while len(done) < len(self.names):
            for name, number in list(self.names.items())[len(done) :]:
                done[f"s{number}"] = self.plain(dict(self._spec.schemas.get(name, {})))
        return done

    def plain(self, schema: Json) -> Json:
        if isinstance(schema, list):
            return [self.plain(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            return {"$ref": f"#/schemas/s{self.names.setdefault(name, len(self.names))}"}
        found: dict[str, Json] = {}
        for key, value in schema.items():
            if key in _DROPPED or key.startswith("x-"):
                continue
            if key in _LITERAL:
                found[key] = value
            elif key in _NAMES and isinstance(value, dict):
                found[key] = {name: self.plain(inner) for name, inner in value.items()}
            elif key == "required" and isinstance(value, list):
                found[key] = [name for name in value if not self._other_side(schema, name)]
            elif key == "pattern" and isinstance(value, str) and len(value) > _LONGEST_REGEX:
                continue
            else:
                found[key] = self.plain(value)
        values = found.get("enum")
        kinds = found.get("type")
        if isinstance(values, list) and None not in values and isinstance(kinds, list) and "null" in kinds:
            found["enum"] = [*values, None]  # OpenAPI 3.0: nullable says it, the list need not
        return found

    def _other_side(self, schema: Mapping[str, Json], name: Json) -> bool:
        properties = schema.get("properties")
        inner = properties.get(name) if isinstance(properties, dict) and isinstance(name, str) else None
        if not isinstance(inner, dict):
            return False
        return inner.get(self._side) is True or self._spec.resolve(inner).get(self._side) is True


def declared_answer(operation: Operation, status: int) -> Answer | None:
    """What the specification says about a status: the number itself, its class, or the default."""
    answers = operation.answers
    for written in (str(status), f"{status // 100}XX", f"{status // 100}xx", "default"):
        if written in answers:
            return answers[written]
    return None


def json_schema(answer: Answer) -> Schema | None:
    """The schema of JSON answers."""
    return next((schema for kind, schema in answer.media.items() if "json" in kind or kind == "*/*"), None)


def json_type(value: Json) -> str:
    """The JSON name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
