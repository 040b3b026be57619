"""The combined log: a block at a time equals a line at a time."""

from __future__ import annotations

import pytest

from lobrest.logs.formats.batch import Recall
from lobrest.logs.formats.combined import CombinedParser, combined_batch, sender
from lobrest.logs.formats.record import FormatOptions, LineError

REGULAR = b'10.0.0.1 - ann [10/Nov/2026:00:25:51 +0000] "GET /a/b?x=1 HTTP/1.1" 200 118 "-" "curl/8.1"'
LINES = [
    REGULAR,
    b'10.0.0.2 - - [10/Nov/2026:01:25:52 +0100] "POST /a HTTP/2.0" 201 - "http://x/" "Mozilla/5.0 (X; Y) Z" "extra" 12',
    b'::1 - - [26/Dec/2016:16:16:28 +0200] "GET / HTTP/1.1" 200 45',
    b'10.0.0.2, 10.0.0.1 - - [07/Dec/2016:11:05:07 +0100] "GET /list HTTP/1.1" 200 571 "-" "agent"',
    b'shop.example 10.0.0.7 - bob smith [07/Dec/2016:11:05:07 +0100] "GET /v HTTP/1.1" 200 571 "-" "agent"',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET /q\\x22uote HTTP/1.1" 200 1 "-" "say \\"hi\\""',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET http://host:80/full?y=2 HTTP/1.1" 200 1 "-" "-"',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET /zero.nine" 200 1 "-" "-"',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "-" 408 1 "-" "-"',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "\\x16\\x03\\x01" 400 1 "-" "-"',
    b'10.0.0.3 - - [99/Nov/2026:00:25:53 +0000] "GET /bad HTTP/1.1" 200 1 "-" "-"',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET /bad HTTP/1.1" abc 1 "-" "-"',
    b"",
    b"# a comment",
    b"nonsense",
    b'"""""" [] "',
    '10.0.0.3 - ünï [10/Nov/2026:00:25:53 +0000] "GET /ü HTTP/1.1" 200 1 "-" "x"'.encode(),
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET /\xff\xfe HTTP/1.1" 200 1 "-" "x"\r',
    b'10.0.0.3 - - [10/Nov/2026:00:25:53 +0000] "GET /trace HTTP/1.1" 200 1 "-" "x" 0.003 [up] []',
]


def one_by_one():
    parse = CombinedParser(FormatOptions())
    rows, bad, nothing = [], [], 0
    for number, line in enumerate(LINES):
        try:
            record = parse(line)
        except LineError as error:
            bad.append((number, str(error)))
            continue
        if record is None:
            nothing += 1
        else:
            rows.append((number, record.start, record.method, record.target, record.status, record.actor))
    return rows, bad, nothing


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_block_gives_what_its_lines_give(end):
    batch = combined_batch(FormatOptions(), b"\n".join(LINES) + end, Recall())
    rows, bad, nothing = one_by_one()
    found = [
        (line, start, *batch.requests[request], status, batch.actors[actor])
        for line, start, request, status, actor in zip(
            batch.lines, batch.starts, batch.request_ids, batch.statuses, batch.actor_ids, strict=True
        )
    ]
    assert found == rows
    assert sorted(number for number, _ in batch.bad) == [number for number, _ in bad]
    assert batch.not_requests == nothing
    assert batch.lines_read == len(LINES)


def test_a_line_has_its_parts():
    record = CombinedParser(FormatOptions())(REGULAR)
    assert record is not None
    assert (record.start, record.method, record.target, record.status) == (
        1794270351.0,
        "GET",
        "/a/b?x=1",
        200,
    )
    assert (record.actor.name, record.actor.address, record.actor.agent) == ("ann", "10.0.0.1", "curl/8.1")


def test_an_empty_block_is_no_lines():
    batch = combined_batch(FormatOptions(), b"", Recall())
    assert (batch.lines_read, len(batch.starts), batch.requests) == (0, 0, [])


@pytest.mark.parametrize(
    ("head", "name", "address", "host"),
    [
        ("10.0.0.1 - - ", "", "10.0.0.1", ""),
        ("a.b, c.d - ann ", "ann", "a.b, c.d", ""),
        ("www.example.org:443 10.0.0.1 - ann lee ", "ann lee", "10.0.0.1", "www.example.org:443"),
        ("10.0.0.1 identity ann ", "ann", "10.0.0.1", ""),
        ("shop:80 10.0.0.1, 10.0.0.2 identity ann ", "ann", "10.0.0.1, 10.0.0.2", "shop:80"),
        ('10.0.0.1 - "" ', "", "10.0.0.1", ""),
        ("", "", "", ""),
    ],
)
def test_who_sent_it(head, name, address, host):
    found, virtual = sender(head, "-")
    assert (found.name, found.address, found.agent, virtual) == (name, address, "", host)


def test_hosts_of_a_block_are_counted():
    tail = b'[10/Nov/2026:00:25:51 +0000] "GET %s HTTP/1.1" 200 1 "-" "curl/8.1"'
    lines = [
        b"shop.example:80 10.0.0.1 - - " + tail % b"/a",
        b"shop.example:80 10.0.0.1 - - " + tail % b"/b",
        b"10.0.0.1 - - " + tail % b"http://proxy.example/a",
        b"10.0.0.1 - - " + tail % b"/c",
        b"odd.example 10.0.0.1 - - " + (tail % b"/d").replace(b"curl", b"cu\\x22rl"),
    ]
    batch = combined_batch(FormatOptions(), b"\n".join(lines), Recall())
    assert batch.hosts == {"shop.example:80": 2, "proxy.example": 1, "odd.example": 1}
