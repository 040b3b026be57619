"""Requests sent and answers got."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A request without its credentials: those are the transport's and are kept nowhere."""

    operation: OperationId
    method: str
    target: str
    """Path and query, encoded as sent, base path included, host not."""
    headers: Headers = ()
    body: bytes | None = None
    actor: str = ""
    """Name of the credentials it is sent with; empty is anonymous."""


@dataclass(frozen=True, slots=True)
class Response:
    """A bounded answer."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    seconds: float = 0.0
    truncated: bool = False

    def header(self, name: str) -> str | None:
        """The first header of that name, in any case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


class Failure(StrEnum):
    """Why a request has no answer."""

    CONNECT = "connect"
    TIMEOUT = "timeout"
    CLOSED = "closed"
    PROTOCOL = "protocol"
    WITHHELD = "withheld"
    """It was never sent: it would have ended the account in use."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it."""

    request: Request
    response: Response | None
    failure: Failure | None = None
    at: float = 0.0
    """Seconds since the campaign began."""
    step: int = 0
    """Position in the seed."""

    @property
    def status(self) -> int:
        """The status, 0 where there was no answer."""
        return self.response.status if self.response else 0

    @property
    def ok(self) -> bool:
        """Was it answered with a 2XX?"""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Execution:
    """A seed played once."""

    seed: Seed
    exchanges: tuple[Exchange, ...]
