"""Java services with the JaCoCo agent in ``tcpserver`` mode.

The agent tells which of its own marks in each class have been passed, a little finer than lines; they stand for
lines here. The protocol is that of the agent: blocks of one type byte each, numbers in network order.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Final

from lobrest.errors import ProbeError
from lobrest.probes.lines import Lines

_HEADER, _SESSION, _CLASS = 0x01, 0x10, 0x11
_OK, _DUMP = 0x20, 0x40
_MAGIC, _VERSION = 0xC0C0, 0x1007
_SECONDS: Final = 15.0
_MOST_MARKS: Final = 1 << 20
_MOST_CLASSES: Final = 1 << 18


class JacocoProbe:
    """Asks the agent for a dump, and leaves its counters as they are."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def lines(self) -> Lines:
        """See ``ports.CoverageProbe``."""
        place = f"jacoco:{self._host}:{self._port}"
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._dumped(place)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            raise ProbeError(
                f"does not answer: {error or 'too slow'}",
                source=place,
                hint="start the service with -javaagent:jacocoagent.jar=output=tcpserver,address=…,port=…",
            ) from error

    async def _dumped(self, place: str) -> Lines:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(struct.pack(">BHH", _HEADER, _MAGIC, _VERSION))
            writer.write(struct.pack(">B??", _DUMP, True, False))
            await writer.drain()
            return await _read(reader, place)
        finally:
            writer.close()

    async def close(self) -> None:
        """Nothing is held."""


async def _read(reader: asyncio.StreamReader, place: str) -> Lines:
    found: Lines = {}
    for _ in range(_MOST_CLASSES):
        (kind,) = await reader.readexactly(1)
        if kind == _OK:
            return found
        if kind == _HEADER:
            magic, _version = struct.unpack(">HH", await reader.readexactly(4))
            if magic != _MAGIC:
                break
        elif kind == _SESSION:
            await _text(reader)
            await reader.readexactly(16)
        elif kind == _CLASS:
            (number,) = struct.unpack(">q", await reader.readexactly(8))
            name = await _text(reader)
            mask = await _marks(reader)
            if mask is None:
                break
            # One class may be there twice, from two loaders.
            key = f"{name}#{number & 0xFFFFFFFF:08x}"
            found[key] = found.get(key, 0) | mask
        else:
            break
    raise ProbeError("is no JaCoCo agent", source=place)


async def _text(reader: asyncio.StreamReader) -> str:
    (length,) = struct.unpack(">H", await reader.readexactly(2))
    return (await reader.readexactly(length)).decode("utf-8", "replace")


async def _marks(reader: asyncio.StreamReader) -> int | None:
    """Booleans, eight a byte, after their number in groups of seven bits."""
    count = shift = 0
    while True:
        (byte,) = await reader.readexactly(1)
        count |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
        if shift > 28:
            return None
    if count > _MOST_MARKS:
        return None
    return int.from_bytes(await reader.readexactly((count + 7) // 8), "little")
