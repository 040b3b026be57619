"""Every error lobrest raises on purpose.

    LobrestError
    ├── UsageError             wrong use: a flag, a setting, a file name          exit 2
    │   └── ConfigError        lobrest.toml or an authentication file             exit 2
    ├── InputError             an input that cannot be used                       exit 2
    │   ├── SpecError          not a specification, or no usable operation
    │   └── LogError           not a log, nothing in it, or of another service
    ├── TargetError            the service cannot be reached, or refuses us       exit 3
    │   └── CredentialsError   every credential was refused
    ├── ModelError             a language model that is gone, slow or wrong
    ├── ProbeError             line coverage of the service that cannot be had
    └── StoreError             the work folder or the database                    exit 2

Each says what is wrong, where, and what to do about it; ``str(error)`` is one line.
"""

from __future__ import annotations

from typing import ClassVar


class LobrestError(Exception):
    """Base of the tree: a message, the place it is about and a hint what to do."""

    exit_status: ClassVar[int] = 2

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        place = self.source or ""
        if self.line is not None:
            place = f"{place}:{self.line}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text


class UsageError(LobrestError):
    """The command line or a setting asks for something that cannot be."""


class ConfigError(UsageError):
    """A configuration or authentication file that cannot be used."""


class InputError(LobrestError):
    """A document or log that cannot be used at all."""


class SpecError(InputError):
    """Not an OpenAPI or Swagger document, or one without a usable operation."""


class LogError(InputError):
    """Not a log that can be read, or one in which nothing belongs to the service."""


class TargetError(LobrestError):
    """The service under test cannot be reached or is not allowed as a target."""

    exit_status: ClassVar[int] = 3


class CredentialsError(TargetError):
    """The service refuses every credential it was given."""


class ModelError(LobrestError):
    """A language model did not give a usable answer."""


class ProbeError(LobrestError):
    """What is to tell the line coverage of the service does not."""


class StoreError(LobrestError):
    """The work folder or its database cannot be read or written."""
