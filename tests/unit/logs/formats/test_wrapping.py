"""What container engines put around lines."""

from __future__ import annotations

import json

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.record import FormatOptions, LineError
from lobrest.logs.formats.wrapping import Unwrapper, Wrapping, find_wrapping

INNER = b'10.0.0.1 - - [10/Nov/2026:00:25:51 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"'
WRAPPED = {
    Wrapping.DOCKER: json.dumps(
        {"log": INNER.decode() + "\n", "stream": "stdout", "time": "2026-11-10T00:25:51Z"}
    ).encode(),
    Wrapping.CRI: b"2026-11-10T00:25:51.123456789Z stdout F " + INNER,
    Wrapping.COMPOSE: b"web-1  | " + INNER,
    Wrapping.SYSLOG: b"Nov 10 00:25:51 host nginx: " + INNER,
}


@pytest.mark.parametrize("wrapping", WRAPPED)
def test_wrapped_lines_are_recognised_and_unwrapped(wrapping):
    line = WRAPPED[wrapping]
    assert find_wrapping([line, line]) is wrapping
    assert Unwrapper(wrapping)(line) == INNER
    found = detect(line + b"\n" + line + b"\n")
    assert (found.format_name, found.wrapping) == ("combined", wrapping)
    record = wrapping.unwrapped(found.format.parser(FormatOptions()))(line)
    assert record is not None
    assert record.target == "/a"


def test_a_message_that_is_no_access_line_is_no_wrapping():
    caddy = json.dumps({"message": "handled request", "log": "x", "ts": 1}).encode()
    assert find_wrapping([caddy]) is Wrapping.NONE
    assert find_wrapping([]) is Wrapping.NONE


def test_a_container_line_without_a_line_is_told():
    with pytest.raises(LineError):
        Unwrapper(Wrapping.DOCKER)(b'{"time":"x"}')
    with pytest.raises(LineError):
        Unwrapper(Wrapping.DOCKER)(b"{")
