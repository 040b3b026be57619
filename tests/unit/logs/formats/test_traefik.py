"""Traefik's common log."""

from __future__ import annotations

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.record import FormatOptions, LineError
from lobrest.logs.formats.traefik import TRAEFIK

LINE = (
    b'10.0.0.1 - - [10/Nov/2026:00:25:51 +0000] "GET /en/ HTTP/2.0" 200 2814 - "Mozilla/5.0 x" 13 '
    b'"web@docker" "http://10.0.0.6:80" 1500ms'
)


def test_the_duration_is_taken_off():
    assert detect(LINE + b"\n").format_name == "traefik"
    record = TRAEFIK.parser(FormatOptions())(LINE)
    assert record is not None
    assert (record.start, record.target, record.actor.agent) == (1794270349.5, "/en/", "Mozilla/5.0 x")


def test_a_line_without_the_tail_is_another_format():
    with pytest.raises(LineError):
        TRAEFIK.parser(FormatOptions())(LINE[:60])
    assert TRAEFIK.parser(FormatOptions())(b" ") is None
