"""Flows saved by mitmproxy: values in its typed netstring form, one flow after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import CREDENTIALS, visible
from lobrest.logs.formats.record import Actor, Body, FormatOptions, LineError, Parser, Record, origin_form

_DEEPEST = 40
_LONGEST_LENGTH = 12


def read_flows(data: bytes) -> Iterator[Record | LineError]:
    """Every HTTP flow; a damaged file is read as far as it goes."""
    place = 0
    while place < len(data):
        try:
            flow, place = _value(data, place, 0)
        except LineError as bad:
            yield bad
            return
        if not isinstance(flow, dict) or flow.get("type") not in ("http", b"http"):
            continue
        try:
            yield _record(flow)
        except LineError as bad:
            yield bad


def _value(data: bytes, place: int, depth: int) -> tuple[Any, int]:
    """The value that begins at a place, and where it ends: ``length:payload`` and a character for its
    type.
    """
    if depth > _DEEPEST:
        raise LineError("nested too deeply")
    colon = data.find(b":", place, place + _LONGEST_LENGTH + 1)
    digits = data[place:colon] if colon > place else b""
    if not digits.isdigit():
        raise LineError("the flow file is damaged from here on")
    start, end = colon + 1, colon + 1 + int(digits)
    if end >= len(data):
        raise LineError("the flow file is damaged from here on")
    payload, kind = data[start:end], data[end : end + 1]
    if kind == b",":
        return payload, end + 1
    if kind == b";":
        return payload.decode("utf-8", "replace"), end + 1
    if kind in (b"#", b"^"):
        try:
            return (int(payload) if kind == b"#" else float(payload)), end + 1
        except ValueError:
            raise LineError("the flow file is damaged from here on") from None
    if kind == b"!":
        return payload == b"true", end + 1
    if kind == b"~":
        return None, end + 1
    if kind in (b"]", b"}"):
        items = []
        inner = 0
        while inner < len(payload):
            item, inner = _value(payload, inner, depth + 1)
            items.append(item)
        if kind == b"]":
            return items, end + 1
        names = [_text(name) for name in items[::2]]
        return dict(zip(names, items[1::2], strict=False)), end + 1
    raise LineError("the flow file is damaged from here on")


def _record(flow: Mapping[str, Any]) -> Record:
    request = flow.get("request")
    if not isinstance(request, dict):
        raise LineError("no request in the flow")
    response = flow.get("response")
    answered = response if isinstance(response, dict) else {}
    headers, given = _headers(request), _headers(answered)
    method, path = _text(request.get("method")), _text(request.get("path"))
    start = request.get("timestamp_start")
    if not method or not path or not isinstance(start, int | float) or not 0 <= start < 1e11:
        raise LineError("no method, path or time")
    status = answered.get("status_code")
    content = request.get("content")
    known = isinstance(content, bytes)
    return Record(
        start=float(start),
        method=method.upper(),
        target=origin_form(path),
        status=status if isinstance(status, int) and 0 <= status < 1000 else 0,
        actor=Actor(
            token=visible(headers.get("authorization"))
            or visible(headers.get("private-token"))
            or visible(headers.get("x-api-key")),
            cookie=visible(headers.get("cookie")),
            address=_address(flow),
            agent=headers.get("user-agent", ""),
            acting_as=visible(headers.get("sudo")),
        ),
        body=_text(content) if known else "",
        body_kind=Body.TEXT if known else Body.UNKNOWN,
        media_type=headers.get("content-type", ""),
        response=_decoded(answered, given),
        location=given.get("location", ""),
        headers=tuple((name, value) for name, value in headers.items() if name not in CREDENTIALS),
        host=headers.get("host", "") or _text(request.get("authority")) or _text(request.get("host")),
    )


def _decoded(answered: Mapping[str, Any], given: Mapping[str, str]) -> bytes:
    content = answered.get("content")
    # Bodies are kept as sent; what is compressed is left alone.
    return content if isinstance(content, bytes) and "content-encoding" not in given else b""


def _headers(message: Mapping[str, Any]) -> dict[str, str]:
    headers: dict[str, str] = {}
    held = message.get("headers")
    for pair in held[:200] if isinstance(held, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            headers.setdefault(_text(pair[0]).lower(), _text(pair[1]))
    return headers


def _address(flow: Mapping[str, Any]) -> str:
    client = flow.get("client_conn")
    for name in ("peername", "address"):
        held = client.get(name) if isinstance(client, dict) else None
        if isinstance(held, list) and held:
            return _text(held[0])
    return ""


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _looks_like(head: bytes) -> bool:
    colon = head.find(b":", 0, _LONGEST_LENGTH)
    return (colon > 0 and head[:colon].isdigit() and b"7:request" in head[: 1 << 18]) or (
        b"4:http" in head[:4096] and head[:1].isdigit()
    )


def _no_lines(_options: FormatOptions) -> Parser:
    raise LineError("a flow file has no lines")


MITMPROXY: Final = Format(
    "mitmproxy", "mitmproxy flow file", _no_lines, documents=read_flows, specific=9, looks_like=_looks_like
)
