"""The text of a failure without what changes from one request to the next."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, unquote

LENGTH = 200
SHORTEST_VALUE = 3
TELLING = re.compile(r"message|msg|error|detail|title|reason|exception|description|cause", re.IGNORECASE)

RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<[^<>]{1,200}>"), " "),
    (re.compile(r"https?://[^\s\"'<>\]]+"), "<url>"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"), "<time>"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`"), "<text>"),
    (re.compile(r"(\w+: )[^,\]]*(?=[,\]])"), r"\1<text>"),
    (re.compile(r"(/[\w.<>~-]+){2,}"), "<path>"),
    (re.compile(r"\w*_(?=[a-zA-Z]*[A-Z][a-z]*[A-Z])(?=[A-Z]*[a-z])[a-zA-Z]{8,}"), "<id>"),
    (re.compile(r"[-+]?\d[\d.]*(?![\w<])"), "<n>"),
    (re.compile(r"\w*\d\w*"), "<id>"),
    (re.compile(r"\s+"), " "),
)


def normalised(answer: str, *, uri: str = "", body: str = "") -> str:
    """A failure's text without identifiers, numbers, times and every value the request itself held."""
    text = telling_part(answer)
    for value in sorted(request_values(uri, body), key=len, reverse=True):
        if value in text:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "<text>", text)
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    return re.sub(r"(<text>\W*)+<text>", "<text>", text).strip()[:LENGTH]


def telling_part(answer: str) -> str:
    """Of a JSON answer the part that says what went wrong, else the whole answer."""
    try:
        value = json.loads(answer, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return answer
    return " ".join(dict.fromkeys(telling_texts(value)))


def telling_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value[:5]:
            yield from telling_texts(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if TELLING.search(key):
                yield from telling_texts(inner)


def request_values(uri: str, body: str) -> set[str]:
    """Texts a service may repeat: path segments, query values and every string in the body."""
    path, _, query = uri.partition("?")
    found = {unquote(segment) for segment in path.split("/")[3:]}
    found |= {value for _, value in parse_qsl(query, keep_blank_values=True)}
    with contextlib.suppress(json.JSONDecodeError, RecursionError):
        found |= set(strings(json.loads(body, strict=False)))
    return {value for value in found if len(value) >= SHORTEST_VALUE}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
