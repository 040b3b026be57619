"""A finished campaign as a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.services.serving import access_line, serving
from tests.services.test_order import PATHS, Projects, lines

from lobrest.app.campaign import Budget
from lobrest.app.outline import OUTLINE
from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.reporting import report_data, write_report
from lobrest.app.session import Order, run_session
from lobrest.app.work import WorkFolder
from lobrest.report.data import ReportData
from lobrest.store import open_store
from lobrest.store.codec import unpack
from lobrest.transport import read_credentials


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "api.json"
    file.write_text(
        json.dumps({"openapi": "3.1.0", "info": {"title": "<b>Tiny</b>", "version": "1"}, "paths": PATHS})
    )
    return str(file)


def prepared(spec: str, tmp_path: Path, *, logs: bool) -> Prepared:
    file = tmp_path / "access.log"
    file.write_text("".join([*lines(), access_line(9, "ann", "GET", "/elsewhere")]))
    return prepare(spec, [str(file)] if logs else [], Reading(), lambda _: None)


@pytest.mark.parametrize("logs", [True, False])
def test_the_report_is_one_page_of_what_happened(spec: str, tmp_path: Path, logs: bool):
    material = prepared(spec, tmp_path, logs=logs)
    folder = WorkFolder.create(tmp_path / "w", stem="x")
    with serving(Projects()) as url:
        credentials = read_credentials(["ann:one", "bo:two"], environment={})
        outcome = run_session(material, Order(url, credentials, Budget(30.0, 60)), folder)
    data = report_data(material, outcome, folder, target=url)
    assert data.summary == outcome.summary
    assert (data.logs is None) is (not logs)
    assert (data.flows is None) is (not logs)
    page = write_report(data, folder).read_text()
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "<b>Tiny</b>" not in page
    assert "/projects/{id}/changes" in page
    store = open_store(folder.path, create=False, readonly=True)
    kept = store.state(OUTLINE)
    store.close()
    assert kept is not None
    assert unpack(ReportData, kept).summary == data.summary
