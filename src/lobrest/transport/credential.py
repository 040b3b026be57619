"""Who requests are sent as. Secrets live in fields that no ``repr`` shows."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lobrest.errors import ConfigError
from lobrest.model.exchange import Headers
from lobrest.transport.login import Login


@dataclass(frozen=True, slots=True)
class Credential:
    """One user of the service."""

    name: str
    """Public: stands in exchanges, reports and reproducers."""
    headers: Headers = field(default=(), repr=False)
    """Sent with every request of this user."""
    login: Login | None = field(default=None, repr=False)
    """How to get what is sent, where it is not fixed."""
    username: str | None = None
    """What the service calls this user, where the credential tells."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """All users, in the order given; names are unique."""

    users: tuple[Credential, ...] = ()

    def __iter__(self) -> Iterator[Credential]:
        return iter(self.users)

    def __len__(self) -> int:
        return len(self.users)

    @property
    def names(self) -> tuple[str, ...]:
        """The public names, in order."""
        return tuple(user.name for user in self.users)

    @classmethod
    def of(cls, users: Sequence[Credential]) -> Credentials:
        """Users with names made unique: an empty name becomes ``user1`` …, a second ``ann`` ``ann-2``."""
        taken: set[str] = set()
        named: list[Credential] = []
        for position, user in enumerate(users, start=1):
            wanted = user.name or f"user{position}"
            name, count = wanted, 1
            while name in taken:
                count += 1
                name = f"{wanted}-{count}"
            taken.add(name)
            named.append(replace(user, name=name))
        return cls(tuple(named))


def expand(value: str, environment: Mapping[str, str], *, source: str) -> str:
    """The value with a last word ``env:NAME`` replaced by that variable.

    Raises ``ConfigError`` for a variable that is not set or empty.
    """
    start, space, last = value.rpartition(" ")
    if not last.startswith("env:"):
        return value
    name = last.removeprefix("env:")
    found = environment.get(name, "")
    if not found:
        raise ConfigError(
            f"the environment variable {name!r} is not set", source=source, hint="export it before the run"
        )
    return f"{start}{space}{found}"


def basic_header(username: str, password: str) -> tuple[str, str]:
    """The header of HTTP Basic authentication."""
    token = base64.b64encode(f"{username}:{password}".encode()).decode("ascii")
    return ("Authorization", f"Basic {token}")


def basic_username(headers: Headers) -> str | None:
    """The user name inside a Basic header, if there is one."""
    for name, value in headers:
        scheme, _, token = value.strip().partition(" ")
        if name.lower() != "authorization" or scheme.lower() != "basic":
            continue
        try:
            decoded = base64.b64decode(token.strip(), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return decoded.partition(":")[0] or None
    return None
