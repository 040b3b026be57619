"""mitmproxy's flow files."""

from __future__ import annotations

from lobrest.logs.formats import detect
from lobrest.logs.formats.mitmproxy import read_flows
from lobrest.logs.formats.record import LineError, Record


def packed(value):
    """The typed netstring of a value."""
    if value is None:
        kind, payload = b"~", b""
    elif isinstance(value, bool):
        kind, payload = b"!", b"true" if value else b"false"
    elif isinstance(value, int):
        kind, payload = b"#", str(value).encode()
    elif isinstance(value, float):
        kind, payload = b"^", repr(value).encode()
    elif isinstance(value, bytes):
        kind, payload = b",", value
    elif isinstance(value, str):
        kind, payload = b";", value.encode()
    elif isinstance(value, list):
        kind, payload = b"]", b"".join(map(packed, value))
    else:
        kind, payload = b"}", b"".join(packed(part) for pair in value.items() for part in pair)
    return str(len(payload)).encode() + b":" + payload + kind


FLOW = {
    "version": 21, "type": "http", "client_conn": {"peername": ["10.0.0.1", 4711]},
    "request": {
        "method": b"POST", "path": b"/a?x=1", "headers": [[b"Authorization", b"Bearer t"], [b"Content-Type",
        b"application/json"]],
        "content": b'{"a":1}', "timestamp_start": 1794270351.25,
    },
    "response": {"status_code": 201, "headers": [[b"Location", b"/a/1"]], "content": b'{"id":1}'},
}  # fmt: skip


def test_flows_one_after_the_other():
    data = packed(FLOW) + packed({"type": "tcp"}) + packed(FLOW | {"response": None})
    assert detect(data).format_name == "mitmproxy"
    first, second = read_flows(data)
    assert isinstance(first, Record) and isinstance(second, Record)
    assert (first.start, first.method, first.target, first.status) == (1794270351.25, "POST", "/a?x=1", 201)
    assert (first.body, first.response, first.location) == ('{"a":1}', b'{"id":1}', "/a/1")
    assert (first.actor.token, first.actor.address) == ("Bearer t", "10.0.0.1")
    assert first.headers == (("content-type", "application/json"),)
    assert second.status == 0


def test_a_compressed_answer_is_left_alone():
    answer = {"status_code": 200, "headers": [[b"Content-Encoding", b"gzip"]], "content": b"\x1f\x8b"}
    (record,) = read_flows(packed(FLOW | {"response": answer}))
    assert isinstance(record, Record)
    assert record.response == b""


def test_damage_ends_the_file_and_is_told():
    whole = packed(FLOW)
    for data in (whole + whole[:-30], whole + b"99999999999:x", whole + b"junk", whole + b"3:abc?"):
        found = list(read_flows(data))
        assert isinstance(found[0], Record)
        assert isinstance(found[-1], LineError)
    deep = b"0:]"
    for _ in range(100):
        deep = str(len(deep)).encode() + b":" + deep + b"]"
    assert isinstance(next(read_flows(deep)), LineError)


def test_a_flow_without_a_request_is_told():
    assert isinstance(next(read_flows(packed({"type": "http"}))), LineError)
    assert isinstance(next(read_flows(packed({"type": "http", "request": {"method": b"GET"}}))), LineError)
