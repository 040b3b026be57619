"""Small requests to a service that was just started: its document, its first users."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from .problem import BenchError


def cookies_after(url: str, body: Any) -> str:
    """A ``Cookie`` header after a login by JSON."""
    request = urllib.request.Request(
        url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            set_cookies = answer.headers.get_all("Set-Cookie") or []
    except OSError as error:
        raise BenchError(f"the login at {url} failed: {error}") from error
    return "; ".join(cookie.split(";", 1)[0] for cookie in set_cookies)


def call(
    method: str,
    url: str,
    body: Any = None,
    *,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Any:
    """Send JSON (or a form), expect a 2XX and give back its JSON; None for an answer without any."""
    sent = dict(headers or {})
    data: bytes | None = None
    if form is not None:
        data = urllib.parse.urlencode(form).encode()
    elif body is not None:
        data = json.dumps(body).encode()
        sent["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data=data, headers=sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        told = error.read(300).decode(errors="replace")
        raise BenchError(f"{method} {url} was answered {error.code}: {told}") from error
    except OSError as error:
        raise BenchError(f"{method} {url} failed: {error}") from error
    try:
        return json.loads(text) if text.strip() else None
    except json.JSONDecodeError as error:
        raise BenchError(f"{method} {url} did not answer JSON") from error
