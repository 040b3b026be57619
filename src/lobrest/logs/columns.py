"""What one block of a log comes to: columns, and tables that its numbers point into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

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

    def add(self, lines: Sequence[int]) -> None:
        """More of them, in order."""
        self.count += len(lines)
        self.lines += lines[: PLACES - len(self.lines)]


@dataclass(slots=True)
class CreationSeen:
    """A creation, and what the request tells of the new identity."""

    resource: int
    scope: int
    """Instance the new one is inside; -1 for none or unknown."""
    scope_open: bool
    """True: the resource has a scope, but the request does not show which."""
    names: tuple[str, ...] = ()
    """From the answer or the client's own choice: these are names of it, the usual one first."""
    own: tuple[str, ...] = ()
    """From the request: one of them is the identity for sure, best first."""
    perhaps: tuple[str, ...] = ()
    """From the request, to be believed if used later."""


@dataclass(slots=True)
class Additions:
    """What a vocabulary learnt since it was asked last; numbers are the vocabulary's, which counts up."""

    actors: list[Identity] = field(default_factory=list)
    instances: list[tuple[int, str, int]] = field(default_factory=list)
    """Resource, value, scope."""
    set_sizes: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    set_members: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Sets of instances, one after the other; in each an instance is at most once."""
    operations: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Of each new request."""
    sets: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Which instances each new request involves."""
    details: list[bytes] = field(default_factory=list)
    """Segments of the new requests themselves."""
    creations: list[tuple[int, CreationSeen]] = field(default_factory=list)
    """Place among the new requests, and what a 2XX of it makes."""
    aliases: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of instances that are one thing."""


@dataclass(slots=True)
class Columns:
    """A block's kept requests in the order of its lines, and counts of the rest."""

    times: NDArray[np.float64]
    actors: NDArray[np.int32]
    statuses: NDArray[np.int16]
    lines: NDArray[np.int32]
    """Counted from 0 in the block; so are the lines of drops."""
    requests: NDArray[np.int32]
    """Which of the vocabulary's requests each is."""
    vocabulary: int = 0
    """Whose numbers these are."""
    additions: Additions = field(default_factory=Additions)
    renames: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, old and new instance: one thing if the new name is used later."""
    redirects: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Row, and the instances of the path its ``Location`` names."""
    drops: dict[str, Drop] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    """Requests that are not in the specification, as templates."""
    corpus: CorpusBuilder = field(default_factory=CorpusBuilder)
    flows: dict[tuple[int, str, int, str, str], int] = field(default_factory=dict)
    """Answering operation, pointer, asking operation, place and name → how often the value came back."""
    hosts: dict[str, int] = field(default_factory=dict)
    """Hosts that requests were sent to, and how many lines have each; bounded."""
    request_keys: NDArray[np.uint64] | None = None
    """By row: a number for the request's own id, 0 for none."""
    lines_read: int = 0
    not_requests: int = 0
    """Comments, directives and blank lines."""


def pack(items: Sequence[Detail]) -> list[bytes]:
    """Items in compressed segments."""
    compressor = zstandard.ZstdCompressor(level=1)
    return [
        compressor.compress(msgspec.msgpack.encode(items[start : start + SEGMENT]))
        for start in range(0, len(items), SEGMENT)
    ]


def unpack(segment: bytes) -> list[Detail]:
    """The items of one segment again."""
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(segment), type=list[Detail])
