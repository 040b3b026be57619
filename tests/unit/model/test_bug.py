"""Bugs are counted in copies."""

from __future__ import annotations

from dataclasses import replace

from lobrest.model.bug import Bug, BugKey, BugKind, Severity
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


def test_kinds_are_different_bugs_and_5xx_keep_the_identity_they_had():
    key = BugKey(OperationId("GET /x"), 500, "boom")
    assert key.kind is BugKind.SERVER_ERROR
    assert key.identity == "8576717d6e46988e96a90ad2a44ed8df"
    other = replace(key, kind=BugKind.SLOW)
    assert other != key and other.identity != key.identity


def test_what_is_wrong_with_a_named_schema_is_the_same_wherever_it_shows():
    here = BugKey(OperationId("GET /x"), 200, "#User/id: is string", BugKind.SCHEMA)
    there = replace(here, operation=OperationId("GET /y"), status=201)
    assert here != there
    assert here.identity == there.identity
    assert (
        replace(here, fingerprint="id: is string").identity
        != replace(there, fingerprint="id: is string").identity
    )


def test_severities_are_in_order():
    assert [one.rank for one in (Severity.INFO, Severity.LOW, Severity.MEDIUM, Severity.HIGH)] == [0, 1, 2, 3]
