"""What a log format is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lobrest.logs.formats.batch import Batch, Recall
from lobrest.logs.formats.record import FormatOptions, LineError, Parser, Record


@dataclass(frozen=True, slots=True)
class Format:
    """A log format by its name."""

    name: str
    title: str
    parser: Callable[[FormatOptions], Parser]
    batch: Callable[[FormatOptions, bytes, Recall], Batch] | None = None
    """Reads a block of lines faster than one by one."""
    documents: Callable[[bytes], Iterator[Record | LineError]] | None = None
    """For files that are no lines: reads a whole file; its records are counted instead of lines."""
    context: Callable[[bytes, bytes], bytes] | None = None
    """What a block settles for the blocks after it, from the block and the context before it."""
    specific: int = 1
    """Between formats that fit equally well the more specific one wins."""
    looks_like: Callable[[bytes], bool] | None = None
    """A quick look at a line for what sets the format apart from others that parse it too."""
