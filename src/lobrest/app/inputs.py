"""Logs wherever they are: files, folders, globs, standard input; gzip, zstd, bzip2, xz or plain."""

from __future__ import annotations

import bz2
import gc
import glob
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from lobrest.errors import UsageError
from lobrest.logs.preprocess import LogReader

CHUNK = 1 << 20
_PIECE = 32 << 10
STANDARD_INPUT = "-"
Progress = Callable[[int], None]
"""Told how many bytes of the source were read since it was told last."""

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))
_NOT_LOGS = (".md", ".py", ".toml", ".yaml", ".yml", ".db", ".html", ".pdf", ".png", ".zip", ".tar", ".exe")


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(slots=True)
class LogSource:
    """One log.

    Read its chunks once; afterwards ``warning`` says what was wrong with the file, if anything.
    """

    name: str
    size: int | None
    """Bytes to be read, where that is known."""
    _open: Callable[[], BinaryIO]
    _progress: Progress | None = None
    warning: str = ""

    def told(self) -> str:
        """The warning so far."""
        return self.warning

    def chunks(self) -> Iterator[bytes]:
        """The log's bytes, decompressed. A damaged or truncated archive gives what can be read of it."""
        try:
            stream = self._open()
        except OSError as error:
            raise UsageError(f"cannot be read: {error.strerror}", source=self.name) from error
        with stream:
            raw = self._raw(stream)
            first = next(raw, b"")
            kind = next((kind for magic, kind in _MAGIC if first.startswith(magic)), "")
            everything = _again(first, raw)
            if not kind:
                yield from everything
            else:
                yield from self._decompressed(everything, kind)

    def _raw(self, stream: BinaryIO) -> Iterator[bytes]:
        while True:
            try:
                chunk = stream.read(CHUNK)
            except OSError as error:
                self.warning = f"reading stopped: {error.strerror}"
                return
            if not chunk:
                return
            if self._progress is not None:
                self._progress(len(chunk))
            yield chunk

    def _decompressed(self, raw: Iterator[bytes], kind: str) -> Iterator[bytes]:
        """Members one after the other: rotated files are joined by ``cat`` as well."""
        unpack: _Decompressor | None = None
        for data in _pieces(raw):
            while data:
                if unpack is None:
                    unpack = _decompressor(kind)
                try:
                    plain = unpack.decompress(data)
                except (
                    zlib.error,
                    OSError,
                    EOFError,
                    ValueError,
                    lzma.LZMAError,
                    zstandard.ZstdError,
                ) as error:
                    self.warning = f"damaged {kind} data: {error}"
                    return
                if plain:
                    yield plain
                if not unpack.eof:
                    break
                # What follows a member is another one, or padding.
                data, unpack = unpack.unused_data.lstrip(b"\0"), None
        if unpack is not None:
            self.warning = f"the {kind} archive ends too early"


def read_into(reader: LogReader, sources: Iterable[LogSource]) -> None:
    """Feed every source to the reader, in order."""
    # Reading makes no cycles, but so many values that looking for them would cost a seventh of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for source in sources:
            reader.feed(source.name, source.chunks(), warnings=source.told)
    finally:
        if collecting:
            gc.enable()


def find_logs(
    places: Sequence[str], *, progress: Progress | None = None, standard_input: BinaryIO | None = None
) -> list[LogSource]:
    """The logs behind paths, folders and globs, each once, oldest rotation first.

    ``-`` is standard input. Raises ``UsageError`` for a place where there is nothing.
    """
    found: dict[str, LogSource] = {}
    for place in places:
        if place == STANDARD_INPUT:
            stream = standard_input or sys.stdin.buffer
            found.setdefault(place, LogSource("standard input", None, _given(stream), progress))
            continue
        files = _files(place)
        if not files:
            raise UsageError(
                "no log there", source=place, hint="give files, folders, globs, or - for standard input"
            )
        for file in files:
            found.setdefault(str(file.resolve()), _source(file, progress))
    return list(found.values())


def _given(stream: BinaryIO) -> Callable[[], BinaryIO]:
    return lambda: stream


def _source(file: Path, progress: Progress | None) -> LogSource:
    try:
        size: int | None = file.stat().st_size if file.is_file() else None
    except OSError:
        size = None
    return LogSource(str(file), size, lambda: file.open("rb"), progress)


def _files(place: str) -> list[Path]:
    path = Path(place)
    if path.is_dir():
        inside = (file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path))
        return _oldest_first(file for file in inside if not file.name.lower().endswith(_NOT_LOGS))
    if path.exists():
        return [path]
    names = glob.glob(place, recursive=True)  # noqa: PTH207 - a pattern may be absolute
    return _oldest_first(Path(name) for name in names if Path(name).is_file())


def _is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)


def _oldest_first(files: Iterable[Path]) -> list[Path]:
    """``access.log.10.gz``, …, ``access.log.1``, ``access.log``; other names by the alphabet."""

    def key(file: Path) -> tuple[str, int]:
        parts = (
            file.name.removesuffix(".gz")
            .removesuffix(".zst")
            .removesuffix(".bz2")
            .removesuffix(".xz")
            .split(".")
        )
        number = next((int(part) for part in reversed(parts) if part.isdigit() and len(part) < 5), 0)
        stem = ".".join(part for part in parts if not (part.isdigit() and len(part) < 5))
        return str(file.parent / stem), -number

    return sorted(files, key=key)


def _decompressor(kind: str) -> _Decompressor:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    if kind == "zstd":
        return zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor()


def _pieces(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Small pieces: a few bytes of an archive can hold very much."""
    for chunk in raw:
        for start in range(0, len(chunk), _PIECE):
            yield chunk[start : start + _PIECE]


def _again(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest
