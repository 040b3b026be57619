"""IIS and CloudFront."""

from __future__ import annotations

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.record import FormatOptions, LineError
from lobrest.logs.formats.w3c import W3C, context

FIELDS = (
    b"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip "
    b"cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
)
LINE = (
    b"2026-11-10 00:25:52 127.0.0.1 GET /a q=100 80 CORP\\ann 10.0.0.1 Mozilla/5.0+(Windows) - 200 0 0 1000"
)
EDGE_FIELDS = (
    b"#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
    b"cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type time-taken"
)
EDGE = (
    b"2026-11-10\t00:25:52\tFRA2\t182\t10.0.0.1\tGET\td1.cloudfront.net\t/a\t200\t-\tMozilla%2520x"
    b"\tq=1\tsid=5\tHit\t1.0"
)


def test_iis():
    head = b"#Software: IIS\n" + FIELDS + b"\n" + LINE + b"\n"
    assert detect(head).format_name == "iis"
    record = W3C.parser(FormatOptions(context=FIELDS))(LINE)
    assert record is not None
    assert (record.start, record.target, record.status) == (1794270351.0, "/a?q=100", 200)
    assert (record.actor.name, record.actor.agent) == ("CORP\\ann", "Mozilla/5.0 (Windows)")


def test_cloudfront_is_told_apart_and_has_a_cookie():
    assert detect(b"#Version: 1.0\n" + EDGE_FIELDS + b"\n" + EDGE + b"\n").format_name == "cloudfront"
    record = W3C.parser(FormatOptions(context=EDGE_FIELDS))(EDGE)
    assert record is not None
    assert (record.start, record.actor.cookie, record.actor.agent) == (1794270351.0, "sid=5", "Mozilla x")


def test_fields_may_change_in_mid_file():
    parse = W3C.parser(FormatOptions(context=FIELDS))
    assert parse(LINE) is not None
    assert parse(b"#Fields: date time cs-method cs-uri-stem sc-status") is None
    record = parse(b"2026-11-10 00:25:51 GET /b 201")
    assert record is not None
    assert (record.target, record.status) == ("/b", 201)


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        b"2026-11-10 00:25:52 W3SVC2 web1 10.0.0.5 GET /a q=100 80 - 10.0.0.1 HTTP/1.1 "
        b"Mozilla/5.0 c=1 http://r host 200 0 0 1437 534 0 9.9.9.9",
    ],
)
def test_a_file_whose_head_was_rotated_away_is_guessed(line):
    assert detect(line + b"\n").format_name == "iis"
    record = W3C.parser(FormatOptions())(line)
    assert record is not None
    assert (record.method, record.target, record.status, record.actor.address) == (
        "GET",
        "/a?q=100",
        200,
        "10.0.0.1",
    )


def test_the_context_is_the_last_fields_line():
    assert context(b"x\n" + FIELDS + b"\ny\n#Fields: a b\r\nz", b"") == b"#Fields: a b"
    assert context(FIELDS + b"\n", b"old") == FIELDS
    assert context(b"nothing", b"old") == b"old"


@pytest.mark.parametrize(
    "line", [b"a b c", b"2026-11-10 00:25:52 only", b"2026-11-10 00:25:52 1 GET /a - 80 - ip agent - x y z"]
)
def test_nonsense_is_told(line):
    with pytest.raises(LineError):
        W3C.parser(FormatOptions())(line)
