from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable

import pytest
from aiohttp.test_utils import TestClient, TestServer

from lobrest.demo.company import founded, secret_of
from lobrest.demo.server import LARGEST_BODY, create_app

HEADERS = {"Authorization": f"Bearer {secret_of(founded(), 'alice')}"}


def serving(use: Callable[[TestClient], Awaitable[None]], faults: str = "off") -> None:
    async def run() -> None:
        async with TestClient(TestServer(create_app(faults))) as client:
            await use(client)

    asyncio.run(run())


def test_the_document_names_the_address_it_was_asked_at():
    async def use(client):
        async with client.get("/openapi.json", headers={"Host": "forge.example:99"}) as answer:
            assert (await answer.json())["servers"] == [{"url": "http://forge.example:99/api/v1"}]

    serving(use)


def test_encoded_slashes_stay_in_their_segment():
    async def use(client):
        async with client.post("/api/v1/projects", json={"name": "shop"}, headers=HEADERS) as answer:
            assert answer.status == 201
            assert answer.content_type == "application/json"
        async with client.get("/api/v1/projects/alice%2Fshop?x=%5B", headers=HEADERS) as answer:
            assert (await answer.json())["id"] == 1

    serving(use)


def test_every_instance_is_fresh():
    async def use(client):
        async with client.get("/api/v1/projects", headers=HEADERS) as answer:
            assert await answer.json() == []
            assert answer.headers["X-Total"] == "0"

    serving(use)
    serving(use)


def test_what_is_too_large_is_refused():
    async def use(client):
        async with client.post(
            "/api/v1/projects", data=io.BytesIO(b"x" * (LARGEST_BODY + 1)), headers=HEADERS
        ) as answer:
            assert answer.status == 413
            assert "message" in await answer.json()

    serving(use)


def test_it_tells_its_health_and_that_other_pages_do_not_exist():
    async def use(client):
        async with client.get("/-/health") as answer:
            assert await answer.json() == {"status": "ok"}
        async with client.get("/") as answer:
            assert answer.status == 404

    serving(use)


def test_faults_are_named():
    with pytest.raises(ValueError, match="nonsense"):
        create_app("nonsense")
