"""What an answer means: its message, its shape, whether it is a failure of the service."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from lobrest.model.bug import BugKey
from lobrest.model.exchange import Exchange, Response
from lobrest.model.operation import Json

_MESSAGE_FIELDS = ("message", "error", "detail", "details", "errors", "title", "description", "reason", "msg")
_LONGEST = 400
_LETTERS: dict[type, str] = {type(None): "0", **{kind: kind.__name__[0] for kind in (str, int, float, bool)}}
_VOLATILE = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    # A part of a name after an underscore, in letters of both kinds: nobody writes names like that.
    (re.compile(r"(?<=_)(?=[0-9A-Za-z]*[A-Z])(?=[0-9A-Za-z]*[a-z])[0-9A-Za-z]{8,64}\b"), "<id>"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<address>"),
    (re.compile(r"@(?=[0-9a-f]*\d)[0-9a-f]{4,16}\b", re.IGNORECASE), "@<address>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE), "<hash>"),
    (re.compile(r"\b(?=(?:[A-Za-z]*\d+){3})[0-9A-Za-z]{16,64}\b"), "<id>"),
    (re.compile(r"\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b"), "<address>"),
    (re.compile(r"(?:/[\w.+%~-]+){2,}"), "<path>"),
    (re.compile(r"'[^']{1,200}'"), "'…'"),
    (re.compile(r'"[^"]{1,200}"'), '"…"'),
    (re.compile(r"\b[\w.-]*(?:-x[0-9a-z]{4,}|_[xX](?=[a-zA-Z]*\d)[0-9a-zA-Z]{4,})\b"), "<name>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)


def parsed(response: Response) -> Json:
    """The JSON body, or None where it is none."""
    if not response.body or response.truncated:
        return None
    try:
        decoded: Json = msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return decoded


def message(response: Response) -> str:
    """What the service says went wrong, in one bounded line."""
    body = parsed(response)
    if body is not None:
        texts = [text for text in _texts(body, 0) if text.strip()]
        if texts:
            return " · ".join(dict.fromkeys(texts))[:_LONGEST]
    text = response.body[:2000].decode("utf-8", "replace")
    title = re.search(r"<title[^>]*>([^<]{1,200})</title>", text, re.IGNORECASE)
    if title:
        return title.group(1).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:_LONGEST] if lines else ""


def _texts(body: Json, depth: int) -> Iterator[str]:
    if depth > 4:
        return
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for item in body[:5]:
            yield from _texts(item, depth + 1)
    elif isinstance(body, dict):
        named = [key for key in _MESSAGE_FIELDS if key in body]
        for key in named or list(body)[:6]:
            inner = body[key]
            if isinstance(inner, dict) and not named:
                continue
            if isinstance(inner, dict):
                for name, value in list(inner.items())[:6]:
                    for text in _texts(value, depth + 2):
                        yield f"{name}: {text}"
            else:
                yield from _texts(inner, depth + 1)


def fingerprint(text: str) -> str:
    """The message without what changes from one run to the next."""
    for pattern, stand_in in _VOLATILE:
        text = pattern.sub(stand_in, text)
    return text.strip()[:200]


def bug_key(exchange: Exchange) -> BugKey | None:
    """The bug an exchange shows, or None."""
    response = exchange.response
    if response is None or response.status < 500:
        return None
    return BugKey(exchange.request.operation, response.status, fingerprint(message(response)))


def shape(body: Json, depth: int = 0) -> str:
    """The structure of a value: names and types, not values."""
    known = _LETTERS.get(type(body))
    if known is not None:
        return known
    if isinstance(body, dict):
        if depth >= 2:
            return "{}"
        inner = [
            f"{key}:{_LETTERS.get(type(body[key])) or shape(body[key], depth + 1)}"
            for key in sorted(body)[:40]
        ]
        return "{" + ",".join(inner) + "}"
    if isinstance(body, list):
        return f"[{shape(body[0], depth + 1)}]" if body else "[]"
    return type(body).__name__[0]
