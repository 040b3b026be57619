"""Arguments to bytes: how a request is written for its operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import msgspec

from lobrest.enhance.values import as_text
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Request
from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId, Parameter
from lobrest.model.seed import Step
from lobrest.spec.router import Router

_BOUNDARY = "lobrest-7f3a91c2"
_NO_NAME = re.compile(r"[^!#$%&'*+.^_`|~0-9A-Za-z-]")


class Renderer:
    """Writes requests of one service."""

    def __init__(self, spec: ApiSpec, router: Router, *, base_path: str) -> None:
        self._spec = spec
        self._router = router
        self._base = base_path
        self._query: dict[OperationId, dict[str, Parameter]] = {
            operation.id: {
                one.ref.pointer: one for one in operation.parameters if one.ref.location is Location.QUERY
            }
            for operation in spec.operations.values()
        }

    def render(self, step: Step, arguments: Arguments, *, actor: str) -> Request:
        """The request of a step with these arguments, sent by ``actor``."""
        operation = self._spec.operations[step.entry.operation]
        path = {name: _writable(value) for name, value in arguments.path.items()}
        target = self._router.expand(operation, path, self._base)
        query = "&".join(self._pairs(operation.id, arguments.query)) if arguments.query else ""
        headers = [(_header_name(name), header_text(value)) for name, value in arguments.header.items()]
        if arguments.cookie:
            jar = "; ".join(
                f"{_header_name(name)}={header_text(value)}" for name, value in arguments.cookie.items()
            )
            headers.append(("Cookie", jar))
        body = step.raw_body
        if body is not None:
            headers.append(("Content-Type", header_text(arguments.media_type or "application/json")))
        elif arguments.has_body:
            media_type, body = encode_body(arguments, operation)
            if media_type:
                headers.append(("Content-Type", header_text(media_type)))
        return Request(
            operation=operation.id,
            method=operation.method.value,
            target=f"{target}?{query}" if query else target,
            headers=tuple(headers),
            body=body,
            actor="" if step.anonymous else actor,
        )

    def _pairs(self, operation: OperationId, query: object) -> Iterator[str]:
        declared = self._query.get(operation, {})
        if not isinstance(query, dict):
            return
        for name, value in query.items():
            yield from _query_pairs(name, value, declared.get(name))


def _query_pairs(name: str, value: Json, declared: Parameter | None) -> Iterator[str]:
    written = _quoted(name, safe="[]")
    if isinstance(value, list):
        style = declared.style if declared else ""
        separate = style in ("multi", "form", "") and (declared is None or declared.explode is not False)
        if separate:
            for item in value:
                yield f"{written}={_quoted(as_text(item))}"
        else:
            mark = {"ssv": " ", "spaceDelimited": " ", "pipes": "|", "pipeDelimited": "|"}.get(style, ",")
            yield f"{written}={_quoted(mark.join(as_text(item) for item in value))}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{_quoted(f'{name}[{key}]', safe='[]')}={_quoted(as_text(inner))}"
    else:
        yield f"{written}={_quoted(as_text(value))}"


def encode_body(arguments: Arguments, operation: Operation) -> tuple[str, bytes]:
    """Media type and bytes of a body."""
    preferred = operation.body.preferred() if operation.body else None
    media_type = arguments.media_type or (preferred[0] if preferred else "application/json")
    kind = media_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded" and isinstance(arguments.body, dict):
        pairs = [pair for name, value in arguments.body.items() for pair in _query_pairs(name, value, None)]
        return kind, "&".join(pairs).encode()
    if kind == "multipart/form-data" and isinstance(arguments.body, dict):
        return f"{kind}; boundary={_BOUNDARY}", _multipart(arguments.body, operation)
    if kind in ("*/*", "") or kind.endswith("/*"):
        kind = "application/json"
    if "json" in kind or not isinstance(arguments.body, str):
        return kind if "json" in kind else "application/json", json_bytes(arguments.body)
    return kind, arguments.body.encode("utf-8", "surrogatepass")


def json_bytes(value: Json) -> bytes:
    """JSON, whatever strings and numbers are in it."""
    try:
        return msgspec.json.encode(value)
    except (
        UnicodeEncodeError,
        OverflowError,
    ):  # lone surrogates and huge numbers: odd, and JSON all the same
        return json.dumps(value).encode()


def _multipart(fields: dict[str, Json], operation: Operation) -> bytes:
    preferred = operation.body.media.get("multipart/form-data", {}) if operation.body else {}
    properties = preferred.get("properties")
    parts: list[bytes] = []
    for name, value in fields.items():
        schema = properties.get(name) if isinstance(properties, dict) else None
        is_file = isinstance(schema, dict) and schema.get("format") == "binary"
        is_file = is_file or (isinstance(schema, dict) and schema.get("type") == "file")
        disposition = f'form-data; name="{_quoted(name, safe="/")}"' + (
            '; filename="lobrest.txt"' if is_file else ""
        )
        lines = [f"--{_BOUNDARY}", f"Content-Disposition: {disposition}"]
        if is_file:
            lines.append("Content-Type: application/octet-stream")
        parts.append("\r\n".join([*lines, "", as_text(value)]).encode("utf-8", "replace"))
    return b"\r\n".join([*parts, f"--{_BOUNDARY}--".encode(), b""])


def _writable(value: object) -> str:
    """Text that has bytes: half a surrogate pair has none."""
    if isinstance(value, str) and value.isascii():
        return value
    return str(value).encode("utf-8", "replace").decode()


def _quoted(text: str, *, safe: str = "") -> str:
    if text.isalnum() and text.isascii():
        return text
    return quote(_writable(text), safe=safe)


def _header_name(name: str) -> str:
    """A header or cookie name that is one: specifications are not trusted."""
    return _NO_NAME.sub("-", name) or "-"


def header_text(value: object) -> str:
    """A header value that cannot end its line."""
    if isinstance(value, str) and value.isascii() and value.isprintable():
        return value
    text = str(value).replace("\r", " ").replace("\n", " ").replace("\0", " ")
    return text.encode("latin-1", "replace").decode("latin-1")
