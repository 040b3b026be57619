"""Who sent a request, without keeping what identifies them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence

import msgspec

from lobrest.logs.formats.record import Actor
from lobrest.model.entry import UserId
from lobrest.model.slice import Profile

Identity = tuple[str, str]
"""Who a request says it is from (empty where it does not say), and which client it came from."""

_SESSION = re.compile(r"sess|sid$|auth|token|jwt|remember", re.IGNORECASE)
_SHARED_BY = 3
"""From so many clients on, the only credential of a log is one that everybody shares."""


class Identifier:
    """Names senders. Tokens, cookies and addresses come out as keyed hashes."""

    def __init__(self, key: bytes) -> None:
        self._key = key[:64]

    def identify(self, actor: Actor) -> Identity:
        """User id, else token, else cookie; and the client by address and agent."""
        name = actor.name or self._from_token(actor.token) or self._from_cookie(actor.cookie)
        if actor.acting_as:
            name = f"{name or 'someone'} as {actor.acting_as}"
        address = actor.address.partition(",")[0].strip()
        return name, self.pseudonym("client", f"{address}\0{actor.agent}")

    def pseudonym(self, kind: str, secret: str) -> str:
        """A stable stand-in that tells nothing without the key."""
        digest = hashlib.blake2b(
            secret.encode("utf-8", "replace"), key=self._key, digest_size=6, person=kind.encode()[:16]
        )
        return f"{kind}-{digest.hexdigest()}"

    def _from_token(self, token: str) -> str:
        if not token:
            return ""
        scheme, _, credential = token.partition(" ")
        if not credential:
            scheme, credential = "", token
        if scheme.lower() == "basic":
            return _basic_user(credential) or self.pseudonym("token", credential)
        subject = _subject(credential)
        return self.pseudonym("subject", subject) if subject else self.pseudonym("token", credential)

    def _from_cookie(self, cookie: str) -> str:
        if not cookie:
            return ""
        pairs = [pair.strip() for pair in cookie.split(";")]
        session = [pair for pair in pairs if "=" in pair and _SESSION.search(pair.partition("=")[0])]
        return self.pseudonym("cookie", ";".join(sorted(session)) if session else cookie)


def users_of(identities: Sequence[Identity], profile: Profile) -> list[UserId]:
    """The user behind each identity of a whole log.

    The default profile looks at the log as a whole. A request that names nobody belongs to the one user that
    its client is otherwise used by (an endpoint that never asks, a login). A credential that is the only one
    and comes from many clients tells nobody apart, so the clients do. ``paper`` takes the identity, else the
    client.
    """
    if profile is Profile.PAPER:
        return [UserId(name or client) for name, client in identities]
    named_by_client: dict[str, set[str]] = {}
    clients_by_name: dict[str, set[str]] = {}
    for name, client in identities:
        if name:
            named_by_client.setdefault(client, set()).add(name)
            clients_by_name.setdefault(name, set()).add(client)
    shared = len(clients_by_name) == 1 and len(next(iter(clients_by_name.values()))) >= _SHARED_BY
    users = []
    for name, client in identities:
        known = named_by_client.get(client, set())
        if not name and len(known) == 1:
            name = next(iter(known))
        users.append(UserId(f"{name} {client}" if name and shared else name or client))
    return users


def _basic_user(credential: str) -> str:
    try:
        plain = base64.b64decode(credential, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return plain.partition(":")[0] if ":" in plain else ""


def _subject(token: str) -> str:
    """Whom a JSON web token speaks for: sessions of one person differ in all but this."""
    parts = token.split(".")
    if len(parts) != 3 or not token.startswith("ey"):
        return ""
    try:
        payload = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError):
        return ""
    if not isinstance(payload, dict):
        return ""
    for claim in ("sub", "user_id", "uid", "preferred_username", "username", "email"):
        value = payload.get(claim)
        if isinstance(value, str | int) and value != "":
            return str(value)
    return ""
