"""A bug that was recorded on one instance of the tracker, and further instances."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from tests.unit.report.tracker import Running, Start, Tracker, record, serve

from lobrest.model.bug import Bug, BugKey
from lobrest.model.exchange import Exchange, Request
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts trackers that end with the test."""
    servers = []

    def started(*, first_id: int, fault: bool) -> Running:
        server, running = serve(Tracker(first_id, fault))
        servers.append(server)
        return running

    yield started
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def bug(start: Start) -> Bug:
    """The tracker's bug as a campaign would have recorded it, on an instance whose ids begin at 41."""
    running = start(first_id=41, fault=True)
    exchanges: list[Exchange] = []

    def step(operation: str, target: str, body: object, actor: str) -> Exchange:
        content = json.dumps(body, ensure_ascii=False).encode()
        request = Request(
            OperationId(operation),
            operation.split()[0],
            target,
            (("Content-Type", "application/json"), ("Authorization", "Bearer leaked"), ("X-Trace", "")),
            content,
            actor,
        )
        exchanges.append(record(running, request))
        return exchanges[-1]

    created = step(
        "POST /projects", "/api/projects", {"name": "shop-8f3a12", "password": "hunter2hunter2"}, "alice"
    )
    project = json.loads(created.response.body)["id"] if created.response else 0
    made = step("POST /projects/{id}/issues", f"/api/projects/{project}/issues", {"title": "broken"}, "bob")
    location = made.response.header("location") if made.response else None
    found = re.search(r"issues/(\d+)", location or "")
    issue = found[1] if found else ""
    for _ in range(2):
        step(
            "POST /projects/{id}/issues/{issue_iid}/close",
            f"/api/projects/{project}/issues/{issue}/close?notify=true",
            {"project_id": project, "reason": "it's “done”", "rating": 41},
            "alice",
        )
    assert [exchange.status for exchange in exchanges] == [201, 201, 200, 500]
    operation = exchanges[-1].request.operation
    return Bug(
        number=3,
        key=BugKey(operation, 500, "KeyError: 'closed_by'"),
        message="KeyError: 'closed_by'",
        first_seen_s=12.5,
        exchanges=tuple(exchanges),
        seed=SeedId("0a1b"),
        confirmed=True,
    )
