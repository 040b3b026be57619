"""Chunks of bytes to blocks of whole lines, in bounded memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BLOCK = 8 << 20
"""Bytes of a block, more or less."""
LONGEST_LINE = 16 << 20
"""A longer line is no log line: it is thrown away as it comes in."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines. A line that was too long is there as an empty one, and counted."""

    data: bytes
    first_line: int
    too_long: tuple[int, ...] = ()
    """Numbers of lines that were thrown away."""
    unfinished: bool = False
    """True: the last line has no end. It may be cut, or whole."""


def blocks(chunks: Iterable[bytes], *, size: int = BLOCK, longest: int = LONGEST_LINE) -> Iterator[Lines]:
    """Line-aligned blocks of about ``size`` bytes."""
    held: list[bytes] = []
    length = 0
    line = 1
    too_long: list[int] = []
    skipping = False
    for chunk in _utf8(chunks):
        if skipping:
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk, skipping = chunk[end:], False
        end = chunk.rfind(b"\n")
        if end < 0:
            held.append(chunk)
            length += len(chunk)
            # A block may be waiting with the beginning of this line behind it: only what is open counts.
            if length > longest + size:
                data = b"".join(held)
                cut = data.rfind(b"\n") + 1
                if len(data) - cut > longest:
                    too_long.append(line + data.count(b"\n"))
                    held, length, skipping = [data[:cut]], cut, True
                else:
                    held = [data]
            continue
        held.append(chunk)
        length += len(chunk)
        if length < size:
            continue
        data = b"".join(held)
        cut = data.rfind(b"\n") + 1
        yield Lines(data[:cut], line, tuple(too_long))
        line += data.count(b"\n", 0, cut)
        held, length, too_long = [data[cut:]], len(data) - cut, []
    data = b"".join(held)
    if data or too_long:
        yield Lines(data, line, tuple(too_long), unfinished=bool(data) and not data.endswith(b"\n"))


def _utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes without a byte order mark; UTF-16 with one is converted."""
    decoder: codecs.IncrementalDecoder | None = None
    first = True
    for chunk in chunks:
        if first and chunk:
            first = False
            if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
            elif chunk.startswith(codecs.BOM_UTF8):
                chunk = chunk[3:]
        yield decoder.decode(chunk).encode("utf-8", "replace") if decoder is not None else chunk
