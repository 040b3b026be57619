"""What is known before the first request, kept for whoever looks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.app.test_reporting import prepared, spec  # noqa: F401 (a fixture)
from tests.unit.report.campaign import campaign

from lobrest.app.outline import OUTLINE, document_line, keep_outline, log_reading, opening
from lobrest.model.operation import OperationId
from lobrest.report.data import ReportData
from lobrest.store import MemoryStore
from lobrest.store.codec import unpack


def test_what_was_read_and_dropped(spec: str, tmp_path: Path):  # noqa: F811
    told = log_reading(prepared(spec, tmp_path, logs=True))
    assert told is not None
    (file,) = told.files
    assert (file.name, file.lines, file.kept) == ("access.log", 13, 12)
    (dropped,) = told.dropped
    assert dropped.count == 1
    assert told.users == 2
    assert log_reading(prepared(spec, tmp_path, logs=False)) is None


@pytest.mark.parametrize("logs", [True, False])
def test_the_opening_shows_everything_but_what_is_still_to_come(spec: str, tmp_path: Path, logs: bool):  # noqa: F811
    ready = prepared(spec, tmp_path, logs=logs)
    some = next(iter(ready.spec.operations))
    data = opening(
        ready, target="http://h", folder=tmp_path, profile="default", seed=3, started="2026-01-02T03:04:05",
        flows=7, budget_s=60.0, actors=("ann", "ben"), held_back={OperationId(some): "ends the party"},
    )  # fmt: skip
    assert data.summary.operations.total == len(ready.spec.operations)
    assert sum(module.total for module in data.summary.modules) == len(ready.spec.operations)
    assert (data.summary.requests, data.summary.flows.total) == (0, 7)
    assert data.summary.extra == {
        "held_back": {some: "ends the party"}, "actors": ["ann", "ben"], "budget_s": 60.0,
    }  # fmt: skip
    assert (data.logs is not None, data.flows is not None) == (logs, logs)
    assert data.spec == document_line(ready.spec)
    assert Path(data.folder).is_absolute()


def test_it_comes_back_as_it_was_kept():
    data = replace(campaign(), bugs=())
    store = MemoryStore()
    keep_outline(store, data)
    kept = store.state(OUTLINE)
    assert kept is not None
    assert unpack(ReportData, kept) == data
