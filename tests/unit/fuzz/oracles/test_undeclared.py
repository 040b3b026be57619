"""Undeclared statuses and media types."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import NOTE, NOTES, answered, declares, judged, told, world

from lobrest.fuzz.oracles.alarm import Seen
from lobrest.fuzz.oracles.undeclared import MediaTypeOracle, StatusOracle
from lobrest.model.bug import BugKind, Severity
from lobrest.model.exchange import Response

GET = f"GET {NOTE}"
PATH = {"id": "1", "note_id": "2"}


@pytest.mark.parametrize(
    ("status", "severity"),
    [
        (200, None),
        (202, Severity.LOW),
        (404, Severity.INFO),
        (418, Severity.INFO),
        (401, None),
        (429, None),
        (302, None),
        (500, None),
    ],
)
def test_an_undeclared_success_matters_more_than_an_undeclared_refusal(status, severity):
    made = world()
    found = judged(StatusOracle(made.spec), answered(made, GET, told(status, {}), path=PATH))
    told_here = [one for one in found if one.key.operation == GET]
    assert [one.severity for one in told_here] == ([] if severity is None else [severity])


def test_a_default_declares_everything_and_nothing_declared_says_nothing():
    made = world()
    declares(made, GET, "default", TEXT)
    assert judged(StatusOracle(made.spec), answered(made, GET, told(418, {}), path=PATH)) == []
    assert judged(StatusOracle(made.spec), answered(made, f"GET {NOTES}", told(418), path={"id": "1"})) == []


def test_requests_that_went_astray_are_nobodys_answer():
    made = world()
    performance = answered(made, GET, told(404, {}), path=PATH)
    last = len(performance.results) - 1
    seen = Seen(performance, (True,) * (last + 1), frozenset({last}))
    assert [one for one in StatusOracle(made.spec).told(seen) if one.position == last] == []


@pytest.mark.parametrize(
    ("declared", "given", "right"),
    [
        ("application/json", "application/json; charset=utf-8", True),
        ("application/json", "text/html", False),
        ("application/json", "application/problem+json", True),
        ("application/vnd.x+json", "application/json", True),
        ("text/*", "text/csv", True),
        ("*/*", "x/y", True),
        ("application/json", "", True),
        ("image/png", "image/jpeg", False),
    ],
)
def test_media_types(declared, given, right):
    made = world()
    known = f"DELETE {NOTE}"
    declares(made, known, "200", TEXT, declared)
    headers = (("content-type", given),) if given else ()
    found = judged(MediaTypeOracle(made.spec), answered(made, known, Response(200, headers, b"x"), path=PATH))
    assert (found == []) is right
    if found:
        assert found[0].key.kind is BugKind.UNDECLARED_MEDIA
        assert found[0].check.media_type == given
