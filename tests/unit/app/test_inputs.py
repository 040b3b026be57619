"""Logs wherever they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pytest
import zstandard

from lobrest.app.inputs import find_logs
from lobrest.errors import UsageError

TEXT = b"".join(b"line %d\n" % number for number in range(5000))


def content(source):
    return b"".join(source.chunks())


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        gzip.compress(TEXT),
        bz2.compress(TEXT),
        lzma.compress(TEXT),
        zstandard.ZstdCompressor().compress(TEXT),
    ],
    ids=["plain", "gzip", "bzip2", "xz", "zstd"],
)
def test_archives_are_known_by_their_first_bytes_not_their_names(tmp_path, data):
    (tmp_path / "log").write_bytes(data)
    read = []
    (source,) = find_logs([str(tmp_path / "log")], progress=read.append)
    assert content(source) == TEXT
    assert source.warning == ""
    assert sum(read) == source.size == len(data)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_joined_archives_are_read_to_the_end(tmp_path, pack):
    (tmp_path / "log").write_bytes(pack(TEXT[:100]) + pack(TEXT[100:]))
    (source,) = find_logs([str(tmp_path / "log")])
    assert content(source) == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_a_truncated_archive_gives_what_is_there_and_says_so(tmp_path, pack):
    packed = pack(TEXT * 20)
    (tmp_path / "log").write_bytes(packed[: len(packed) * 2 // 3])
    (source,) = find_logs([str(tmp_path / "log")])
    assert (TEXT * 20).startswith(content(source))
    assert "ends too early" in source.warning


def test_a_damaged_archive_is_told(tmp_path):
    packed = bytearray(gzip.compress(TEXT))
    packed[20:60] = b"\xff" * 40
    (tmp_path / "log").write_bytes(packed)
    (source,) = find_logs([str(tmp_path / "log")])
    content(source)
    assert "damaged gzip" in source.warning


def test_folders_globs_and_rotations_in_order(tmp_path, monkeypatch):
    for name in ("a.log", "a.log.1", "a.log.10.gz", "a.log.2.gz", "notes.md", ".hidden"):
        (tmp_path / name).write_bytes(b"x\n")
    found = [Path(source.name).name for source in find_logs([str(tmp_path)])]
    assert found == ["a.log.10.gz", "a.log.2.gz", "a.log.1", "a.log"]
    globbed = find_logs([str(tmp_path / "a.log*"), str(tmp_path / "a.log")])
    assert len(globbed) == 4, "each file once"
    monkeypatch.chdir(tmp_path)
    assert [source.name for source in find_logs(["*.log"])] == ["a.log"]


def test_standard_input():
    (source,) = find_logs(["-"], standard_input=io.BytesIO(gzip.compress(TEXT)))
    assert content(source) == TEXT


def test_a_place_with_nothing_is_an_error(tmp_path):
    for place in (str(tmp_path / "missing.log"), str(tmp_path)):
        with pytest.raises(UsageError, match="no log there"):
            find_logs([place])
