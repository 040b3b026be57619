"""The planted faults of the demo are found: a floor, over several seeds, within a fixed number of requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.demo import DemoProcess
from lobrest.model.summary import Summary
from lobrest.transport import read_credentials

REQUESTS = 1500


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    with pytest.MonkeyPatch.context() as patch, DemoProcess() as demo:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        logs = [str(one) for one in demo.logs if "json" in one.name]
        return prepare(demo.spec, logs, Reading(), lambda _: None)


def summary_of(prepared: Prepared, number: int) -> Summary:
    with DemoProcess() as demo:
        order = Order(
            target=demo.url,
            credentials=read_credentials([str(Path(demo.auth))], environment={}),
            budget=Budget(120.0, REQUESTS),
            random_seed=number,
        )
        return run_session(prepared, order, None).summary


def test_faults_are_found_and_most_operations_reached(mined: Prepared):
    found = set()
    for number in (1, 3):
        summary = summary_of(mined, number)
        assert summary.requests <= REQUESTS
        assert summary.operations.covered >= 0.85 * summary.operations.total
        assert summary.flows.replayed >= 5
        found |= {(bug.op, bug.status) for bug in summary.bugs}
    assert found
