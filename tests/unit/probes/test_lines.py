"""Every form in which tools write what has run."""

from __future__ import annotations

import pytest

from lobrest.errors import ProbeError
from lobrest.probes.lines import bits, parse_lines

LCOV = b"TN:\nSF:/s/a.c\nDA:1,5\nDA:2,0\nDA:9,1,hash\nend_of_record\nSF:/s/b.c\nDA:3,1\nend_of_record\n"
GO = b"mode: set\nm/a.go:3.10,5.2 2 1\nm/a.go:7.1,7.9 1 0\nm/b.go:1.1,1.5 1 3\n"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a.py": [1, 3], "b.py": []}', {"a.py": [1, 3], "b.py": []}),
        (b'{"meta": {}, "files": {"a.py": {"executed_lines": [2, 64]}}}', {"a.py": [2, 64]}),
        (LCOV, {"/s/a.c": [1, 9], "/s/b.c": [3]}),
        (GO, {"m/a.go": [3, 4, 5], "m/b.go": [1]}),
        (b"a.rb:1\nC:\\x\\b.rb:22\n", {"a.rb": [1], "C:\\x\\b.rb": [22]}),
        (b"", {}),
        (b" \n", {}),
    ],
)
def test_forms(data: bytes, found: dict):
    assert parse_lines(data, source="x") == {file: bits(lines) for file, lines in found.items()}


@pytest.mark.parametrize("data", [b"{no json", b"what?", b"mode: set\nnonsense", b"<html>", b"{" * 100_000])
def test_what_is_none_is_a_named_error(data: bytes):
    with pytest.raises(ProbeError) as error:
        parse_lines(data, source="the probe")
    assert str(error.value).startswith("the probe:")


def test_hostile_numbers_cost_nothing():
    found = parse_lines(b'{"a": [-5, 99999999999, 3, "7", null], "b": 5}', source="x")
    assert found == {"a": 1 << 3}
    assert parse_lines(b"mode: set\na.go:1.1,999999999.1 1 1", source="x")["a.go"].bit_length() < 20_000
