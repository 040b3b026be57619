"""HTTP Archives. Records of a file that is cut off are read as far as they go."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import CREDENTIALS, clear_text, read_headers, status_number, visible
from lobrest.logs.formats.record import (
    Actor,
    Body,
    FormatOptions,
    LineError,
    Parser,
    Record,
    origin_form,
    url_host,
)
from lobrest.logs.formats.times import TimeReader

_SPACE: Final = " \t\r\n,"


def read_har(data: bytes) -> Iterator[Record | LineError]:
    """Every entry, one after the other; the file needs not be whole."""
    text = data.decode("utf-8-sig", "replace")
    start = text.find('"entries"')
    start = text.find("[", start) + 1 if start >= 0 else 0
    if not start:
        yield LineError("no entries in the archive")
        return
    decoder = json.JSONDecoder()
    times = TimeReader()
    while True:
        while start < len(text) and text[start] in _SPACE:
            start += 1
        if start >= len(text) or text[start] == "]":
            return
        try:
            entry, start = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            yield LineError("the archive is damaged from here on")
            return
        try:
            yield _record(entry, times)
        except LineError as bad:
            yield bad


def _record(entry: object, times: TimeReader) -> Record:
    request, response = _part(entry, "request"), _part(entry, "response")
    method, url = request.get("method"), request.get("url")
    if not isinstance(method, str) or not isinstance(url, str) or not method.isascii():
        raise LineError("no method or path")
    headers = read_headers(request.get("headers"))
    answered = read_headers(response.get("headers"))
    body, kind, media_type = _body(request, headers)
    return Record(
        start=times.any(entry.get("startedDateTime") if isinstance(entry, dict) else None),
        method=method.upper(),
        target=origin_form(url).partition("#")[0],
        status=status_number(response.get("status")),
        actor=Actor(
            token=visible(headers.get("authorization")) or _key(headers),
            cookie=visible(headers.get("cookie")),
            address=clear_text(_get(entry, "_clientAddress")),
            agent=headers.get("user-agent", ""),
            acting_as=visible(headers.get("sudo")),
        ),
        body=body,
        body_kind=kind,
        media_type=media_type,
        response=_content(response),
        location=answered.get("location", "") or clear_text(response.get("redirectURL")),
        headers=tuple((name, value) for name, value in headers.items() if name not in CREDENTIALS),
        host=url_host(url),
    )


def _body(request: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, Body, str]:
    posted = request.get("postData")
    if not isinstance(posted, dict):
        return "", Body.TEXT, headers.get("content-type", "")
    media_type = clear_text(posted.get("mimeType")) or headers.get("content-type", "")
    text = posted.get("text")
    if isinstance(text, str) and text:
        return text, Body.TEXT, media_type
    pairs = posted.get("params")
    fields = [
        (pair["name"], pair.get("value") or "")
        for pair in (pairs if isinstance(pairs, list) else ())
        if isinstance(pair, dict)
        and isinstance(pair.get("name"), str)
        and isinstance(pair.get("value") or "", str)
    ]
    if not fields:
        return "", Body.TEXT, media_type
    return urlencode(fields, errors="replace"), Body.TEXT, "application/x-www-form-urlencoded"


def _content(response: Mapping[str, Any]) -> bytes | str:
    content = response.get("content")
    if not isinstance(content, dict):
        return ""
    text = content.get("text")
    if not isinstance(text, str):
        return ""
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            return ""
    return text


def _key(headers: Mapping[str, str]) -> str:
    return next(
        (
            visible(headers.get(name))
            for name in ("private-token", "x-api-key", "x-auth-token")
            if headers.get(name)
        ),
        "",
    )


def _part(entry: object, name: str) -> Mapping[str, Any]:
    held = _get(entry, name)
    return held if isinstance(held, dict) else {}


def _get(entry: object, name: str) -> Any:
    return entry.get(name) if isinstance(entry, dict) else None


def _looks_like(head: bytes) -> bool:
    stripped = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return (
        stripped.startswith(b"{")
        and b'"log"' in stripped[:200]
        and (b'"entries"' in head or b'"creator"' in head)
    )


def _no_lines(_options: FormatOptions) -> Parser:
    raise LineError("an archive has no lines")


HAR: Final = Format("har", "HTTP Archive", _no_lines, documents=read_har, specific=9, looks_like=_looks_like)
