"""Bugs are counted in copies."""

from __future__ import annotations

from lobrest.model.bug import Bug, BugKey
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId


def test_seen_again():
    key = BugKey(OperationId("GET /x"), 500, "boom")
    bug = Bug(1, key, "boom", 0.0, (), SeedId("s"))
    assert bug.seen_again().seen_again().count == 3
    assert bug.count == 1


def test_keys_are_equal_by_operation_status_and_fingerprint():
    key = BugKey(OperationId("GET /x"), 500, "boom")
    assert key == BugKey(OperationId("GET /x"), 500, "boom")
    others = {
        BugKey(OperationId("GET /y"), 500, "boom"),
        BugKey(OperationId("GET /x"), 503, "boom"),
        BugKey(OperationId("GET /x"), 500, "other"),
    }
    assert key not in others
