from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import ClientSession
from tests.unit.report.conftest import bug, start  # noqa: F401 (fixtures)
from tests.unit.report.tracker import AUTHORISATION, Start
from tests.unit.web.conftest import Dashboard
from tests.unit.web.recorded import record

from lobrest.app.control import Wish, wished
from lobrest.errors import UsageError
from lobrest.model.bug import Bug
from lobrest.model.event import BugFound, CampaignEnded
from lobrest.store import open_store
from lobrest.transport import Credentials
from lobrest.transport.credential import Credential
from lobrest.web.access import Access
from lobrest.web.server import serve
from lobrest.web.site import Site

Made = Callable[..., Dashboard]


def test_a_running_campaign_can_be_paused_resumed_and_stopped(dashboard: Made, tmp_path: Path):
    store = record(tmp_path)
    made = dashboard(tmp_path)

    async def steered(client: ClientSession, base: str) -> list[Wish]:
        found = []
        for wish in ("pause", "run", "stop"):
            form = {"wish": wish, "ticket": made.site.access.ticket}
            async with client.post(f"{base}/c/1/control", data=form) as answer:
                assert answer.status == 200
                found.append(wished(tmp_path))
        async with client.post(f"{base}/c/1/control", data={**form, "wish": "explode"}) as answer:
            assert answer.status == 409
        return found

    assert made.talk(steered) == [Wish.PAUSE, Wish.RUN, Wish.STOP]
    store.close()


def test_what_happens_is_told_to_whoever_listens(
    dashboard: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lobrest.web.server._LOOK_EVERY_SECONDS", 0.05)
    store = record(tmp_path)
    made = dashboard(tmp_path)

    async def listened(client: ClientSession, base: str) -> list[dict[str, object]]:
        told: list[dict[str, object]] = []
        async with client.get(f"{base}/c/1/events") as answer:
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            async for line in answer.content:
                if line.startswith(b"data: "):
                    told.append(json.loads(line[6:]))
                    if len(told) == 1:
                        store.record([CampaignEnded(40.0, "time is up")])
                        store.close()
                    if told[-1]["state"] == "ended":
                        return told
        return told

    told = made.talk(listened)
    assert (told[0]["state"], told[0]["bugs"]) == ("running", "9")
    assert told[-1]["state"] == "ended"


def test_too_many_listeners_are_turned_away(dashboard: Made, ended: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lobrest.web.server._MOST_LISTENERS", 0)
    assert dashboard(ended).get("/c/1/events")[0] == 503


@pytest.mark.parametrize("fault", [True, False])
def test_a_bug_is_run_again_from_its_page(
    dashboard: Made,
    tmp_path: Path,
    bug: Bug,  # noqa: F811
    start: Start,  # noqa: F811
    fault: bool,
):
    running = start(first_id=900, fault=fault)
    store = open_store(tmp_path, create=True)
    store.record([BugFound(1.0, bug), CampaignEnded(2.0, "time is up")])
    store.close()
    users = Credentials.of(
        [Credential(name, (("Authorization", AUTHORISATION[name]),)) for name in ("alice", "bob")]
    )
    made = dashboard(tmp_path, credentials=users, target=running.url)

    async def tried(client: ClientSession, base: str) -> str:
        async with client.get(f"{base}/c/1/bugs/3/replay") as answer:
            asked = await answer.text()
        assert running.url in asked
        assert "4 requests will be sent" in asked
        async with client.post(
            f"{base}/c/1/bugs/3/replay", data={"ticket": made.site.access.ticket}, allow_redirects=False
        ) as answer:
            assert answer.status == 303
            place = answer.headers["Location"]
        for _ in range(200):
            async with client.get(base + place) as answer:
                shown = await answer.text()
            if "data-again" not in shown:
                return shown
            await asyncio.sleep(0.1)
        raise AssertionError("it does not end")

    shown = made.talk(tried)
    assert ("The bug still happens." if fault else "The bug does not happen any more.") in shown
    assert len(re.findall(r"<tr><td>", shown)) == 4


def test_without_credentials_nothing_is_sent(dashboard: Made, ended: Path):
    made = dashboard(ended)
    _, asked = made.get("/c/1/bugs/1/replay")
    assert "Credentials are kept nowhere" in asked
    assert "disabled" in asked

    async def tried(client: ClientSession, base: str) -> tuple[int, str]:
        form = {"ticket": made.site.access.ticket}
        async with client.post(f"{base}/c/1/bugs/1/replay", data=form) as answer:
            return answer.status, await answer.text()

    status, text = made.talk(tried)
    assert status == 409
    assert "no credentials for ann" in text


def test_it_says_where_it_is_and_what_is_wrong_with_a_port():
    site = Site((), Access())

    async def tried() -> None:
        said: asyncio.Queue[str] = asyncio.Queue()
        serving = asyncio.create_task(serve(site, port=0, ready=said.put_nowait))
        address = await said.get()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        port = int(address.split(":")[2].partition("/")[0])
        with pytest.raises(UsageError, match=f"port {port} cannot be used"):
            await serve(site, port=port, ready=said.put_nowait)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(tried())
