"""Figures out of a proxy's log."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.bench.causes import described, unreached
from benchmarks.bench.count import Counted, count
from benchmarks.bench.proxy import Record, read_log
from benchmarks.bench.specification import operations

LISTED = operations(
    {
        "paths": {
            "/items": {"get": {}, "post": {}},
            "/items/{id}": {"get": {}, "delete": {}},
            "/other": {"get": {}},
        }
    }
)


def record(
    at: float, method: str, uri: str, status: int, answer: str = "", body: str = "", answered: bool = True
) -> Record:
    return Record(at, 0.01, method, uri, status, answered, "ana", body, answer)


def counted(*records: Record) -> Counted:
    return count(records, LISTED, "", start=100.0, seconds=60)


def test_only_requests_within_the_time_count() -> None:
    found = counted(
        record(99.0, "GET", "/items", 200),
        record(101.0, "POST", "/items", 201),
        record(161.0, "GET", "/items/3", 200),
    )
    assert found.requests == 1
    assert found.covered == {"POST /items"}


def test_covered_is_a_2xx_and_nothing_else() -> None:
    found = counted(
        record(101, "GET", "/items", 304), record(102, "GET", "/items/1", 404), record(103, "GET", "/x", 200)
    )
    assert found.covered == frozenset()
    assert found.unmatched == 1
    assert found.statuses == {"GET /items": {"304": 1}, "GET /items/{id}": {"404": 1}}


def test_failures_that_differ_in_values_are_one() -> None:
    found = counted(
        record(
            101,
            "DELETE",
            "/items/17",
            500,
            '{"message":"item 17 is locked by 3fa85f64-5717-4562-b3fc-2c963f66afa6"}',
        ),
        record(
            102,
            "DELETE",
            "/items/99",
            500,
            '{"message":"item 99 is locked by 7c9e6679-7425-40de-944b-e07fc1f90ae7"}',
        ),
        record(103, "DELETE", "/items/99", 500, '{"message":"no such table: items"}'),
        record(
            104,
            "GET",
            "/items/99",
            500,
            '{"message":"item 99 is locked by 7c9e6679-7425-40de-944b-e07fc1f90ae7"}',
        ),
        record(
            105,
            "GET",
            "/items/99",
            503,
            '{"message":"item 99 is locked by 7c9e6679-7425-40de-944b-e07fc1f90ae7"}',
        ),
    )
    assert [(fault.op, fault.status, fault.count) for fault in found.faults] == [
        ("DELETE /items/{id}", 500, 2),
        ("DELETE /items/{id}", 500, 1),
        ("GET /items/{id}", 500, 1),
        ("GET /items/{id}", 503, 1),
    ]


def test_a_failure_without_cause_is_no_further_one() -> None:
    """Some services tell the cause only to administrators."""
    found = counted(
        record(101, "GET", "/items/1", 500, '{"message":""}'),
        record(102, "GET", "/items/1", 500, '{"message":"nil map"}'),
        record(103, "GET", "/other", 500, ""),
    )
    assert [(fault.op, fault.message) for fault in found.faults] == [
        ("GET /items/{id}", "nil map"),
        ("GET /other", ""),
    ]


def test_no_answer_is_not_a_failure_of_the_operation() -> None:
    found = counted(record(101, "GET", "/items", 502, answered=False))
    assert found.unanswered == 1
    assert found.faults == ()


def test_the_timeline_rises_with_what_was_found() -> None:
    found = counted(
        record(101, "GET", "/items", 200),
        record(111, "GET", "/items", 200),
        record(121, "GET", "/items/1", 500, "x"),
    )
    assert [(point.t_s, point.covered, point.faults) for point in found.timeline] == [
        (0.0, 0, 0),
        (1.0, 1, 0),
        (21.0, 1, 1),
        (21.01, 1, 1),
    ]


def test_causes_group_by_what_the_service_said() -> None:
    text = described(
        unreached(
            [
                record(101, "GET", "/items", 200),
                record(102, "DELETE", "/items/1", 404, '{"message":"no item 1"}'),
                record(103, "GET", "/items/2", 404, '{"message":"no item 2"}'),
            ],
            LISTED,
            "",
        )
    )
    assert "2 × 404 no item <n>" in text
    assert "2 × - never tried" in text


def test_the_log_is_read_in_spite_of_torn_and_binary_lines(tmp_path: Path) -> None:
    row = {
        "end": 101.5, "took": 0.5, "method": "GET", "uri": "/items", "status": 200, "upstream": "0.4",
        "user": "ana", "body": "", "answer": "",
    }  # fmt: skip
    log = tmp_path / "proxy.log"
    log.write_bytes(json.dumps(row).encode().replace(b'"ana"', b'"\xff\t"') + b"\n" + b'{"end": 10')
    (only,) = read_log(log)
    assert (only.at, only.status, only.answered) == (101.0, 200, True)
