"""HAR 1.2: exchanges in the format that browsers and proxies read. Secrets are hidden."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

from lobrest.model.exchange import Exchange, Headers, Request, Response
from lobrest.model.operation import Json
from lobrest.model.reproducer import Reproducer, ReproStep
from lobrest.report.scripts import check_of
from lobrest.report.secrets import mask_headers, mask_target, mask_text

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def har(
    exchanges: Sequence[Exchange],
    *,
    origin: str = "http://localhost",
    started: datetime = _EPOCH,
    version: str = "",
    reproducer: Reproducer | None = None,
) -> str:
    """A HAR document. ``origin`` is scheme, host and port; ``started`` is when the campaign began.

    The format has no words for values that flow from one answer into a later request, so what was recorded
    holds the identities of one instance of the service. With a ``reproducer`` each entry says in ``_step``, and
    the log in ``_check`` and ``_fresh``, what has to be filled in to play it elsewhere.
    """
    entries: list[Json] = [_entry(exchange, origin.rstrip("/"), started) for exchange in exchanges]
    log: dict[str, Json] = {
        "version": "1.2",
        "creator": {"name": "lobrest", "version": version},
        "entries": entries,
    }
    if reproducer is not None and len(reproducer.steps) == len(entries):
        for entry, step in zip(entries, reproducer.steps, strict=True):
            if isinstance(entry, dict):
                entry["_step"] = _step(step)
        log["_fresh"] = [
            {"name": one.name, "kind": one.kind.value, "length": one.length} for one in reproducer.fresh
        ]
        log["_check"] = json.loads(json.dumps(check_of(reproducer)))
    document: Json = {"log": log}
    return json.dumps(document, indent=1) + "\n"


def _step(step: ReproStep) -> Json:
    """A request with holes, ``{{name}}``, and what later ones take from its answer."""
    captures: list[Json] = [
        {"name": one.name, "source": one.source.value, "where": one.where} for one in step.captures
    ]
    headers: list[Json] = [{"name": name, "value": value} for name, value in step.headers]
    return {
        "target": step.target,
        "headers": headers,
        "body": step.body,
        "encoding": step.body_encoding.value,
        "captures": captures,
    }


def _entry(exchange: Exchange, origin: str, started: datetime) -> Json:
    response = exchange.response
    milliseconds = round(response.seconds * 1000, 3) if response else 0.0
    entry: dict[str, Json] = {
        "startedDateTime": (started + timedelta(seconds=exchange.at)).isoformat(timespec="milliseconds"),
        "time": milliseconds,
        "request": _request(exchange.request, origin),
        "response": _response(response),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": exchange.request.operation,
    }
    if exchange.request.actor:
        entry["_actor"] = exchange.request.actor
    if exchange.failure is not None:
        entry["_error"] = str(exchange.failure)
    return entry


def _request(request: Request, origin: str) -> Json:
    target = mask_target(request.target)
    query = target.partition("?")[2]
    written: dict[str, Json] = {
        "method": request.method,
        "url": origin + target,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _headers(request.headers),
        "queryString": [
            {"name": name, "value": value} for name, value in parse_qsl(query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": len(request.body or b""),
    }
    if request.body is not None:
        media_type = next((value for name, value in request.headers if name.lower() == "content-type"), "")
        written["postData"] = {"mimeType": media_type, **_text(request.body)}
    return written


def _response(response: Response | None) -> Json:
    if response is None:
        return {
            "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
            "content": {"size": 0, "mimeType": ""}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
        }  # fmt: skip
    return {
        "status": response.status,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _headers(response.headers),
        "content": {
            "size": len(response.body),
            "mimeType": response.header("content-type") or "",
            **_text(response.body),
        },
        "redirectURL": response.header("location") or "",
        "headersSize": -1,
        "bodySize": len(response.body),
    }


def _headers(headers: Headers) -> list[Json]:
    return [{"name": name, "value": value} for name, value in mask_headers(headers)]


def _text(body: bytes) -> dict[str, Json]:
    try:
        return {"text": mask_text(body.decode("utf-8"))}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode(), "encoding": "base64"}
