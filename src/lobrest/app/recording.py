"""One proxied exchange as a line of a log that lobrest reads. Nothing secret gets into it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import unquote_plus

import zstandard

from lobrest.logs.formats.record import Actor
from lobrest.logs.secrets import SecretFinder, is_secret_name
from lobrest.logs.users import Identifier
from lobrest.model.exchange import Headers
from lobrest.model.operation import Json
from lobrest.report.secrets import is_secret_header

FILTERED: Final = "[FILTERED]"
_KEYS: Final = ("private-token", "x-api-key", "x-auth-token", "x-access-token", "api-key", "apikey")
_NOT_KEPT: Final = frozenset({
    "host", "content-length", "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect",
    "user-agent", "accept", "accept-encoding", "accept-language", "cache-control", "pragma", "date", "via", "origin",
    "referer", "content-type", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
})  # fmt: skip
_DEEPEST: Final = 60


@dataclass(slots=True)
class Body:
    """The beginning of a body as it goes by, and how long all of it is."""

    limit: int
    length: int = 0
    kept: bytes = b""

    def add(self, chunk: bytes) -> None:
        """Another piece."""
        self.length += len(chunk)
        if len(self.kept) < self.limit:
            self.kept += chunk[: self.limit - len(self.kept)]

    @property
    def whole(self) -> bool:
        """Was everything kept?"""
        return self.length == len(self.kept)


@dataclass(frozen=True, slots=True)
class Seen:
    """An exchange that went through the proxy."""

    started: float
    """Seconds since the epoch."""
    seconds: float
    method: str
    target: str
    status: int
    address: str
    request_headers: Headers
    request_body: Body
    response_headers: Headers
    response_body: Body
    cut: bool = False
    """The answer broke off."""


class Scribe:
    """Writes exchanges as lines; users are keyed hashes of what they log in with."""

    def __init__(self, key: bytes, *, body_limit: int) -> None:
        self._identifier = Identifier(key)
        self._secrets = SecretFinder()
        self._limit = body_limit

    def line(self, seen: Seen) -> str:
        """JSON without a line break in it."""
        headers = {name.lower(): value for name, value in reversed(seen.request_headers)}
        token = headers.get("authorization") or next((headers[key] for key in _KEYS if headers.get(key)), "")
        actor = Actor("", token, headers.get("cookie", ""), seen.address, headers.get("user-agent", ""))
        user, client = self._identifier.identify(actor)
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        written: dict[str, Json] = {
            "start_time": datetime.fromtimestamp(seen.started, UTC).isoformat(timespec="milliseconds"),
            "method": seen.method,
            "request_uri": self._target(seen.target),
            "status": seen.status,
            "duration_ms": round(seen.seconds * 1000, 3),
            "user": self._identifier.pseudonym("user", user) if user else "",
            "client": client,
            "host": headers.get("host", ""),
            "content_type": media_type,
            "content_length": seen.request_body.length,
            "headers": {
                name: value
                for name, value in headers.items()
                if name not in _NOT_KEPT and not is_secret_header(name) and not self._secrets.is_secret(value)
            },
        }
        body = self._body(seen.request_body, seen.request_headers)
        if body is not None:
            written["request_body"] = body
        answer = self._body(seen.response_body, seen.response_headers)
        if answer is not None and not seen.cut:
            written["response_body"] = answer
        elif seen.cut or not seen.response_body.whole:
            written["response_truncated"] = True
        location = next((value for name, value in seen.response_headers if name.lower() == "location"), "")
        if location:
            written["response_location"] = self._target(location)
        return json.dumps(written)

    def _target(self, target: str) -> str:
        path, mark, query = target.partition("?")
        return path + mark + self._form(query) if mark else path

    def _form(self, text: str) -> str:
        pairs = []
        for pair in text.split("&"):
            name, equals, value = pair.partition("=")
            plain = unquote_plus(value)
            secret = is_secret_name(unquote_plus(name)) or self._secrets.is_secret(plain)
            pairs.append(f"{name}={FILTERED}" if equals and value and secret else pair)
        return "&".join(pairs)

    def _body(self, body: Body, headers: Headers) -> str | None:
        """The body as text; None where it is too long, encoded unknown, or neither JSON nor a form."""
        if not body.length:
            return ""
        content = (
            decoded(body.kept, _header(headers, "content-encoding"), self._limit) if body.whole else None
        )
        media_type = _header(headers, "content-type").partition(";")[0].strip().lower()
        if content is None:
            return None
        try:
            text = content.decode("utf-8")
            if media_type == "application/x-www-form-urlencoded":
                return self._form(text)
            if "json" not in media_type:
                return None
            return json.dumps(self._masked(json.loads(text), "", _DEEPEST), ensure_ascii=False)
        except (ValueError, RecursionError):
            return None

    def _masked(self, value: Json, name: str, depth: int) -> Json:
        if depth == 0:
            return FILTERED
        if isinstance(value, dict):
            return {key: self._masked(inner, key, depth - 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._masked(item, name, depth - 1) for item in value]
        if value is None or isinstance(value, bool) or value == "":
            return value
        secret = is_secret_name(name) or (isinstance(value, str) and self._secrets.is_secret(value))
        return FILTERED if secret else value


def decoded(content: bytes, encodings: str, limit: int) -> bytes | None:
    """A body without its content encodings; None where it is longer than the limit or not understood."""
    for encoding in reversed([one.strip().lower() for one in encodings.split(",") if one.strip()]):
        try:
            match encoding:
                case "gzip" | "x-gzip":
                    content = _inflated(content, 31, limit)
                case "deflate":
                    content = _inflated(content, 15 if content[:1] == b"\x78" else -15, limit)
                case "zstd":
                    content = zstandard.ZstdDecompressor().stream_reader(content).read(limit + 1)
                case "identity":
                    continue
                case _:
                    return None
        except (zlib.error, zstandard.ZstdError, EOFError):
            return None
        if len(content) > limit:
            return None
    return content


def _inflated(content: bytes, window: int, limit: int) -> bytes:
    return zlib.decompressobj(window).decompress(content, limit + 1)


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")
