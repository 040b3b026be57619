"""A document of any dialect → ``ApiSpec``.

Swagger 2.0 and OpenAPI 3.x are read by one pass: real documents mix the two
(``in: body`` in a 3.0 document, ``type`` beside ``in``), so what is there decides, not the version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from lobrest.errors import SpecError
from lobrest.model.operation import (
    Answer,
    ApiSpec,
    Json,
    Link,
    Location,
    Method,
    Operation,
    OperationId,
    Parameter,
    ParameterRef,
    RequestBody,
    Schema,
    Warning,
)
from lobrest.spec.document import parse_document
from lobrest.spec.references import Fetch, References, escape
from lobrest.spec.schema import Schemas
from lobrest.spec.template import parse_template

_METHODS = {method.value.lower(): method for method in Method}
_LOCATIONS = {
    "path": Location.PATH,
    "query": Location.QUERY,
    "header": Location.HEADER,
    "cookie": Location.COOKIE,
}
_NOT_SCHEMA = frozenset(
    (
        *("name", "in", "required", "description", "style", "explode", "allowEmptyValue", "collectionFormat"),
        *("allowReserved", "deprecated", "schema", "content", "example", "examples"),
    )
)
_STYLES = {
    "csv": "form",
    "ssv": "spaceDelimited",
    "tsv": "tabDelimited",
    "pipes": "pipeDelimited",
    "multi": "form",
}
_MAX_WARNINGS = 2_000


def load_spec(data: bytes, *, name: str = "", fetch: Fetch | None = None) -> ApiSpec:
    """Load a specification; every defect is one warning, and only a document without operations an error.

    ``name`` is the file or address it came from: errors name it.
    References to other documents are followed only when ``fetch`` is given; it gets their addresses relative to
    this document, and raises ``OSError`` for one that cannot be had.
    """
    document = parse_document(data, name=name)
    root = document.value
    if not isinstance(root, dict):
        raise SpecError("not an OpenAPI or Swagger document", source=name, hint="its top level is no mapping")
    warnings = list(document.warnings)
    reader = _Reader(root, fetch=fetch, warnings=warnings)
    spec = reader.read()
    if not spec.operations:
        hint = "it has no paths" if not root.get("paths") else "none of its operations can be read"
        raise SpecError("no usable operation in this document", source=name, hint=hint)
    return replace(spec, warnings=tuple(_limited(warnings, document.lines, root)))


def _limited(warnings: list[Warning], lines: dict[int, int], root: dict[str, Json]) -> list[Warning]:
    kept = [
        replace(warning, place=_with_line(warning.place, lines, root)) for warning in warnings[:_MAX_WARNINGS]
    ]
    if len(warnings) > _MAX_WARNINGS:
        kept.append(Warning("", f"{len(warnings) - _MAX_WARNINGS} more warnings are left out"))
    return kept


def _with_line(place: str, lines: dict[int, int], root: dict[str, Json]) -> str:
    """The pointer with the line of the nearest mapping around it, where lines are known."""
    if not lines or not place.startswith("/"):
        return place
    value: Json = root
    line = lines.get(id(value))
    for part in place[1:].split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            break
        line = lines.get(id(value), line)
    return f"{place} (line {line})" if line else place


@dataclass(slots=True)
class _Inputs:
    """Parameters of one operation while they are collected."""

    parameters: dict[tuple[Location, str], Parameter] = field(default_factory=dict)
    bodies: list[tuple[str, Schema, bool, str]] = field(default_factory=list)
    form: dict[str, tuple[Schema, bool]] = field(default_factory=dict)
    files: bool = False


class _Reader:
    def __init__(self, root: dict[str, Json], *, fetch: Fetch | None, warnings: list[Warning]) -> None:
        self._root = root
        self._warnings = warnings
        self._references = References(root, fetch=fetch, warnings=warnings)
        self._schemas = Schemas(self._references, warnings)
        self._consumes = _texts(root.get("consumes"))
        self._produces = _texts(root.get("produces"))

    def read(self) -> ApiSpec:
        self._definitions()
        info = _mapping(self._root.get("info"))
        operations: dict[OperationId, Operation] = {}
        paths = self._root.get("paths")
        if paths is not None and not isinstance(paths, dict):
            self._warn("/paths", "paths must be a mapping")
        shapes: dict[tuple[Method, str], str] = {}
        operation_ids: dict[str, OperationId] = {}
        for template, item in _mapping(paths).items():
            if template.startswith("x-"):
                continue
            for operation in self._path_item(template, item):
                shape = (operation.method, _shape(template))
                if shape in shapes:
                    place = f"/paths/{escape(template)}/{operation.method.lower()}"
                    self._warn(place, f"the same requests as {shapes[shape]}")
                shapes.setdefault(shape, template)
                operations[operation.id] = operation
                if operation.operation_id and operation.operation_id in operation_ids:
                    other = operation_ids[operation.operation_id]
                    self._warn(
                        f"/paths/{escape(template)}/{operation.method.lower()}/operationId",
                        f"{operation.operation_id!r} is also the id of {other}",
                    )
                operation_ids.setdefault(operation.operation_id, operation.id)
        servers, bases = self._servers()
        return ApiSpec(
            title=_text(info.get("title")),
            version=_text(info.get("version")),
            operations=operations,
            schemas=self._schemas.finish(),
            base_paths=bases,
            servers=servers,
            dialect=self._dialect(),
        )

    def _dialect(self) -> str:
        for key in ("swagger", "openapi"):
            version = self._root.get(key)
            if version is not None:
                if not str(version).startswith(("2.0", "3.0", "3.1", "3.2")):
                    self._warn(f"/{key}", f"version {version!r} is not known")
                return f"{key} {version}"
        self._warn("", "neither swagger nor openapi says which version it is")
        return ""

    def _definitions(self) -> None:
        sections = [
            ("/definitions", _mapping(self._root.get("definitions"))),
            ("/components/schemas", _mapping(_mapping(self._root.get("components")).get("schemas"))),
        ]
        for base, section in sections:
            for name in section:
                self._schemas.reserve(name, pointer=f"{base}/{escape(name)}")
        for base, section in sections:
            for name, raw in section.items():
                self._schemas.declare(name, raw, pointer=f"{base}/{escape(name)}")

    def _servers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        urls: list[str] = []
        servers = self._root.get("servers")
        for number, server in enumerate(servers if isinstance(servers, list) else []):
            url = _mapping(server).get("url")
            if not isinstance(url, str):
                self._warn(f"/servers/{number}", "a server needs a url")
                continue
            for variable, choice in _mapping(_mapping(server).get("variables")).items():
                url = url.replace("{" + variable + "}", _text(_mapping(choice).get("default")))
            urls.append(url)
        base = self._root.get("basePath")
        if isinstance(base, str) and not urls:
            host = _text(self._root.get("host"))
            scheme = (_texts(self._root.get("schemes")) or ["http"])[0]
            urls.append(f"{scheme}://{host}{base}" if host else base)
        bases = dict.fromkeys(_base_path(url) for url in urls)
        ordered = sorted(bases, key=lambda path: -path.count("/")) or [""]
        return tuple(urls), tuple(ordered)

    def _path_item(self, template: str, raw: Json) -> list[Operation]:
        place = f"/paths/{escape(template)}"
        item = self._resolved(raw, place)
        if not isinstance(item, dict):
            self._warn(place, "a path needs a mapping of methods")
            return []
        if not template.startswith("/"):
            self._warn(place, "a path must begin with a slash")
        found = []
        methods = {key.lower(): (key, value) for key, value in item.items()}
        for extra, value in _mapping(item.get("additionalOperations")).items():
            methods.setdefault(extra.lower(), (extra, value))
        for lowered, (key, value) in methods.items():
            method = _METHODS.get(lowered)
            if method is None:
                if lowered == "query" and isinstance(value, dict):
                    self._warn(f"{place}/{key}", "the QUERY method is not supported; left out")
                continue
            at = f"{place}/{key}"
            operation = self._resolved(value, at)
            if not isinstance(operation, dict):
                self._warn(at, "an operation must be a mapping; left out")
                continue
            found.append(self._operation(method, template, operation, item, at))
        return found

    def _operation(
        self, method: Method, template: str, raw: dict[str, Json], item: dict[str, Json], place: str
    ) -> Operation:
        identity = OperationId(f"{method.value} {template}")
        inputs = _Inputs()
        for source, at in ((item, place.rpartition("/")[0]), (raw, place)):
            declared = source.get("parameters")
            if isinstance(declared, dict):
                self._warn(f"{at}/parameters", "parameters must be a list")
                declared = [
                    {"name": name, **inner} if isinstance(inner, dict) else inner
                    for name, inner in declared.items()
                ]
            for number, parameter in enumerate(declared if isinstance(declared, list) else []):
                self._parameter(identity, parameter, inputs, f"{at}/parameters/{number}")
        self._path_parameters(identity, template, inputs, place)
        consumes = _texts(raw.get("consumes")) or self._consumes
        produces = _texts(raw.get("produces")) or self._produces
        secured = raw.get("security", self._root.get("security"))
        return Operation(
            id=identity,
            method=method,
            template=template,
            parameters=tuple(inputs.parameters.values()),
            body=self._body(raw, inputs, consumes, place),
            answers=self._answers(raw.get("responses"), produces, place),
            tags=tuple(_texts(raw.get("tags"))),
            operation_id=_text(raw.get("operationId")),
            summary=_text(raw.get("summary")),
            description=_text(raw.get("description")),
            deprecated=raw.get("deprecated") is True,
            secured=not (isinstance(secured, list) and (not secured or {} in secured)) or secured is None,
        )

    def _parameter(self, identity: OperationId, raw: Json, inputs: _Inputs, place: str) -> None:
        raw = self._resolved(raw, place)
        if not isinstance(raw, dict):
            self._warn(place, "a parameter must be a mapping; left out")
            return
        name, where = raw.get("name"), raw.get("in")
        if not isinstance(name, str) or not name:
            self._warn(place, "a parameter needs a name; left out")
            return
        required = raw.get("required") is True
        description = _text(raw.get("description"))
        if where == "body":
            schema = self._schemas.normalise(raw.get("schema", _as_schema(raw)), place=f"{place}/schema")
            inputs.bodies.append((name, schema, required, description))
            return
        schema = self._parameter_schema(raw, place)
        if where in ("formData", "form"):
            if raw.get("type") == "file" or schema.get("format") == "binary":
                inputs.files = True
            described = {**schema, "description": description} if description else schema
            inputs.form[name] = (described, required)
            return
        location = _LOCATIONS.get(where.lower()) if isinstance(where, str) else None
        if location is None:
            self._warn(place, f"parameter {name!r} is in {where!r}; taken as query")
            location = Location.QUERY
        style, explode = raw.get("style"), raw.get("explode")
        collection = raw.get("collectionFormat")
        if isinstance(collection, str) and not isinstance(style, str):
            style, explode = _STYLES.get(collection, "form"), collection == "multi"
        inputs.parameters[location, name] = Parameter(
            ref=ParameterRef(identity, location, name),
            required=required,
            schema=schema,
            description=description or _text(schema.get("description")),
            style=style if isinstance(style, str) else "",
            explode=explode if isinstance(explode, bool) else None,
        )

    def _parameter_schema(self, raw: dict[str, Json], place: str) -> Schema:
        if "schema" in raw:
            schema = self._schemas.normalise(raw["schema"], place=f"{place}/schema")
        elif isinstance(raw.get("content"), dict):
            media = next(iter(_mapping(raw["content"]).values()), None)
            schema = self._schemas.normalise(_mapping(media).get("schema"), place=f"{place}/content")
        else:
            schema = self._schemas.normalise(_as_schema(raw), place=place)
        examples = _examples(raw)
        if examples and "$ref" not in schema:
            schema = {**schema, "examples": examples}
        return schema

    def _path_parameters(self, identity: OperationId, template: str, inputs: _Inputs, place: str) -> None:
        """The template is the truth: what it names is in the path, and nothing else is."""
        names = parse_template(template).names
        for (location, name), parameter in list(inputs.parameters.items()):
            if location is Location.PATH and name not in names:
                meant = next((one for one in names if one.lower() == name.lower()), None)
                if meant is None and ("{" in name or "}" in name):
                    self._warn(place, f"parameter {name!r} is no name; left out")
                    del inputs.parameters[location, name]
                elif meant is None or (Location.PATH, meant) in inputs.parameters:
                    self._warn(place, f"path parameter {name!r} is not in the path; taken as query")
                    moved = replace(parameter, ref=ParameterRef(identity, Location.QUERY, name))
                    del inputs.parameters[location, name]
                    inputs.parameters.setdefault((Location.QUERY, name), moved)
                else:
                    self._warn(place, f"path parameter {name!r} is {meant!r} in the path")
                    del inputs.parameters[location, name]
                    inputs.parameters[Location.PATH, meant] = replace(
                        parameter, ref=ParameterRef(identity, Location.PATH, meant)
                    )
        ordered: dict[tuple[Location, str], Parameter] = {}
        for name in names:
            key = (Location.PATH, name)
            found = inputs.parameters.pop(key, None)
            if found is None:
                found = inputs.parameters.pop((Location.QUERY, name), None)
                if found is not None:
                    self._warn(place, f"parameter {name!r} is in the path, not in the query")
                elif name in inputs.form:
                    schema, _ = inputs.form.pop(name)
                    found = Parameter(
                        ParameterRef(identity, *key), True, schema, _text(schema.get("description"))
                    )
                    self._warn(place, f"parameter {name!r} is in the path, not in the form")
                else:
                    found = Parameter(ParameterRef(identity, *key), True, {"type": "string"})
                    self._warn(place, f"path parameter {name!r} is not declared")
            ordered[key] = replace(found, ref=ParameterRef(identity, *key), required=True)
        inputs.parameters = ordered | inputs.parameters

    def _body(
        self, raw: dict[str, Json], inputs: _Inputs, consumes: list[str], place: str
    ) -> RequestBody | None:
        declared = self._request_body(raw.get("requestBody"), place) if "requestBody" in raw else None
        if declared is not None:
            return declared
        if inputs.form:
            return _form_body(inputs, consumes)
        if not inputs.bodies:
            return None
        if len(inputs.bodies) == 1:
            _, schema, required, _ = inputs.bodies[0]
        else:
            self._warn(place, "more than one body; taken as fields of one")
            properties: dict[str, Json] = {name: dict(schema) for name, schema, _, _ in inputs.bodies}
            needed: list[Json] = [name for name, _, required, _ in inputs.bodies if required]
            schema = {"type": "object", "properties": properties, **({"required": needed} if needed else {})}
            required = bool(needed)
        media = consumes or ["application/json"]
        return RequestBody(required, dict.fromkeys(media, schema))

    def _request_body(self, value: Json, place: str) -> RequestBody | None:
        at = f"{place}/requestBody"
        body = self._resolved(value, at)
        if not isinstance(body, dict):
            self._warn(at, "requestBody must be a mapping; left out")
            return None
        media = self._media(body.get("content"), f"{at}/content")
        if not media and "schema" in body:
            self._warn(at, "requestBody has a schema but no content; taken as JSON")
            media = {"application/json": self._schemas.normalise(body["schema"], place=f"{at}/schema")}
        return RequestBody(body.get("required") is True, media) if media else None

    def _media(self, content: Json, place: str) -> dict[str, Schema]:
        found: dict[str, Schema] = {}
        for media_type, inner in _mapping(content).items():
            inner = self._resolved(inner, f"{place}/{escape(media_type)}")
            if not isinstance(inner, dict):
                self._warn(f"{place}/{escape(media_type)}", "a media type must be a mapping")
                continue
            at = f"{place}/{escape(media_type)}/schema"
            schema = self._schemas.normalise(inner.get("schema", inner.get("itemSchema")), place=at)
            examples = _examples(inner)
            if examples and "$ref" not in schema:
                schema = {**schema, "examples": examples}
            found[media_type] = schema
        return found

    def _answers(self, raw: Json, produces: list[str], place: str) -> dict[str, Answer]:
        at = f"{place}/responses"
        if not isinstance(raw, dict) or not raw:
            self._warn(at, "an operation needs responses")
            return {}
        answers: dict[str, Answer] = {}
        for status, value in raw.items():
            if status.startswith("x-"):
                continue
            answer = self._resolved(value, f"{at}/{status}")
            if not isinstance(answer, dict):
                self._warn(f"{at}/{status}", "a response must be a mapping")
                continue
            media = self._media(answer.get("content"), f"{at}/{status}/content")
            if not media and "schema" in answer:
                schema = self._schemas.normalise(answer["schema"], place=f"{at}/{status}/schema")
                media = dict.fromkeys(produces or ["application/json"], schema)
            answers[status] = Answer(
                media=media,
                headers=tuple(_mapping(answer.get("headers"))),
                links=tuple(self._links(answer.get("links"), f"{at}/{status}/links")),
                description=_text(answer.get("description")),
            )
        return answers

    def _links(self, raw: Json, place: str) -> list[Link]:
        found = []
        for name, value in _mapping(raw).items():
            link = self._resolved(value, f"{place}/{escape(name)}")
            if not isinstance(link, dict):
                continue
            target = link.get("operationId") or link.get("operationRef")
            if isinstance(target, str):
                parameters = _mapping(link.get("parameters"))
                found.append(Link(name, target, {k: v for k, v in parameters.items() if isinstance(v, str)}))
        return found

    def _resolved(self, value: Json, place: str) -> Json:
        if not (isinstance(value, dict) and "$ref" in value):
            return value
        target = self._references.follow(value["$ref"], place=place)
        if target is None:
            return None
        if isinstance(target.value, dict) and len(value) > 1:
            return {**target.value, **{key: inner for key, inner in value.items() if key != "$ref"}}
        return target.value

    def _warn(self, place: str, message: str) -> None:
        self._warnings.append(Warning(place, message))


def _form_body(inputs: _Inputs, consumes: list[str]) -> RequestBody:
    properties: dict[str, Json] = {}
    needed: list[Json] = []
    for name, (field_schema, required) in inputs.form.items():
        properties[name] = dict(field_schema)
        if required:
            needed.append(name)
    for name, field_schema, required, _ in inputs.bodies:
        properties.setdefault(name, dict(field_schema))
        if required:
            needed.append(name)
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    if needed:
        schema["required"] = needed
    if inputs.files:
        media = [one for one in consumes if "multipart" in one] or ["multipart/form-data"]
    else:
        media = consumes or ["application/x-www-form-urlencoded"]
    return RequestBody(bool(needed), dict.fromkeys(media, schema))


def _as_schema(raw: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in raw.items() if key not in _NOT_SCHEMA}


def _examples(raw: dict[str, Json]) -> list[Json]:
    found: list[Json] = []
    if "example" in raw:
        found.append(raw["example"])
    examples = raw.get("examples")
    if isinstance(examples, dict):
        found += [one["value"] for one in examples.values() if isinstance(one, dict) and "value" in one]
    elif isinstance(examples, list):
        found += examples
    return found


def _base_path(url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    path = path.rstrip("/")
    return path if not path or path.startswith("/") else f"/{path}"


def _shape(template: str) -> str:
    """A template without its parameter names: equal shapes match the same requests."""
    segments = parse_template(template).segments
    return "/".join("".join(part if isinstance(part, str) else "{}" for part in one) for one in segments)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
