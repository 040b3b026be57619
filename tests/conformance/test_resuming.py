"""A real campaign may be killed at any moment and goes on: nothing that was announced is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.buggy import Buggy, buggy_service
from tests.conformance.forking import Forks
from tests.conformance.postgresql import Server
from tests.conformance.resuming import Chain, kill_and_resume

from lobrest.demo import DemoProcess


@pytest.fixture(scope="module")
def service() -> Iterator[DemoProcess]:
    with DemoProcess() as running:
        yield running


@pytest.fixture(scope="module")
def buggy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buggy]:
    with buggy_service(tmp_path_factory.mktemp("buggy")) as running:
        yield running


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks() as running:
        yield running


def test_a_campaign_in_its_folder_survives_kills(forks: Forks, service: DemoProcess, tmp_path: Path) -> None:
    chain = Chain(forks, service, tmp_path / "w")
    left = list(kill_and_resume(chain, kills=2, chance=random.Random(3), longest=2.0))
    assert left[-1].requests > 0
    assert left[-1].operations


def test_bugs_that_were_announced_survive_kills(forks: Forks, buggy: Buggy, tmp_path: Path) -> None:
    chain = Chain(forks, buggy, tmp_path / "w")
    left = list(kill_and_resume(chain, kills=3, chance=random.Random(5), longest=1.5))
    assert left[-1].bugs


def test_a_campaign_in_postgresql_survives_kills(
    forks: Forks, buggy: Buggy, postgresql: Server, tmp_path: Path
) -> None:
    chain = Chain(forks, buggy, tmp_path / "w", postgresql.url, keep="bugs")
    left = list(kill_and_resume(chain, kills=2, chance=random.Random(4), longest=1.5))
    assert left[-1].requests > 0
    assert all("#w" in note.read_text() for note in tmp_path.glob("w*/store.json"))
    assert not list(tmp_path.glob("w*/lobrest.db"))
