"""Chunks of bytes to blocks of whole lines, in bounded memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BLOCK = 16 << 20
"""Bytes of a block, more or less."""
LONGEST_LINE = 16 << 20
"""A longer line is no log line: it is thrown away as it comes in."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file."""

    data: bytes
    too_long: bool = False
    """True: after these lines came one that was too long; it was thrown away."""


def blocks(chunks: Iterable[bytes], *, size: int = BLOCK, longest: int = LONGEST_LINE) -> Iterator[Lines]:
    """Line-aligned blocks of about ``size`` bytes. The last line of the last one may have no end."""
    held: list[bytes] = []
    length = 0
    open_length = 0
    """Of what is held, the part after the last line end."""
    for chunk in _utf8(chunks):
        end = chunk.rfind(b"\n") + 1
        if open_length < 0:
            # In a line that is too long: only its end is of interest.
            first = chunk.find(b"\n") + 1
            if not first:
                continue
            chunk, end, open_length = chunk[first:], end - first, 0
        held.append(chunk)
        length += len(chunk)
        open_length = len(chunk) - end if end else open_length + len(chunk)
        if end and length >= size:
            held[-1] = chunk[:end]
            yield Lines(b"".join(held))
            held, length = [chunk[end:]], len(chunk) - end
        if open_length > longest:
            data = b"".join(held)
            yield Lines(data[: data.rfind(b"\n") + 1], too_long=True)
            held, length, open_length = [], 0, -1
    data = b"".join(held)
    if data:
        yield Lines(data)


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
