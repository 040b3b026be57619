"""HAProxy's HTTP log."""

from __future__ import annotations

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.haproxy import HAPROXY
from lobrest.logs.formats.record import FormatOptions, LineError

BARE = (
    b"10.0.0.1:38862 [10/Nov/2026:00:25:51.726] in~ docs/one 0/0/1/0/2 304 168 - - ---- 6/6/0/0/0 "
    b'0/0 {h||} {|} "GET /x?y=1 HTTP/1.1"'
)


@pytest.mark.parametrize("line", [BARE, b"Nov 10 00:25:51 localhost haproxy[32450]: " + BARE])
def test_lines_with_and_without_syslog(line):
    assert detect(line + b"\n").format_name == "haproxy"
    record = HAPROXY.parser(FormatOptions())(line)
    assert record is not None
    assert (record.start, record.target, record.status, record.actor.address) == (
        1794270351.726,
        "/x?y=1",
        304,
        "10.0.0.1",
    )


@pytest.mark.parametrize(
    "line",
    [
        b"Nov 10 00:25:51 h haproxy[1]: Connect from 1.2.3.4:40780 to 1.2.3.4:5000 (main/HTTP)",
        b"Nov 10 00:25:51 h haproxy[1]: 127.0.0.1:40962 [10/Nov/2026:00:25:51.285] main "
        b"app/<NOSRV> -1/-1/1 212 SC 1/1/0/0/0 0/0",
        b'10.0.0.1:1 [10/Nov/2026:00:25:51.726] in~ docs/one nothing "GET /x HTTP/1.1"',
    ],
)
def test_tcp_lines_are_no_requests(line):
    with pytest.raises(LineError):
        HAPROXY.parser(FormatOptions())(line)
