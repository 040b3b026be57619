"""A dashboard of recorded campaigns that tests can ask for pages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, CookieJar, web
from tests.unit.web.recorded import recorded

from lobrest.web.access import Access
from lobrest.web.server import application
from lobrest.web.site import Site
from lobrest.web.watched import watch

Talk = Callable[[ClientSession, str], Awaitable[Any]]


class Dashboard:
    """Serves for as long as a conversation takes; the client has the token unless told otherwise."""

    def __init__(self, *places: Path, **more: Any) -> None:
        self.campaigns = watch([str(place) for place in places])
        self.site = Site(tuple(self.campaigns), Access(), **more)

    def close(self) -> None:
        for watched in self.campaigns:
            watched.close()

    def talk(self, conversation: Talk, *, token: bool = True) -> Any:
        return asyncio.run(self._talk(conversation, token))

    def get(self, path: str) -> tuple[int, str]:
        async def asked(client: ClientSession, base: str) -> tuple[int, str]:
            async with client.get(base + path) as answer:
                return answer.status, await answer.text()

        return self.talk(asked)

    async def _talk(self, conversation: Talk, token: bool) -> Any:
        runner = web.AppRunner(application(self.site), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            listener = web.TCPSite(runner, "127.0.0.1", 0)
            await listener.start()
            base = f"http://127.0.0.1:{runner.addresses[0][1]}"
            async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
                if token:
                    async with client.get(f"{base}/?token={self.site.access.token}"):
                        pass
                return await conversation(client, base)
        finally:
            await runner.cleanup()


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The work folder of a campaign that has ended."""
    place = tmp_path_factory.mktemp("web") / "forge-1"
    recorded(place)
    return place


@pytest.fixture
def dashboard() -> Iterator[Callable[..., Dashboard]]:
    """Makes dashboards that are closed with the test."""
    with ExitStack() as stack:

        def made(*places: Path, **more: Any) -> Dashboard:
            found = Dashboard(*places, **more)
            stack.callback(found.close)
            return found

        yield made
