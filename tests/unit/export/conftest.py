"""A campaign on the shop, and what can be exported of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.export import shop

import lobrest
from lobrest.app.export import Exportable, of_campaign, of_prepared
from lobrest.app.work import WorkFolder


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The document and the log of the shop."""
    return shop.written(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="session")
def mined(inputs: tuple[Path, Path]) -> lobrest.Mined:
    return lobrest.mine(*inputs)


@pytest.fixture(scope="session")
def work(mined: lobrest.Mined, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work folder of a short campaign."""
    folder = tmp_path_factory.mktemp("campaign") / "work"
    with shop.running(first_id=41) as url:
        campaign = lobrest.Campaign(mined, url, shop.USERS, time="30s", max_requests=150, out=folder)
        campaign.run()
    return folder


@pytest.fixture(scope="session")
def played(work: Path) -> Exportable:
    """Flows as the campaign played them."""
    return of_campaign(WorkFolder.open(work))


@pytest.fixture(scope="session")
def unplayed(mined: lobrest.Mined, inputs: tuple[Path, Path]) -> Exportable:
    """Flows as they were mined and completed."""
    return of_prepared(mined.prepared, str(inputs[0]))
