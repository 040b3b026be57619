"""Text lines of any kind."""

from __future__ import annotations

import pytest

from lobrest.logs.formats.loose import LooseParser
from lobrest.logs.formats.record import FormatOptions, LineError

parse = LooseParser(FormatOptions())


@pytest.mark.parametrize(
    ("line", "start", "address"),
    [
        (b'2026-11-10 00:25:51,250 INFO: 10.0.0.1:5123 - "GET /a?b=1 HTTP/1.1" 200 OK', 1794270351.25, "10.0.0.1"),
        (b'10.0.0.2 - - [10/Nov/2026 00:25:51] "GET /a?b=1 HTTP/1.1" 200 -', 1794270351.0, "10.0.0.2"),
        (b'x 2026-11-10 00:25:51.5 1 w 10.0.0.3 "GET /a?b=1 HTTP/1.1" status: 200 len: 1', 1794270351.5, "10.0.0.3"),
        (b'{"log":"[::1]:9 \\"GET /a?b=1 HTTP/1.1\\" 200 OK\\n","time":"2026-11-10T00:25:51.5Z"}', 1794270351.5, "::1"),
        (b'2026-11-10T00:25:51Z stdout F INFO: - "GET /a?b=1 HTTP/1.1" 200', 1794270351.0, ""),
    ],
)  # fmt: skip
def test_time_request_and_status_wherever_they_are(line, start, address):
    record = parse(line)
    assert (record.method, record.target, record.status) == ("GET", "/a?b=1", 200)
    assert (record.start, record.actor.address) == (start, address)


@pytest.mark.parametrize(
    "line",
    [
        b'INFO: 10.0.0.1:5 - "GET /a HTTP/1.1" 200 OK',
        b"2026-11-10T00:25:51Z started",
        b"GET /" + b"a" * 100_000,
    ],
)
def test_what_is_missing_is_told(line):
    with pytest.raises(LineError):
        parse(line)


def test_blank_lines_and_comments_are_no_requests():
    assert parse(b"  ") is None
    assert parse(b"# 2026") is None
