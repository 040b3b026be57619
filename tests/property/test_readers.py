"""Whatever bytes a log holds, reading it ends in a table or a documented error, and every line is accounted for."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.logs.forge import line, model, spec

from lobrest.errors import LobrestError
from lobrest.logs import LogReader
from lobrest.logs.formats import FORMATS, Detection, FormatOptions, LineError, detect
from lobrest.logs.formats.batch import Recall, parse_lines, split_lines
from lobrest.logs.formats.combined import CombinedParser, combined_batch
from lobrest.logs.formats.gitlab import GitLabParser, gitlab_batch
from lobrest.model.slice import Profile
from lobrest.spec import Router

COMBINED = (
    b'10.0.0.1 - ann [10/Nov/2026:00:25:51 +0000] "GET /api/projects/1/issues/3?label=bug '
    b'HTTP/1.1" 200 118 "-" "curl/8.1"'
)
GITLAB = json.dumps(
    {
        "time": "2026-11-10T00:25:51.500Z",
        "duration_s": 0.5,
        "status": 201,
        "method": "POST",
        "path": "/api/projects/1/issues",
        "params": [{"key": "title", "value": "x"}, {"key": "a", "value": None}],
        "remote_ip": "::1",
        "ua": "c",
        "route": "/api/:version/projects",
        "username": "root",
    }
).encode()
SEEDS = [
    COMBINED,
    GITLAB,
    line("POST", "/api/projects/1/merges", 201, body={"source": "a", "target": "b", "reviewers": [1, "c"]}),
    line("POST", "/api/projects", 201, body={"name": "x"}, response_body={"id": 5, "path": "g/x"}),
    b"#Fields: date time cs-method cs-uri-stem sc-status\n2026-11-10 00:25:51 GET /api/projects/1 200",
    b'[2026-11-10T00:25:51.931Z] "GET /api/projects/1 HTTP/1.1" 200 - 0 89 5 4 "-" "curl/8" "rid" "h" "u"',
    b"10.0.0.1:38862 [10/Nov/2026:00:25:51.726] in~ docs/one 0/0/1/0/2 304 168 - - ---- "
    b'6/6/0/0/0 0/0 "GET /api/projects HTTP/1.1"',
    b'https 2026-11-10T00:25:52Z app/x 1.2.3.4:5 - 0 0 0 200 200 1 3 "GET https://h:443/api/projects HTTP/1.1" "c" E T',
    b'{"log":{"version":"1.2","creator":{},"entries":[{"startedDateTime":"2026-11-10T02:25:51Z","request":{"method":"GET",'
    b'"url":"http://h/api/projects"},"response":{"status":200}}]}}',
    b"2:ab,10:4:type;4:http;}",
    json.dumps({"log": COMBINED.decode() + "\n", "stream": "stdout"}).encode(),
    b"2026-11-10T00:25:51.1Z stdout F " + COMBINED,
    b'time=2026-11-10T00:25:51Z method=GET path="/api/projects/1?a=\\"b" status=200 user=ann duration=12.3ms',
    b'2026-11-10 00:25:51,123 INFO: 10.0.0.1:5123 - "GET /api/projects/1 HTTP/1.1" 200 OK',
    json.dumps(
        {"@timestamp": "2026-11-10T00:25:51Z", "log": {"offset": 1}, "message": COMBINED.decode()}
    ).encode(),
    json.dumps(
        {
            "date": "2026-11-10",
            "time": "00:25:51",
            "cs-method": "GET",
            "cs-uri-stem": "/api/projects",
            "sc-status": "200",
        }
    ).encode(),
    json.dumps(
        {
            "start_time": "2026-11-10T00:25:51Z",
            "method": "GET",
            "path": "/api/projects/1",
            "response_code": 200,
            "request_id": "0b1f7c1e-aaaa",
            "authority": "shop:80",
        }
    ).encode(),
]
TEMPLATES = {
    "nginx": '$remote_addr - $remote_user [$time_local] "$request" $status "$http_user_agent" body="$request_body"',
    "apache": '%h %l %u %t "%r" %>s %D "%{User-Agent}i"',
}

SPEC, MODEL = spec(), model()


@st.composite
def mutated(draw):
    """A real line with bytes changed, cut out, doubled or put in."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.integers(0, 4)):
            case 0:
                data[place : place + 1] = bytes([draw(st.integers(0, 255))])
            case 1:
                del data[place : place + draw(st.integers(1, 20))]
            case 2:
                data[place:place] = draw(
                    st.sampled_from(
                        [
                            b'"',
                            b"\\",
                            b"\x00",
                            b"\xff",
                            b"[",
                            b"]",
                            b"\n",
                            b"null",
                            b"1e999",
                            b"\\ud800",
                            b" ",
                            b"{",
                        ]
                    )
                )
            case 3:
                data[place:place] = data[place : place + 30]
            case _:
                data = data[:place]
    return bytes(data)


lines = st.one_of(
    mutated(), st.binary(max_size=200), st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace"))
)


def options_of(name: str) -> FormatOptions:
    fields = {
        "time": "ts",
        "method": "method",
        "target": "uri",
        "status": "status",
        "body": "body",
        "user": "user",
    }
    return FormatOptions(
        template=TEMPLATES.get(name, ""), fields=fields if name in ("json", "logfmt") else {}
    )


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@given(held=lines)
def test_a_format_reads_or_refuses_any_line(known, held):
    if known.documents is not None:
        for record in known.documents(held):
            assert isinstance(record, LineError) or record.start >= 0
        return
    parse = known.parser(options_of(known.name))
    for one in held.split(b"\n"):
        try:
            record = parse(one)
        except LineError as error:
            assert str(error)
            continue
        if record is not None:
            assert 0.0 <= record.start < 3e11
            assert record.method
            assert record.target
            assert 0 <= record.status < 1000
            record.target.encode()


@given(held=st.lists(lines, max_size=6))
def test_a_format_is_found_or_not_but_nothing_breaks(held):
    found = detect(b"\n".join(held) + b"\n")
    assert isinstance(found, Detection)
    assert 0.0 <= found.confidence <= 1.0


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    held=st.lists(lines, max_size=12), profile=st.sampled_from(Profile), size=st.sampled_from([64, 1 << 20])
)
def test_every_line_is_kept_dropped_or_no_request(held, profile, size):
    data = b"\n".join(held)
    reader = LogReader(SPEC, Router(SPEC), MODEL, user_key=b"k", profile=profile, block_size=size)
    try:
        reader.feed("fuzz", [data[start : start + 50] for start in range(0, len(data), 50)])
        table = reader.finish(allow_empty=True)
    except LobrestError:
        return
    told = table.statistics
    dropped = sum(drop.count for drop in told.dropped)
    assert told.lines == told.kept + dropped + told.not_requests
    for index in range(len(table)):
        entry = table.entry(index)
        uses = {table.instances[number] for number in table.instance_set(index)}
        assert entry.instances <= uses
        repr(entry).encode("utf-8")


@given(held=st.lists(lines, max_size=8))
def test_a_block_of_combined_lines_equals_its_lines(held):
    _equal(combined_batch(FormatOptions(), b"\n".join(held), Recall()), CombinedParser(FormatOptions()), held)


@given(held=st.lists(lines, max_size=8))
def test_a_block_of_gitlab_lines_equals_its_lines(held):
    _equal(gitlab_batch(FormatOptions(), b"\n".join(held), Recall()), GitLabParser(FormatOptions()), held)


def _equal(fast, parser, held):
    slow = parse_lines(parser, split_lines(b"\n".join(held)))

    def rows(batch):
        return [
            (number, round(start, 5), batch.requests[request], status, batch.actors[actor])
            for number, start, request, status, actor in zip(
                batch.lines, batch.starts, batch.request_ids, batch.statuses, batch.actor_ids, strict=True
            )
        ]

    assert rows(fast) == rows(slow)
    assert sorted(fast.bad) == sorted(slow.bad)
    assert (fast.not_requests, fast.lines_read) == (slow.not_requests, slow.lines_read)
