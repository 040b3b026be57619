"""What a specification declares: operations, their parameters and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NewType, TypeAlias

OperationId = NewType("OperationId", str)
"""``"METHOD /path/{template}"``, the path as the document writes it."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

Schema: TypeAlias = Mapping[str, Json]
"""A JSON Schema fragment in the dialect of OpenAPI 3.1.

A reference stays a reference: ``{"$ref": "#/schemas/Name"}`` points into ``ApiSpec.schemas``,
so that a schema keeps its name (evidence for the analysis) and cycles cost nothing.
"""


class Method(StrEnum):
    """The HTTP methods a specification can declare."""

    GET = "GET"
    HEAD = "HEAD"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"
    OPTIONS = "OPTIONS"
    TRACE = "TRACE"


READS: Final = (Method.GET, Method.HEAD, Method.OPTIONS, Method.TRACE)
"""Methods that change nothing."""


class Location(StrEnum):
    """Where in a request a parameter stands."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    BODY = "body"


@dataclass(frozen=True, slots=True, order=True)
class ParameterRef:
    """One parameter of one operation.

    ``pointer`` is the name, or for a body field its JSON pointer without the first slash
    (``assignee/id``, ``items/*/sku``; the whole body is the empty string).
    """

    operation: OperationId
    location: Location
    pointer: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared parameter or body field."""

    ref: ParameterRef
    required: bool
    schema: Schema
    description: str = ""
    style: str = ""
    """How arrays and objects are written (``form``, ``deepObject``, ``csv`` …); empty is the default."""
    explode: bool | None = None

    @property
    def name(self) -> str:
        """The last part of the pointer that is a name."""
        parts = [part for part in self.ref.pointer.split("/") if part != "*"]
        return parts[-1] if parts else ""


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The bodies an operation takes, by media type in the order of the document."""

    required: bool
    media: Mapping[str, Schema]

    def preferred(self) -> tuple[str, Schema] | None:
        """JSON if it is offered, else a form, else the first."""
        for wanted in ("json", "x-www-form-urlencoded", "form-data"):
            for media_type, schema in self.media.items():
                if wanted in media_type:
                    return media_type, schema
        return next(iter(self.media.items()), None)


@dataclass(frozen=True, slots=True)
class Link:
    """An OpenAPI link: an answer's value that is another operation's parameter."""

    name: str
    operation: str
    """``operationId`` or operation reference of the target, as written."""
    parameters: Mapping[str, str]
    """Target parameter (``path.id`` or ``id``) to runtime expression (``$response.body#/id``)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A declared response."""

    media: Mapping[str, Schema]
    headers: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    description: str = ""

    def schema(self) -> Schema | None:
        """The JSON schema of the answer, or whatever schema there is."""
        for media_type, schema in self.media.items():
            if "json" in media_type:
                return schema
        return next(iter(self.media.values()), None)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path template."""

    id: OperationId
    method: Method
    template: str
    parameters: tuple[Parameter, ...] = ()
    """Path, query, header and cookie parameters; body fields come from ``spec.fields.body_fields``."""
    body: RequestBody | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """By status as written: ``"200"``, ``"4XX"``, ``"default"``."""
    tags: tuple[str, ...] = ()
    operation_id: str = ""
    summary: str = ""
    description: str = ""
    deprecated: bool = False
    secured: bool = True
    """False where the document says that no credentials are needed."""

    @property
    def module(self) -> str:
        """The business module: the first tag, else the first literal path segment."""
        if self.tags:
            return self.tags[0]
        literal = [part for part in self.template.split("/") if part and "{" not in part]
        return literal[0] if literal else "/"

    def success_schema(self) -> Schema | None:
        """The schema of the first declared 2XX answer that has one."""
        for status in sorted(self.answers):
            if status.startswith("2"):
                schema = self.answers[status].schema()
                if schema is not None:
                    return schema
        return None


@dataclass(frozen=True, slots=True)
class Warning:
    """A defect of an input that was worked around, with its place."""

    place: str
    message: str


@dataclass(frozen=True, slots=True)
class ApiSpec:
    """A loaded specification."""

    title: str
    version: str
    operations: Mapping[OperationId, Operation]
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    base_paths: tuple[str, ...] = ("",)
    """Path prefixes of the declared servers, without a trailing slash, most specific first."""
    servers: tuple[str, ...] = ()
    """Declared server URLs as written."""
    warnings: tuple[Warning, ...] = ()
    dialect: str = ""
    """``swagger 2.0``, ``openapi 3.0.3`` …"""

    def resolve(self, schema: Schema) -> Schema:
        """Follow references until something else is met; a dangling or circular one gives ``{}``."""
        for _ in range(32):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            schema = self.schemas.get(reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~"), {})
        return {}
