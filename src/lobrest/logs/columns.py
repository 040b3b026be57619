"""What one block of a log comes to: columns, and tables that its numbers point into."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
import zstandard

from lobrest.logs.arguments import Detail
from lobrest.logs.mine import CorpusBuilder
from lobrest.logs.users import Identity

SEGMENT: Final = 512
"""Requests kept together: one is read by unpacking so many."""
PLACES: Final = 5
"""Places remembered for each reason that lines are dropped for."""


@dataclass(slots=True)
class Drop:
    """Lines dropped for one reason."""

    count: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """One more."""
        self.count += 1
        if len(self.lines) < PLACES:
            self.lines.append(line)


@dataclass(slots=True)
class CreationSeen:
    """A 2XX creation and what the block tells of the new identity."""

    row: int
    resource: int
    scope: int
    """Instance the new one is inside; -1 for none or unknown."""
    scope_open: bool
    """True: the resource has a scope, but the request does not show which."""
    names: tuple[str, ...] = ()
    """From the answer: these are names of it, the usual one first."""
    own: tuple[str, ...] = ()
    """From the request: one of them is the identity for sure, best first."""
    perhaps: tuple[str, ...] = ()
    """From the request, to be believed if used later."""


@dataclass(slots=True)
class Columns:
    """A block's kept requests in the order of its lines, and counts of the rest. Numbers are local to the block."""

    times: array[float] = field(default_factory=lambda: array("d"))
    actors: array[int] = field(default_factory=lambda: array("i"))
    operations: array[int] = field(default_factory=lambda: array("i"))
    statuses: array[int] = field(default_factory=lambda: array("h"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("H"))
    """How many instances each request involves."""
    used: array[int] = field(default_factory=lambda: array("i"))
    """The instances, one request after the other, each at most once a request."""
    actor_table: list[Identity] = field(default_factory=list)
    instance_table: list[tuple[int, str, int]] = field(default_factory=list)
    """Resource, value, scope."""
    creations: list[CreationSeen] = field(default_factory=list)
    aliases: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of instances that are one thing."""
    renames: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, old and new instance: one thing if the new name is used later."""
    redirects: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Row, and the instances of the path its ``Location`` names."""
    segments: list[bytes] = field(default_factory=list)
    drops: dict[str, Drop] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    """Requests that are not in the specification, as templates."""
    corpus: CorpusBuilder = field(default_factory=CorpusBuilder)
    flows: dict[tuple[int, str, int, str, str], int] = field(default_factory=dict)
    """Answering operation, pointer, asking operation, place and name → how often the value came back."""
    lines_read: int = 0
    not_requests: int = 0
    """Comments, directives and blank lines."""
    latest: float = 0.0


def pack(details: Sequence[Detail]) -> bytes:
    """Details of one segment, compressed."""
    return zstandard.ZstdCompressor(level=1).compress(msgspec.msgpack.encode(details))


def unpack(segment: bytes) -> list[Detail]:
    """The details again."""
    return _DECODER.decode(zstandard.ZstdDecompressor().decompress(segment))


_DECODER: Final = msgspec.msgpack.Decoder(list[Detail])
