"""Nothing that lobrest writes shows a secret: what is one by its name is hidden."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise

from lobrest.model.exchange import Headers
from lobrest.model.operation import Json

HIDDEN = "[hidden]"

_HEADERS = re.compile(
    r"^(?:proxy-)?authori[sz]ation$|cookie|token|secret|passw|api-?key|^x-auth|session|credential|signature",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_SECRET_WORDS = frozenset({
    "password", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "apikey", "credential",
    "credentials", "authorization", "cookie", "jwt", "bearer", "otp", "pin", "signature",
})  # fmt: skip
_SECRET_PAIRS = frozenset(
    {("api", "key"), ("private", "key"), ("access", "key"), ("secret", "key"), ("session", "id"),
     ("client", "secret")}
)  # fmt: skip
_NOT_SECRET_ENDINGS = frozenset({
    "id", "ids", "name", "names", "type", "types", "expires", "expiry", "count", "at", "scopes",
    "scope", "url", "policy", "length", "required",
})  # fmt: skip
_TEXT_FIELD = re.compile(
    r"""((?:password|passwd|secret|token|api_?key)[\w-]{0,40}["']?\s{0,9}[:=]\s{0,9})("(?:[^"\\]|\\.)*"|[^\s&,;}"']+)""",
    re.IGNORECASE,
)


def is_secret_header(name: str) -> bool:
    """Does a header of that name carry credentials?"""
    return bool(_HEADERS.search(name))


def is_secret_field(name: str) -> bool:
    """Does a field or parameter of that name hold a secret? ``token_id`` and ``secret_name`` do not."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _NOT_SECRET_ENDINGS - {"id"}:
        return False
    pairs = set(pairwise(words))
    if pairs & _SECRET_PAIRS:
        return True
    return words[-1] != "id" and not _SECRET_WORDS.isdisjoint(words)


def mask_headers(headers: Headers) -> Headers:
    """The headers with the values of secret ones hidden."""
    return tuple((name, HIDDEN if is_secret_header(name) else value) for name, value in headers)


def mask_json(value: Json, *, depth: int = 60) -> Json:
    """A copy in which fields named like secrets are hidden; what is nested absurdly deep is hidden too."""
    if depth == 0:
        return HIDDEN
    if isinstance(value, Mapping):
        return {
            name: HIDDEN if is_secret_field(name) and _is_filled(inner) else mask_json(inner, depth=depth - 1)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [mask_json(item, depth=depth - 1) for item in value]
    return value


def mask_text(text: str) -> str:
    """A body as text with secrets hidden; JSON keeps its layout only where nothing had to be hidden."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _TEXT_FIELD.sub(lambda match: match[1] + HIDDEN, text)
    if not isinstance(value, dict | list):
        return text
    masked = mask_json(value)
    return text if masked == value else json.dumps(masked, ensure_ascii=False)


def mask_target(target: str) -> str:
    """A path and query with the values of secret query parameters hidden."""
    path, mark, query = target.partition("?")
    if not mark:
        return target
    pairs = (pair.partition("=") for pair in query.split("&"))
    return f"{path}?" + "&".join(
        f"{name}={HIDDEN}" if equals and is_secret_field(name) else name + equals + value
        for name, equals, value in pairs
    )


def _is_filled(value: Json) -> bool:
    return value is not None and value != "" and not isinstance(value, bool | int | float)
