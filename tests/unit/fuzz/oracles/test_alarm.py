"""What an alarm says by default."""

from __future__ import annotations

from lobrest.fuzz.oracles.alarm import alarm
from lobrest.model.bug import BugKey, BugKind, Severity
from lobrest.model.operation import OperationId

GET = OperationId("GET /x")


def test_the_status_alone_tells_unless_something_else_is_said():
    found = alarm(BugKind.SLOW, GET, 7, "f", position=2, message="m", severity=Severity.LOW, needs=[1])
    assert found.key == BugKey(GET, 7, "f", BugKind.SLOW)
    assert found.check.statuses == ("007",)
    assert found.needs == {1}


def test_texts_are_bounded():
    found = alarm(
        BugKind.SLOW, GET, 200, "f" * 999, position=0, message="", severity=Severity.LOW, evidence="e" * 9999
    )
    assert len(found.key.fingerprint) == 200
    assert len(found.evidence) == 600
