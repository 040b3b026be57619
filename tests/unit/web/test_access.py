from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from tests.unit.web.conftest import Dashboard

from lobrest.web.access import HEADERS, Access

Made = Callable[..., Dashboard]


async def statuses(client: ClientSession, base: str, *asked: dict[str, Any]) -> list[int]:
    found = []
    for one in asked:
        how = {"method": "GET", "url": base + "/c/1/", "allow_redirects": False, **one}
        async with client.request(**how) as answer:
            assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
            found.append(answer.status)
    return found


def test_without_the_token_nothing_is_shown(dashboard: Made, ended: Path):
    made = dashboard(ended)

    async def tried(client: ClientSession, base: str) -> list[int]:
        return await statuses(
            client,
            base,
            {},
            {"url": f"{base}/"},
            {"url": f"{base}/static/app.js"},
            {"url": f"{base}/c/1/events"},
            {"url": f"{base}/?token=guess"},
            {"url": f"{base}/?token="},
            {"method": "POST", "url": f"{base}/c/1/control", "data": {"wish": "stop"}},
            {"headers": {"Cookie": "lobrest-1=x; lobrest=y"}},
            {"url": f"{base}/nowhere"},
        )

    assert set(made.talk(tried, token=False)) == {403}


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(dashboard: Made, ended: Path):
    made = dashboard(ended)

    async def tried(client: ClientSession, base: str) -> str:
        url = f"{base}/c/1/bugs?token={made.site.access.token}"
        async with client.get(url, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/c/1/bugs")
            return answer.headers["Set-Cookie"]

    cookie = made.talk(tried, token=False)
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "0.0.0.0:{port}"]
)
def test_another_host_name_is_turned_away(dashboard: Made, ended: Path, host: str):
    made = dashboard(ended)

    async def tried(client: ClientSession, base: str) -> list[int]:
        name = host.format(port=base.rpartition(":")[2])
        return await statuses(client, base, {"headers": {"Host": name}})

    assert made.talk(tried) == [421]


def test_localhost_is_this_machine_too(dashboard: Made, ended: Path):
    made = dashboard(ended)

    async def tried(client: ClientSession, base: str) -> list[int]:
        return await statuses(client, base, {"headers": {"Host": f"LocalHost:{base.rpartition(':')[2]}"}})

    assert made.talk(tried) == [200]


def test_forms_of_other_pages_are_refused(dashboard: Made, ended: Path):
    made = dashboard(ended)
    ticket = made.site.access.ticket

    async def tried(client: ClientSession, base: str) -> list[int]:
        form: dict[str, Any] = {"method": "POST", "url": f"{base}/c/1/control"}
        good = {"wish": "pause", "ticket": ticket}
        return await statuses(
            client,
            base,
            {**form, "data": {"wish": "pause"}},
            {**form, "data": {"wish": "pause", "ticket": "x"}},
            {**form, "data": good, "headers": {"Origin": "http://evil.example"}},
            {**form, "data": good, "headers": {"Origin": "null"}},
            {**form, "data": good, "headers": {"Sec-Fetch-Site": "cross-site"}},
            {**form, "json": good},
            {**form, "data": good},
        )

    # The last one is ours: it gets as far as being told that nothing runs.
    assert made.talk(tried) == [403, 403, 403, 403, 403, 403, 409]


def test_tokens_are_long_and_differ_and_are_not_shown():
    first, second = Access(), Access()
    assert first.token != second.token
    assert len(first.token) >= 32
    assert first.token not in repr(first)
    assert first.ticket != first.token
    assert first.knows(first.token)
    assert not first.knows("é")
    assert not first.is_own_form(second.ticket)
