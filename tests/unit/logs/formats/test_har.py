"""HTTP Archives."""

from __future__ import annotations

import base64
import json

from lobrest.logs.formats import detect
from lobrest.logs.formats.har import read_har
from lobrest.logs.formats.record import Body, LineError, Record


def entry(**request):
    return {
        "startedDateTime": "2026-11-10T02:25:51.000+02:00", "time": 41,
        "request": {"method": "POST", "url": "http://localhost:8080/products/p1?x=1#top", "headers": [
            {"name": "Authorization", "value": "Bearer abc"}, {"name": "User-Agent", "value": "x"}], **request},
        "response": {"status": 201, "headers": [{"name": "Location", "value": "/products/9"}],
                     "content": {"mimeType": "application/json",
                     "text": base64.b64encode(b'{"id":9}').decode(), "encoding": "base64"}},
    }  # fmt: skip


def archive(*entries):
    return json.dumps(
        {"log": {"version": "1.2", "creator": {"name": "t"}, "entries": list(entries)}}
    ).encode()


def test_an_archive_has_everything_and_shows_no_credentials_as_headers():
    data = archive(entry(postData={"mimeType": "application/json", "text": '{"a":1}'}))
    assert detect(data).format_name == "har"
    (record,) = read_har(data)
    assert isinstance(record, Record)
    assert (record.start, record.method, record.target, record.status) == (
        1794270351.0,
        "POST",
        "/products/p1?x=1",
        201,
    )
    assert (record.body, record.body_kind, record.response, record.location) == (
        '{"a":1}',
        Body.TEXT,
        b'{"id":9}',
        "/products/9",
    )
    assert record.actor.token == "Bearer abc"
    assert record.headers == (("user-agent", "x"),)


def test_form_parameters_become_a_form():
    (record,) = read_har(
        archive(entry(postData={"mimeType": "x", "params": [{"name": "a b", "value": "1&2"}, {"name": "f"}]}))
    )
    assert isinstance(record, Record)
    assert record.body == "a+b=1%262&f="


def test_a_truncated_archive_gives_what_is_whole():
    data = archive(entry(), entry(), entry())
    found = list(read_har(data[: len(data) * 2 // 3]))
    assert [isinstance(record, Record) for record in found] == [True, False] or len(found) == 2
    assert isinstance(found[-1], LineError)


def test_odd_entries_cost_only_themselves():
    found = list(read_har(archive(5, {}, entry(method=7), entry())))
    assert [isinstance(record, Record) for record in found] == [False, False, False, True]
    assert isinstance(next(read_har(b'{"log":{}}')), LineError)
