"""Flows played once each."""

from __future__ import annotations

import pytest
from tests.unit.export import shop

import lobrest
from lobrest.app.flow_results import flow_names


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> lobrest.Mined:
    return lobrest.mine(*shop.written(tmp_path_factory.mktemp("shop")))


def test_every_flow_has_a_result_in_its_order(mined: lobrest.Mined):
    with shop.running(first_id=300) as url:
        results = lobrest.Campaign(mined, url, shop.USERS).replay()
    assert [one.flow for one in results] == list(mined.flows)
    assert [one.name for one in results] == list(mined.names)
    assert all(one.ok for one in results), "\n".join(map(str, results))


def test_only_those_that_are_asked_for_are_played(mined: lobrest.Mined):
    with shop.running(first_id=300) as url:
        (result,) = lobrest.Campaign(mined, url, shop.USERS).replay([1])
    assert result.flow == mined.flows[1]
    sent = [step.operation for step in result.steps if not step.added]
    assert sent == [entry.operation for entry in mined.flows[1].entries]


def test_a_flow_that_breaks_says_where(mined: lobrest.Mined):
    with shop.running(first_id=300, fault=True) as url:
        results = lobrest.Campaign(mined, url, shop.USERS).replay()
    broken = [one for one in results if not one.ok]
    assert 0 < len(broken) < len(results)
    for one in broken:
        assert "! 5. POST /projects/{id}/issues/{issue_iid}/close as ann → 500  boom" in str(one)


def test_names_tell_flows_apart(mined: lobrest.Mined):
    assert len(set(mined.names)) == len(mined.names)
    assert mined.names[0].endswith("(access:1)")
    twice = flow_names([mined.flows[0], mined.flows[0]])
    assert twice[1] == f"{twice[0]} #2"
