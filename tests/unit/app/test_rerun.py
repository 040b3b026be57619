"""Running a bug or a play again: against the tracker of the reproducers' tests."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.unit.report.conftest import bug, start  # noqa: F401 (fixtures)
from tests.unit.report.tracker import AUTHORISATION, Start

from lobrest.app.rerun import Ending, Rerun, missing_users, of_bug, of_play, rerun
from lobrest.model.bug import Bug
from lobrest.transport import Credentials, read_credentials
from lobrest.transport.credential import Credential


def people(*names: str) -> Credentials:
    return Credentials.of([Credential(name, (("Authorization", AUTHORISATION[name]),)) for name in names])


def run(reproducer: object, target: str, credentials: Credentials) -> Rerun:
    progress = Rerun("it", target, 4)
    asyncio.run(rerun(reproducer, progress, credentials))
    return progress


@pytest.mark.parametrize(("fault", "ending"), [(True, Ending.STILL), (False, Ending.CHANGED)])
def test_a_bug_still_happens_or_does_not(start: Start, bug: Bug, fault: bool, ending: Ending):  # noqa: F811
    running = start(first_id=7, fault=fault)
    progress = run(of_bug(bug), f"{running.url}/api", people("alice", "bob"))
    assert progress.ending is ending
    assert [step.position for step in progress.done] == [1, 2, 3, 4]
    assert [step.expected for step in progress.done] == [201, 201, 200, 500]
    assert (progress.done[-1].status == 500) is fault


def test_a_play_is_answered_as_before(start: Start, bug: Bug):  # noqa: F811
    running = start(first_id=7, fault=True)
    progress = run(of_play(bug.exchanges[:3]), running.url, people("alice", "bob"))
    assert progress.ending is Ending.STILL
    assert [step.status for step in progress.done] == [201, 201, 200]


def test_names_of_the_log_are_made_anew(bug: Bug):  # noqa: F811
    first = bug.exchanges[0]
    named = replace(
        first, request=replace(first.request, body=b'{"name": "gateway-37", "title": "gateway-37"}')
    )
    plain = replace(first, request=replace(first.request, body=b'{"name": "main", "key": "a1"}'))
    step = of_play([named]).steps[0]
    assert step.body is not None
    assert step.body.count("gateway-37-x{{") == 2
    assert of_play([plain]).steps[0].body == '{"name": "main", "key": "a1"}'
    assert of_play([replace(first, request=replace(first.request, body=b"\xff no json"))]).steps


def test_what_cannot_be_tried_says_why(start: Start, bug: Bug):  # noqa: F811
    reproducer = of_bug(bug)
    assert missing_users(reproducer, people("alice")) == ("bob",)
    running = start(first_id=7, fault=True)
    nobody = run(reproducer, running.url, people("alice"))
    assert (nobody.ending, nobody.done) == (Ending.NOT_TRIED, [])
    assert "no credentials for bob" in nobody.said
    gone = run(reproducer, "http://127.0.0.1:1", people("alice", "bob"))
    assert gone.ending is Ending.NOT_TRIED
    assert "step 1" in gone.said
    none = run(reproducer, running.url, read_credentials([], environment={}))
    assert none.ending is Ending.NOT_TRIED
