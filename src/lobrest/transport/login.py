"""Login requests: what is sent, and what of the answer authorises later requests. No sockets here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

from lobrest.model.exchange import Headers, Response
from lobrest.model.operation import Json


class Place(StrEnum):
    """Where a token is found or sent."""

    BODY = "body"
    HEADER = "header"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class TokenRule:
    """How a token is taken from the answer of a login and sent afterwards."""

    found_in: Place
    """``BODY`` or ``HEADER``."""
    selector: str
    """JSON pointer into the body, or the name of the header."""
    sent_in: Place
    """``HEADER`` or ``QUERY``."""
    sent_as: str
    """Name of the header or query parameter."""
    template: str = "{token}"


@dataclass(frozen=True, slots=True)
class Login:
    """One login request."""

    method: str
    endpoint: str
    """Path on the service, or a whole URL where the login is elsewhere."""
    headers: Headers = field(default=(), repr=False)
    body: bytes | None = field(default=None, repr=False)
    token: TokenRule | None = None
    cookies: bool = False
    """The answer's cookies authorise later requests."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What later requests carry."""

    headers: Headers = field(default=(), repr=False)
    query: Headers = field(default=(), repr=False)


def grant_of(login: Login, answer: Response) -> Grant | None:
    """What the answer of a login grants; None where it was refused or lacks what was expected."""
    if answer.status >= 400:
        return None
    headers: list[tuple[str, str]] = []
    query: list[tuple[str, str]] = []
    if login.token is not None:
        token = _token(login.token, answer)
        if token is None:
            return None
        sent = (login.token.sent_as, login.token.template.replace("{token}", token))
        (query if login.token.sent_in is Place.QUERY else headers).append(sent)
    if login.cookies:
        cookies = _cookies(answer)
        if not cookies:
            return None
        headers.append(("Cookie", cookies))
    return Grant(tuple(headers), tuple(query))


def _token(rule: TokenRule, answer: Response) -> str | None:
    if rule.found_in is Place.HEADER:
        return answer.header(rule.selector) or None
    try:
        found = _at(json.loads(answer.body), rule.selector)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        return None
    return str(found)


def _at(document: Json, pointer: str) -> Json:
    """The value a JSON pointer names, None where there is none; a first slash may be missing."""
    for part in pointer.removeprefix("/").split("/") if pointer not in ("", "/") else ():
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document.get(key)
        elif isinstance(document, list) and key.isdecimal() and int(key) < len(document):
            document = document[int(key)]
        else:
            return None
    return document


def _cookies(answer: Response) -> str:
    """The ``Cookie`` header that returns what the answer set; the last value of a name wins."""
    jar: dict[str, str] = {}
    for name, value in answer.headers:
        if name.lower() != "set-cookie":
            continue
        key, equals, content = value.partition(";")[0].strip().partition("=")
        if equals and key:
            jar[key.strip()] = content.strip()
    return "; ".join(f"{key}={content}" for key, content in jar.items())
