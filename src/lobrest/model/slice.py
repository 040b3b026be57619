"""Sequences of logged requests that follow one business flow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from lobrest.model.entry import LogEntry, UserId
from lobrest.model.resource import ResourceInstance


class Strategy(StrEnum):
    """How a slice was found."""

    MLTS = "mlts"
    STWS = "stws"


class Profile(StrEnum):
    """Which reading of the method is run."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of one user's queue, in time order."""

    entries: tuple[LogEntry, ...]
    strategies: tuple[Strategy, ...] = ()
    """Empty for a slice that no log shows."""

    @property
    def user(self) -> UserId:
        """Whose queue it was cut from."""
        return self.entries[0].user

    @property
    def instances(self) -> frozenset[ResourceInstance]:
        """All instances involved."""
        return frozenset().union(*(entry.instances for entry in self.entries))


def logged_entries(slices: Iterable[Slice]) -> list[LogEntry]:
    """What the log shows of everybody, in time order, an entry once however many slices have it."""
    found = {one.source: one for piece in slices for one in piece.entries if one.source is not None}
    return sorted(found.values(), key=lambda one: one.at)
