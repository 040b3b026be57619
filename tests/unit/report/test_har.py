from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.report.har import har


def test_a_third_party_reader_opens_it(bug: Bug) -> None:
    haralyzer = pytest.importorskip("haralyzer", reason="haralyzer is not installed")
    document = json.loads(har(bug.exchanges, origin="http://127.0.0.1:9", version="0.1.0"))
    parser = haralyzer.HarParser(document)
    entries = [haralyzer.HarEntry(entry) for entry in parser.har_data["entries"]]
    assert [entry.response.status for entry in entries] == [201, 201, 200, 500]
    assert [entry.request.method for entry in entries] == ["POST"] * 4
    assert entries[0].request.url == "http://127.0.0.1:9/api/projects"
    assert entries[3].response.mimeType == "application/json"
    assert parser.match_status_code(entries[3].raw_entry, "5.*")


def test_no_secret_is_in_it(bug: Bug) -> None:
    text = har(bug.exchanges)
    for secret in ("hunter2", "leaked", "alice-secret"):
        assert secret not in text
    assert "[hidden]" in text


def test_times_and_bytes_and_missing_answers() -> None:
    request = Request(
        OperationId("POST /x"), "POST", "/x?token=abc&a=1", (("Content-Type", "a/b"),), b"\xff\x00"
    )
    exchanges = [
        Exchange(request, Response(200, (), b"\x89PNG", 0.25), at=1.5),
        Exchange(request, None, Failure.TIMEOUT, at=2.0),
    ]
    started = datetime(2026, 1, 2, tzinfo=UTC)
    first, second = json.loads(har(exchanges, origin="http://h/", started=started))["log"]["entries"]
    assert first["startedDateTime"] == "2026-01-02T00:00:01.500+00:00"
    assert first["time"] == first["timings"]["wait"] == 250.0
    assert first["request"]["url"] == "http://h/x?token=[hidden]&a=1"
    assert first["request"]["postData"] == {"mimeType": "a/b", "text": "/wA=", "encoding": "base64"}
    assert first["response"]["content"]["encoding"] == "base64"
    assert second["response"]["status"] == 0
    assert second["_error"] == "timeout"
