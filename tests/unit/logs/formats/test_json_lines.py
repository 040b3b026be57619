"""JSON lines of any shape."""

from __future__ import annotations

import json

import pytest

from lobrest.errors import ConfigError
from lobrest.logs.formats.json_lines import (
    JsonLineParser,
    decode_tolerantly,
    find_shape,
    read_headers,
    shape_of_map,
    status_number,
)
from lobrest.logs.formats.record import Body, LineError


def read(mapping, held):
    record = JsonLineParser(shape_of_map(mapping))(json.dumps(held).encode())
    assert record is not None
    return record


BASIC = {"time": "t", "method": "m", "target": "u", "status": "s"}


def test_a_field_map_says_what_is_what():
    record = read(
        BASIC
        | {"user": "who.name", "duration": "ms", "duration_unit": "ms", "body": "b", "media_type": "ct"},
        {
            "t": 1794270351.5,
            "m": "post",
            "u": "/a?b=1",
            "s": "201",
            "who": {"name": "ann"},
            "ms": 500,
            "b": {"x": 1},
            "ct": "application/json",
        },
    )
    assert (record.start, record.method, record.target, record.status) == (
        1794270351.0,
        "POST",
        "/a?b=1",
        201,
    )
    assert record.actor.name == "ann"
    assert (record.body, record.body_kind) == ('{"x":1}', Body.TEXT)


def test_a_request_line_and_a_split_query_work_too():
    assert (
        read(
            {"time": "t", "request": "r", "status": "s"}, {"t": 1.7e9, "r": "GET /a b HTTP/1.1", "s": 200}
        ).target
        == "/a b"
    )
    assert (
        read(
            {"time": "t", "method": "m", "path": "p", "query": "q"},
            {"t": 1.7e9, "m": "GET", "p": "/a", "q": "x=1"},
        ).target
        == "/a?x=1"
    )
    assert read(BASIC, {"t": 1.7e9, "m": "GET", "u": "https://host/a?x", "s": 200}).target == "/a?x"


def test_names_with_dots_are_escaped():
    record = read(
        BASIC | {"user": "meta\\.user"}, {"t": 1.7e9, "m": "GET", "u": "/a", "s": 200, "meta.user": "ann"}
    )
    assert record.actor.name == "ann"


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"time": "t"},
        {"time": "t", "method": "m"},
        BASIC | {"colour": "c"},
        BASIC | {"duration_unit": "h"},
    ],
)
def test_a_wrong_field_map_is_refused(mapping):
    with pytest.raises(ConfigError):
        shape_of_map(mapping)


def test_redacted_credentials_are_nobody():
    record = read(
        BASIC | {"token": "a", "cookie": "c"},
        {"t": 1.7e9, "m": "GET", "u": "/a", "s": 200, "a": "REDACTED", "c": "-"},
    )
    assert (record.actor.token, record.actor.cookie) == ("", "")


def test_a_body_that_went_to_a_file_is_unknown_not_empty():
    mapping = BASIC | {"body": "b", "body_length": "n"}
    assert (
        read(mapping, {"t": 1.7e9, "m": "GET", "u": "/a", "s": 200, "b": "", "n": "9000"}).body_kind
        is Body.UNKNOWN
    )
    assert (
        read(mapping, {"t": 1.7e9, "m": "GET", "u": "/a", "s": 200, "b": "-", "n": ""}).body_kind is Body.TEXT
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"plain text", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b"{", "not valid JSON"),
        (b'{"t":"x","m":"GET","u":"/a","s":1}', "time"),
        (b'{"t":1700000000,"m":5,"u":"/a","s":1}', "no method"),
        (b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", "nested too deeply|no method|no time"),
    ],
)
def test_what_is_no_record_says_why(line, reason):
    with pytest.raises(LineError, match=reason):
        JsonLineParser(shape_of_map(BASIC))(line)


def test_comments_and_blank_lines_are_no_requests():
    parse = JsonLineParser(shape_of_map(BASIC))
    assert parse(b"") is parse(b"  \r") is parse(b"# made by x") is None


def test_broken_text_is_mended():
    parse = JsonLineParser(shape_of_map(BASIC))
    record = parse(b'{"t":1700000000,"m":"GET","u":"/a\\x22\x00\xff","s":200}')
    assert record is not None
    assert record.target == '/a"\ufffd'
    assert parse(b'{"t":1700000000,"m":"GET","u":"/a\\ud800","s":200}').target == "/a\ufffd"


def test_an_odd_type_where_an_object_was_expected_is_a_counted_line():
    with pytest.raises(LineError):
        JsonLineParser(shape_of_map(BASIC | {"user": "who.name"}))(
            b'{"t":1700000000,"m":"GET","u":"/a","s":200,"who":"ann"}'
        )
    assert JsonLineParser(shape_of_map(BASIC | {"user": "who.name"}))(
        b'{"t":1700000000,"m":"GET","u":"/a","s":200,"who":null}'
    )


@pytest.mark.parametrize(
    ("held", "roles"),
    [
        (
            {"time": "2026-11-12T05:11:53+00:00", "msec": 1794460313.331, "remote_addr": "1.2.3.4",
            "user": "x", "method": "GET",
             "request_uri": "/a", "status": 200, "request_time": 0.3, "request_body": "", "user_agent": "z",
             "sudo": ""},
            {"time": "msec", "target": "request_uri", "duration": "request_time", "body": "request_body",
            "acting_as": "sudo"},
        ),
        (
            {"@timestamp": "2026-11-12T05:11:53Z", "http": {"request": {"method": "GET"},
            "response": {"status_code": 200}},
             "url": {"original": "/a?b"}, "user": {"name": "x"}, "client": {"ip": "1.2.3.4"}},
            {"time": "@timestamp", "method": "http.request.method", "target": "url.original",
            "status": "http.response.status_code"},
        ),
        (
            {"level": "info", "time": 1794460313331, "req": {"method": "GET", "url": "/a",
            "headers": {"authorization": "x"}},
             "res": {"statusCode": 200}, "responseTime": 12},
            {"time": "time", "method": "req.method", "target": "req.url", "status": "res.statusCode",
            "headers": "req.headers"},
        ),
    ],
)  # fmt: skip
def test_shapes_are_found_in_the_lines(held, roles):
    found = find_shape([json.dumps(held).encode()] * 3)
    assert found is not None
    for role, name in roles.items():
        assert ".".join(found.fields[role][0]) == name
    assert JsonLineParser(found)(json.dumps(held).encode()) is not None


@pytest.mark.parametrize(
    "line", [b"{}", b'{"a":1}', b"x", b'{"time":"soon","method":"GET","url":"/a","status":200}']
)
def test_what_has_no_requests_has_no_shape(line):
    assert find_shape([line]) is None


def test_whole_numbers_of_an_unnamed_unit_are_milliseconds():
    line = {"ts": 1.7e9, "method": "GET", "uri": "/a", "status": 200}
    milli = find_shape([json.dumps(line | {"latency": 250}).encode()])
    whole = find_shape([json.dumps(line | {"latency": 0.25}).encode()])
    assert milli is not None and whole is not None
    assert (milli.duration_unit, whole.duration_unit) == (1e-3, 1.0)


def test_headers_come_in_three_forms():
    expected = {"a": "1", "b": "2"}
    assert read_headers({"A": ["1", "9"], "b": "2"}) == expected
    assert read_headers([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]) == expected
    assert read_headers([["A", "1"], ["B", "2"], "junk", 5]) == expected
    assert read_headers(None) == {}


def test_statuses_are_numbers_or_nothing():
    assert [status_number(value) for value in (200, "404", 503.0, "-", None, -1, 10**9, True)] == [
        200,
        404,
        503,
        0,
        0,
        0,
        0,
        1,
    ]


def test_hopeless_text_is_a_line_error():
    import msgspec

    with pytest.raises(LineError):
        decode_tolerantly(msgspec.json.Decoder(), b"\xff\x00")
