"""HAR of flows."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from haralyzer import HarParser

from lobrest.app.export import Exportable
from lobrest.export.har_suite import har_suite

STARTED = datetime(2026, 1, 5, 9, tzinfo=UTC)


def test_a_page_a_flow_opened_by_another_reader(played: Exportable):
    text = har_suite(played.flows, origin="http://127.0.0.1:1", started=STARTED, version="1")
    parser = HarParser(json.loads(text))
    assert [page.page_id for page in parser.pages] == [flow.name for flow in played.flows]
    assert [len(page.entries) for page in parser.pages] == [len(flow.steps) for flow in played.flows]
    assert "secret-of" not in text


def test_what_was_not_played_is_left_out(unplayed: Exportable):
    text = har_suite(unplayed.flows, origin="http://127.0.0.1:1", started=STARTED, version="1")
    assert json.loads(text)["log"]["entries"] == []
