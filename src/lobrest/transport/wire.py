"""What may go on the wire and what may be kept of an answer: pure, bounded functions.

A fuzzer's requests hold anything; these make them sendable without changing what the service sees
of everything that can be sent at all, and keep framing and host out of the requests' reach.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote

from lobrest.model.exchange import Headers

_SENDABLE_TARGET: Final = re.compile(r"/[!-\"$-~]*")
_SENDABLE_VALUE: Final = re.compile(r"[\t -~]*")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_EVERYTHING_BUT_HASH: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "#")

FRAMING: Final = frozenset(
    {
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that say where a message goes or ends: the transport's alone."""

_MOST_ENCODINGS: Final = 3
REMOVED: Final = "[removed]"


def sendable_target(target: str) -> str:
    """The target with what cannot stand in a request line percent-encoded; it always begins with a slash."""
    if _SENDABLE_TARGET.fullmatch(target):
        return target
    encoded = quote(target.encode("utf-8", "surrogatepass"), safe=_EVERYTHING_BUT_HASH)
    return encoded if encoded.startswith("/") else f"/{encoded}"


def sendable_headers(headers: Headers) -> list[tuple[str, str]]:
    """The headers without framing, impossible names, control characters and lone surrogates."""
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower() in FRAMING or not _TOKEN.fullmatch(name):
            continue
        if not _SENDABLE_VALUE.fullmatch(value):
            value = _CONTROLS.sub("", value).encode("utf-8", "replace").decode("utf-8")
        kept.append((name, value))
    return kept


def outgoing_headers(headers: Headers, own: Headers, defaults: Headers) -> Headers:
    """What goes out: a request's headers, a user's own, and defaults for what neither has.

    The user's replace the request's, but cookies join. Names that differ in case only are spelled alike.
    """
    names = {name.lower() for name, _ in own}
    sent = sendable_headers(headers)
    cookies = [value for name, value in sent if name.lower() == "cookie" and "cookie" in names]
    sent = [pair for pair in sent if pair[0].lower() not in names]
    for name, value in own:
        sent.append((name, "; ".join([*cookies, value]) if name.lower() == "cookie" else value))
    spelling: dict[str, str] = {}
    every = [(spelling.setdefault(name.lower(), name), value) for name, value in sent]
    every.extend(pair for pair in defaults if pair[0].lower() not in spelling)
    return tuple(every)


def header_lines(headers: Headers, own: Headers, defaults: Headers) -> bytes:
    """``outgoing_headers`` as they go out, each line with its end; framing is left to the transport."""
    every = outgoing_headers(headers, tuple(sendable_headers(own)), defaults)
    return b"".join(f"{name}: {value}\r\n".encode() for name, value in every)


def is_method(method: str) -> bool:
    """Can it stand in a request line?"""
    return bool(_TOKEN.fullmatch(method))


def decoded(body: bytes, encodings: str, *, limit: int) -> tuple[bytes, bool]:
    """The body without its content encodings, and whether it was cut at ``limit`` bytes.

    Encodings other than gzip and deflate, and bodies that are not what they claim, stay as they are.
    """
    names = [name.strip().lower() for name in encodings.split(",") if name.strip()]
    if len(names) > _MOST_ENCODINGS:
        return body, False
    cut = False
    for name in reversed(names):
        if name == "identity":
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            return body, cut
        plain = _inflated(body, limit=limit)
        if plain is None:
            return body, cut
        body, more = plain
        cut = cut or more
    return body, cut


def _inflated(body: bytes, *, limit: int) -> tuple[bytes, bool] | None:
    # 47: gzip or zlib by its header; -15: the bare stream that some services call deflate.
    for window in (47, -15):
        stream = zlib.decompressobj(window)
        try:
            plain = stream.decompress(body, limit)
        except zlib.error:
            continue
        return plain, not stream.eof
    return None


def without_secrets(headers: Headers, body: bytes, secrets: Sequence[str]) -> tuple[Headers, bytes]:
    """Headers and body as they may be kept: cookies without values, secrets that are echoed blotted out."""
    values = "\n".join([value for _, value in headers])
    touched = any([name.lower() == "set-cookie" for name, _ in headers])  # noqa: C419 (lists are faster)
    if touched or any([secret in values for secret in secrets]):  # noqa: C419
        headers = tuple(_without(name, value, secrets) for name, value in headers)
    for secret in secrets:
        raw = secret.encode("utf-8", "replace")
        if raw in body:
            body = body.replace(raw, REMOVED.encode())
    return headers, body


def _without(name: str, value: str, secrets: Sequence[str]) -> tuple[str, str]:
    if name.lower() == "set-cookie":
        value = f"{value.partition('=')[0]}={REMOVED}"
    for secret in secrets:
        value = value.replace(secret, REMOVED)
    return name, value


def retry_after(value: str | None, *, now: datetime) -> float | None:
    """Seconds that a ``Retry-After`` header asks for; None where it says nothing usable."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
