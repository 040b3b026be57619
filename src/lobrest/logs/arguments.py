"""A logged request to arguments by place: query, body, form, or GitLab's merge of them; hidden values left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import msgspec

from lobrest.logs.formats.record import Body
from lobrest.logs.secrets import SecretFinder, is_hidden, is_secret_name, is_secret_number
from lobrest.model.entry import Arguments
from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId, Schema

_MAX_FIELDS = 500
_MAX_BODY = 4 << 20
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_PART_NAME = re.compile(r'name="([^"]*)"')
_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?')


class _Pair(msgspec.Struct, gc=False):
    key: str
    value: Any = None


class Detail(msgspec.Struct, gc=False, array_like=True):
    """What of a request is kept to make its arguments from later."""

    target: str
    body: str = ""
    body_kind: int = Body.UNKNOWN
    media_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """Arguments, and what the log did not let us see of them."""

    arguments: Arguments
    whole: bool
    """False: the request had more in it than the log tells, so it is no example of a combination."""


class ArgumentReader:
    """Reads arguments of one specification's operations."""

    def __init__(self, spec: ApiSpec, secrets: SecretFinder | None = None) -> None:
        self._spec = spec
        self.secrets = secrets or SecretFinder()
        self._decoder = msgspec.json.Decoder()
        self._pairs = msgspec.json.Decoder(list[_Pair])
        # One request is asked for its values several times in a row.
        self._last: tuple[Detail | None, tuple[dict[str, Json], Json, bool]] = (None, ({}, None, False))
        self._declared: dict[OperationId, tuple[frozenset[str], Mapping[str, Schema]]] = {}

    def values(self, operation: Operation, detail: Detail) -> tuple[dict[str, Json], Json, bool]:
        """Query, body and whether there is a body, as sent: nothing is hidden here. Cheap; for instances."""
        if detail is self._last[0]:
            return self._last[1]
        query_text = detail.target.partition("?")[2]
        query = parse_query(query_text) if query_text else {}
        if detail.body_kind == Body.PARAMETERS:
            merged, _ = self._parameters(detail.body)
            found = self._split(operation, query, merged, as_declared=False)
        else:
            body, known = self._body(detail)
            found = query, body, known
        self._last = (detail, found)
        return found

    def read(self, operation: Operation, path: Mapping[str, str], detail: Detail) -> Reading:
        """The arguments, with secrets and hidden values taken out and named in ``Arguments.hidden``."""
        query_text = detail.target.partition("?")[2]
        query: dict[str, Json] = parse_query(query_text) if query_text else {}
        whole = True
        known = detail.body_kind != Body.UNKNOWN
        body: Json = None
        has_body = False
        media_type = detail.media_type.partition(";")[0].strip().lower() or None
        bent = False
        if detail.body_kind == Body.PARAMETERS:
            merged, whole = self._parameters(detail.body)
            query, body, has_body = self._split(operation, query, merged, as_declared=True)
            preferred = operation.body.preferred() if operation.body else None
            media_type = preferred[0] if has_body and preferred else None
            bent = True
        elif detail.body_kind == Body.CUT:
            known, whole = False, False
        elif detail.body_kind == Body.TEXT and detail.body:
            body, has_body = self._body(detail)
            if not has_body:
                known, whole = False, False
        if not known and operation.body is None:
            known = True
        hidden: list[str] = []
        query = self._cleaned_fields(query, "query", hidden, bent=bent)
        if has_body:
            body = self._cleaned(body, "body", "", hidden, bent=bent, depth=0)
            if body is _HIDDEN:
                body, has_body, known = None, False, False
        path_kept = {name: value for name, value in path.items() if not is_template(value)}
        header = {
            name: value for name, value in detail.headers if not is_hidden(value) and not is_secret_name(name)
        }
        arguments = Arguments(
            path=path_kept,
            query=query,
            header=header,
            body=body,
            has_body=has_body,
            media_type=media_type if has_body else None,
            body_known=known,
            hidden=tuple(hidden),
        )
        return Reading(arguments, whole and len(path_kept) == len(path))

    def _body(self, detail: Detail) -> tuple[Json, bool]:
        """The body's value, and whether it could be read."""
        text = detail.body
        if not text or len(text) > _MAX_BODY:
            return None, False
        media = detail.media_type.lower()
        if "json" in media or (not media and text[:1] in ("{", "[")):
            try:
                value: Json = self._decoder.decode(text)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                return None, False
            return value, True
        if "x-www-form-urlencoded" in media or (not media and "=" in text and "\n" not in text):
            return nested(parse_query(text)), True
        if "form-data" in media:
            fields = parse_multipart(text, detail.media_type)
            return fields, bool(fields)
        if text.lstrip()[:1] in ("{", "["):
            # Clients forget the media type: curl sends JSON as a form.
            try:
                return self._decoder.decode(text), True
            except (msgspec.MsgspecError, RecursionError):
                pass
        return text, True

    def _parameters(self, text: str) -> tuple[dict[str, Json], bool]:
        """GitLab's list of keys and values, and whether it is complete."""
        if len(text) <= 2 or len(text) > _MAX_BODY:
            return {}, len(text) <= 2
        try:
            pairs = self._pairs.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._odd_parameters(text)
        whole = True
        if pairs and pairs[-1].key == "truncated" and pairs[-1].value == "...":
            pairs.pop()
            whole = False
        return {pair.key: pair.value for pair in pairs[:_MAX_FIELDS]}, whole

    def _odd_parameters(self, text: str) -> tuple[dict[str, Json], bool]:
        try:
            items = self._decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return {}, False
        merged: dict[str, Json] = {}
        whole = True
        if isinstance(items, dict):
            return {str(key): value for key, value in items.items()}, True
        for item in items[:_MAX_FIELDS] if isinstance(items, list) else ():
            if not isinstance(item, dict) or not isinstance(item.get("key"), str):
                continue
            if item["key"] == "truncated" and item.get("value") == "...":
                whole = False
                continue
            merged[item["key"]] = item.get("value")
        return merged, whole

    def _split(
        self, operation: Operation, query: dict[str, Json], merged: dict[str, Json], *, as_declared: bool
    ) -> tuple[dict[str, Json], Json, bool]:
        """Merged parameters to query and body, by what the specification declares."""
        declared = self._declared.get(operation.id)
        if declared is None:
            declared = self._declared[operation.id] = self._declarations(operation)
        in_query, in_body = declared
        body: dict[str, Json] = {}
        takes_body = operation.body is not None
        bodiless = operation.method in ("GET", "HEAD", "DELETE", "OPTIONS")
        for name, value in merged.items():
            if name in in_body and not (name in in_query and bodiless):
                body[name] = coerced(value, self._spec.resolve(in_body[name])) if as_declared else value
            elif name in in_query or (bodiless and not takes_body):
                query[name] = value
            elif f"{name}[]" in in_query:
                query[f"{name}[]"] = value
            elif takes_body or not bodiless:
                body[name] = value
            else:
                query[name] = value
        return query, (body if body else None), bool(body)

    def _declarations(self, operation: Operation) -> tuple[frozenset[str], Mapping[str, Schema]]:
        in_query = frozenset(p.ref.pointer for p in operation.parameters if p.ref.location is Location.QUERY)
        preferred = operation.body.preferred() if operation.body else None
        fields: dict[str, Schema] = {}
        if preferred is not None:
            properties = self._spec.resolve(preferred[1]).get("properties")
            if isinstance(properties, Mapping):
                fields = {name: inner for name, inner in properties.items() if isinstance(inner, Mapping)}
        return in_query, fields

    def _cleaned_fields(
        self, fields: Mapping[str, Json], place: str, hidden: list[str], *, bent: bool
    ) -> dict[str, Json]:
        cleaned: dict[str, Json] = {}
        for name, value in fields.items():
            inner = self._cleaned(value, f"{place}/{_escaped(name)}", name, hidden, bent=bent, depth=1)
            if inner is not _HIDDEN:
                cleaned[name] = inner
        return cleaned

    def _cleaned(
        self, value: Json, place: str, name: str, hidden: list[str], *, bent: bool, depth: int
    ) -> Json:
        """A copy without what is hidden; ``_HIDDEN`` where nothing may stay."""
        if isinstance(value, dict):
            if depth > 60:
                return _hide(place, hidden)
            if is_upload(value):
                return _hide(place, hidden)
            if name and is_secret_name(name) and any(isinstance(held, str) for held in value.values()):
                return _hide(place, hidden)
            return self._cleaned_object(value, place, hidden, bent=bent, depth=depth)
        if isinstance(value, list):
            if depth > 60 or (name and is_secret_name(name) and value):
                return _hide(place, hidden)
            items = [
                self._cleaned(item, f"{place}/{number}", name, hidden, bent=bent, depth=depth + 1)
                for number, item in enumerate(value)
            ]
            return [item for item in items if item is not _HIDDEN]
        if value is None:
            # GitLab's formatter writes booleans and floats as null.
            return _hide(place, hidden) if bent else None
        if isinstance(value, str):
            if value and (is_hidden(value) or is_secret_name(name) or self.secrets.is_secret(value)):
                return _hide(place, hidden)
        elif not isinstance(value, bool) and is_secret_number(name):
            return _hide(place, hidden)
        return value

    def _cleaned_object(
        self, value: Mapping[str, Json], place: str, hidden: list[str], *, bent: bool, depth: int
    ) -> Json:
        cleaned: dict[str, Json] = {}
        for key, held in value.items():
            inner = self._cleaned(held, f"{place}/{_escaped(key)}", key, hidden, bent=bent, depth=depth + 1)
            if inner is not _HIDDEN:
                cleaned[key] = inner
        return cleaned


_HIDDEN: Json = "\0hidden\0"


def _hide(place: str, hidden: list[str]) -> Json:
    if len(hidden) < 100:
        hidden.append(place)
    return _HIDDEN


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def is_template(value: str) -> bool:
    """Is it a template's ``{name}`` in place of a value, as API Gateway logs it?"""
    return value.startswith("{") and value.endswith("}")


def is_upload(value: Mapping[str, Json]) -> bool:
    """Does the object stand for an uploaded file?"""
    return "filename" in value and ("tempfile" in value or "head" in value or "type" in value)


def parse_query(text: str) -> dict[str, Json]:
    """Names to values; a name that comes again makes a list. Broken escapes are kept as they are."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="replace")
    except ValueError:
        pairs = [(unquote_plus(part.partition("=")[0]), "") for part in text.split("&")[:_MAX_FIELDS]]
    fields: dict[str, Json] = {}
    for name, value in pairs:
        if name.endswith("[]"):
            held = fields.setdefault(name[:-2], [])
            if isinstance(held, list):
                held.append(value)
            continue
        known = fields.get(name)
        if known is None:
            fields[name] = value
        elif isinstance(known, list):
            known.append(value)
        else:
            fields[name] = [known, value]
    return fields


def nested(fields: Mapping[str, Json]) -> Json:
    """Form names such as ``user[name]`` to objects."""
    if not any("[" in name for name in fields):
        return dict(fields)
    result: dict[str, Json] = {}
    for name, value in fields.items():
        head, bracket, _ = name.partition("[")
        if not bracket or not head:
            result[name] = value
            continue
        place: dict[str, Json] = result
        names = [head, *_BRACKETS.findall(name)][:8]
        for part in names[:-1]:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                inner = place[part] = {}
            place = inner
        place[names[-1]] = value
    return result


def parse_multipart(text: str, media_type: str) -> dict[str, Json]:
    """The text fields of a form; a file becomes the description of an upload."""
    found = _BOUNDARY.search(media_type)
    boundary = found.group(1) if found else text.split("\n", 1)[0].strip()[2:]
    if not boundary:
        return {}
    fields: dict[str, Json] = {}
    for part in text.split(f"--{boundary}")[1:_MAX_FIELDS]:
        head, separator, content = part.replace("\r\n", "\n").partition("\n\n")
        name = _PART_NAME.search(head)
        if not separator or name is None:
            continue
        if "filename=" in head:
            fields[name.group(1)] = {"filename": "", "type": "file"}
        else:
            fields[name.group(1)] = content.removesuffix("\n")
    return fields


def coerced(value: Json, schema: Schema) -> Json:
    """A form's text in the type that the body's schema wants: ``"3"`` as 3 where an integer is declared."""
    if not isinstance(value, str):
        return value
    kind = schema.get("type")
    kinds: Iterable[object] = kind if isinstance(kind, list) else (kind,)
    for wanted in kinds:
        if wanted == "integer" and value.lstrip("-").isdigit() and len(value) < 19:
            return int(value)
        if wanted == "boolean" and value in ("true", "false"):
            return value == "true"
        if wanted == "string":
            return value
    return value


def as_identity(value: Json) -> str:
    """The text by which an instance is named; empty for what names nothing."""
    if isinstance(value, str):
        return value if 0 < len(value) <= 1024 and not is_hidden(value) else ""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return ""
