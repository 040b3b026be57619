"""Chunks to blocks of whole lines."""

from __future__ import annotations

import pytest

from lobrest.logs.blocks import blocks

TEXT = b"".join(b"line %d %s\n" % (number, b"x" * (number % 17)) for number in range(200))


@pytest.mark.parametrize("chunk", [1, 7, 100, 10_000])
@pytest.mark.parametrize("size", [1, 50, 1000, 1 << 20])
def test_blocks_are_whole_lines_and_nothing_is_lost(chunk, size):
    found = list(blocks((TEXT[start : start + chunk] for start in range(0, len(TEXT), chunk)), size=size))
    assert b"".join(part.data for part in found) == TEXT
    assert all(part.data.endswith(b"\n") for part in found)
    assert not any(part.too_long for part in found)


def test_the_last_line_needs_no_end():
    found = list(blocks([b"a\nb"], size=1))
    assert [part.data for part in found] == [b"a\n", b"b"]
    assert list(blocks([])) == list(blocks([b""])) == []


@pytest.mark.parametrize("chunk", [3, 64, 4096])
def test_a_line_that_is_too_long_is_thrown_away_as_it_comes(chunk):
    data = b"first\n" + b"y" * 5000 + b"\nlast\n"
    found = list(
        blocks((data[start : start + chunk] for start in range(0, len(data), chunk)), size=16, longest=1000)
    )
    if chunk == 4096:
        chunk = 1000
    kept = b"".join(part.data for part in found)
    assert sum(part.too_long for part in found) == 1
    assert kept == b"first\nlast\n"


def test_a_line_of_a_megabyte_is_fine():
    data = b"z" * (1 << 20) + b"\nshort\n"
    (part,) = blocks([data[start : start + 65536] for start in range(0, len(data), 65536)])
    assert part.data == data


def test_byte_order_marks_and_utf16():
    assert next(iter(blocks([b"\xef\xbb\xbfa\n"]))).data == b"a\n"
    wide = "a ü\nb\n".encode("utf-16")
    assert b"".join(part.data for part in blocks([wide[:3], wide[3:]])) == "a ü\nb\n".encode()
