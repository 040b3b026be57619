"""What can be exported of a campaign."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.export import shop

import lobrest
from lobrest.app.export import of_campaign
from lobrest.app.work import WorkFolder
from lobrest.errors import LobrestError

CLOSE = "POST /projects/{id}/issues/{issue_iid}/close"


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> lobrest.Mined:
    return lobrest.mine(*shop.written(tmp_path_factory.mktemp("shop")))


def test_flows_that_were_replayed_as_they_were_played(mined: lobrest.Mined, tmp_path: Path):
    with shop.running(first_id=41) as url:
        lobrest.Campaign(mined, url, shop.USERS, time="30s", max_requests=80, out=tmp_path / "work").run()
    known = of_campaign(WorkFolder.open(tmp_path / "work"))
    assert known.service == "Shop"
    assert known.origin == url
    assert {flow.operations[-1] for flow in known.flows} >= {CLOSE}
    assert all(flow.played for flow in known.flows)
    assert known.spec == mined.spec
    assert len(known.entries) == sum(len(piece.entries) for piece in mined.flows)


def test_where_nothing_was_replayed_the_mined_flows_are_given(mined: lobrest.Mined, tmp_path: Path):
    with shop.running(fault=True) as url:
        lobrest.Campaign(mined, url, shop.USERS[:1], time="30s", max_requests=1, out=tmp_path / "work").run()
    known = of_campaign(WorkFolder.open(tmp_path / "work"))
    assert known.flows
    assert not any(flow.played for flow in known.flows)


def test_what_is_no_work_folder_is_an_error(tmp_path: Path):
    with pytest.raises(LobrestError, match="no work folder"):
        of_campaign(WorkFolder.open(tmp_path))
