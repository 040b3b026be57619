"""Envoy's text log."""

from __future__ import annotations

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.envoy import ENVOY
from lobrest.logs.formats.record import FormatOptions, LineError

LINE = (
    b'[2026-11-10T00:25:51.931Z] "GET /service/1 HTTP/1.1" 200 - 0 89 5 4 "10.1.1.1" "curl/8" '
    b'"rid" "localhost:8000" "172.27.0.3:80"'
)
ISTIO = (
    b'[2026-11-10T00:25:51.931Z] "GET /service/1 HTTP/1.1" 503 UF via_upstream - "why, so" 0 91 2 '
    b'- "10.1.1.1" "curl/8" "rid" "h" "u"'
)


@pytest.mark.parametrize("line", [LINE, b"ACCESS " + LINE, ISTIO])
def test_lines(line):
    assert detect(line + b"\n").format_name == "envoy"
    record = ENVOY.parser(FormatOptions())(line)
    assert record is not None
    assert (record.start, record.target, record.actor.address, record.actor.agent) == (
        1794270351.931,
        "/service/1",
        "10.1.1.1",
        "curl/8",
    )


def test_a_connection_without_a_request_is_told():
    with pytest.raises(LineError, match="no request line"):
        ENVOY.parser(FormatOptions())(
            b'[2026-11-10T00:25:51.931Z] "- - -" 0 - 87 254 4 - "-" "-" "-" "-" "1.2.3.4:80"'
        )
