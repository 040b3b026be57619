"""Domain values as rows, and back."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any, Final

import msgspec

from lobrest.model.bug import Bug
from lobrest.model.event import ExchangeDone
from lobrest.model.exchange import Exchange, Failure, Headers, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed, SeedId
from lobrest.store.codec import pack, to_text
from lobrest.store.records import StoredExchange

Row = tuple[Any, ...]

LONGEST_INLINE: Final = 256
"""Bytes of a body that stand in the row itself; longer ones are shared by digest."""
_WORTH_PACKING: Final = 512

_encode: Final = msgspec.json.Encoder().encode


def clean(text: str) -> str:
    """The text as every database keeps it: without NUL and lone surrogates."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def digest_of(body: bytes) -> bytes:
    """What equal bodies share."""
    return hashlib.blake2b(body, digest_size=16).digest()


def body_row(key: bytes | str, body: bytes) -> Row:
    """``key, packed, content``."""
    if len(body) >= _WORTH_PACKING:
        packed = zlib.compress(body, 1)
        if len(packed) < len(body):
            return key, 1, packed
    return key, 0, body


def body_of(packed: int, content: bytes) -> bytes:
    """The body of a row."""
    return zlib.decompress(content) if packed else bytes(content)


def headers_text(headers: Headers) -> str:
    """Headers as JSON."""
    try:
        return _encode(headers).decode()
    except UnicodeEncodeError:  # a lone surrogate: only the slower encoder can escape it
        return json.dumps(headers)


def headers_of(text: str) -> Headers:
    """The headers of ``headers_text``."""
    return tuple((name, value) for name, value in json.loads(text))


EXCHANGE_COLUMNS: Final = (
    "id, at, seed, execution, step, sent_at, operation, method, target, actor, "
    "request_headers, request_body, request_digest, status, failure, seconds, truncated, "
    "response_headers, response_body, response_digest"
)


def exchange_row(number: int, event: ExchangeDone, bodies: dict[bytes, bytes]) -> Row:
    """The columns of ``EXCHANGE_COLUMNS``; bodies to be shared are put into ``bodies`` by digest."""
    exchange = event.exchange
    request, response = exchange.request, exchange.response
    request_body, request_digest = _placed(request.body, bodies)
    response_body, response_digest = _placed(response.body if response else None, bodies)
    return (
        number,
        event.at,
        clean(event.seed),
        event.execution,
        exchange.step,
        exchange.at,
        clean(request.operation),
        clean(request.method),
        clean(request.target),
        clean(request.actor),
        headers_text(request.headers),
        request_body,
        request_digest,
        response.status if response else None,
        exchange.failure.value if exchange.failure else None,
        response.seconds if response else 0.0,
        int(response.truncated) if response else 0,
        headers_text(response.headers) if response else None,
        response_body,
        response_digest,
    )


def _placed(body: bytes | None, bodies: dict[bytes, bytes]) -> tuple[bytes | None, bytes | None]:
    if body is None or len(body) <= LONGEST_INLINE:
        return body, None
    digest = digest_of(body)
    bodies[digest] = body
    return None, digest


def exchange_of(row: Row, bodies: dict[bytes, bytes]) -> StoredExchange:
    """The exchange of a row, with shared bodies looked up by digest."""
    (number, at, seed, execution, step, sent_at, operation, method, target, actor, request_headers) = row[:11]
    (request_body, request_digest, status, failure, seconds, truncated) = row[11:17]
    (response_headers, response_body, response_digest) = row[17:]
    request = Request(
        OperationId(operation),
        method,
        target,
        headers_of(request_headers),
        _found(request_body, request_digest, bodies),
        actor,
    )
    response = None
    if status is not None:
        content = _found(response_body, response_digest, bodies)
        response = Response(status, headers_of(response_headers), content or b"", seconds, bool(truncated))
    exchange = Exchange(request, response, Failure(failure) if failure else None, sent_at, step)
    return StoredExchange(number, at, SeedId(seed), execution, exchange)


def _found(body: bytes | None, digest: bytes | None, bodies: dict[bytes, bytes]) -> bytes | None:
    if digest is not None:
        return bodies[bytes(digest)]
    return bytes(body) if body is not None else None


def bug_row(bug: Bug) -> Row:
    """``number, operation, status, fingerprint, first_seen_s, confirmed, content``: the whole bug last."""
    return (
        bug.number,
        clean(bug.key.operation),
        bug.key.status,
        clean(bug.key.fingerprint),
        bug.first_seen_s,
        int(bug.confirmed),
        pack(Bug, bug),
    )


def seed_row(place: int, at: float, seed: Seed, why: str) -> Row:
    """``id, place, at, why, content``; the content is the seed, still to be compressed."""
    return clean(seed.id), place, at, clean(why), to_text(Seed, seed)


def packed_row(row: Row) -> Row:
    """The row with its last column compressed."""
    return (*row[:-1], zlib.compress(row[-1], 1))
