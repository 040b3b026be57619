"""Lines of key=value pairs."""

from __future__ import annotations

import json

import pytest

from lobrest.errors import ConfigError
from lobrest.logs.formats import detect
from lobrest.logs.formats.logfmt import LogfmtParser, as_json_line
from lobrest.logs.formats.record import FormatOptions, LineError

LINE = (
    b'time="2026-11-10T00:25:51.5Z" level=info msg="handled \\"it\\"" method=POST path="/api/x?a=b c" status=201 '
    b"user=ann took_ms=500 empty="
)


def test_pairs_are_fields():
    held = json.loads(as_json_line(LINE))
    assert held["msg"] == 'handled "it"'
    assert held["path"] == "/api/x?a=b c"
    assert held["empty"] == ""


def test_fields_are_found_by_name():
    found = detect(LINE + b"\n")
    assert found.format_name == "logfmt"
    record = LogfmtParser(found.options)(LINE)
    assert (record.method, record.target, record.status, record.actor.name) == (
        "POST",
        "/api/x?a=b c",
        201,
        "ann",
    )
    assert record.start == 1794270351.0


def test_a_time_in_front_is_the_time():
    line = b"2026-11-10T00:25:51Z app[web]: at=info method=GET path=/x status=200 fwd=10.0.0.1"
    assert json.loads(as_json_line(line))["timestamp"] == "2026-11-10T00:25:51Z"


@pytest.mark.parametrize("line", [b"nothing here", b"a=1 b=2", b"=" * 100, b'a="' + b"\\" * 5000])
def test_other_lines_are_refused(line):
    with pytest.raises(LineError):
        as_json_line(line)


def test_comments_are_no_requests_and_a_shape_is_needed():
    assert LogfmtParser(detect(LINE + b"\n").options)(b"# x=1 y=2 z=3") is None
    with pytest.raises(ConfigError):
        LogfmtParser(FormatOptions())
