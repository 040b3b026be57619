from __future__ import annotations

import asyncio

import pytest
from tests.unit.report.campaign import BUGS, bug

from lobrest.app.rerun import Ending, of_bug
from lobrest.transport import Credentials
from lobrest.web.replays import Replays


def test_runs_are_numbered_told_and_ended_with_the_dashboard(monkeypatch: pytest.MonkeyPatch):
    begun = asyncio.Event()

    async def endless(*_: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("lobrest.web.replays.rerun", endless)

    async def tried() -> Replays:
        replays = Replays()
        for number in (1, 2):
            assert not replays.busy
            started = replays.start(
                of_bug(bug(1, *BUGS[0])),
                Credentials(),
                target="http://h",
                title="Bug 1",
                origin="/c/1/bugs/1",
            )
            assert started == number
        await begun.wait()
        assert replays.busy
        assert replays.runs[1].ending is Ending.UNDER_WAY
        await replays.close()
        return replays

    replays = asyncio.run(tried())
    assert [(run.ending, run.said) for run in replays.runs.values()] == [
        (Ending.NOT_TRIED, "the dashboard was closed")
    ] * 2


def test_only_the_latest_are_kept(monkeypatch: pytest.MonkeyPatch):
    async def nothing(*_: object) -> None:
        raise OSError(12, "no memory")

    monkeypatch.setattr("lobrest.web.replays.rerun", nothing)

    async def tried() -> Replays:
        replays = Replays()
        for _ in range(60):
            replays.start(of_bug(bug(1, *BUGS[0])), Credentials(), target="", title="", origin="")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await replays.close()
        return replays

    replays = asyncio.run(tried())
    assert list(replays.runs) == list(range(11, 61))
    assert replays.runs[60].said == "cannot be started: no memory"
