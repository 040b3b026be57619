"""Flows as they were played, in HAR 1.2: a page a flow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from lobrest.export.flow import Flow
from lobrest.report.har import har


def har_suite(flows: Sequence[Flow], *, origin: str, started: datetime, version: str) -> str:
    """The document; flows that were not played have nothing to show and are left out."""
    played = [flow for flow in flows if flow.exchanges]
    exchanges = [exchange for flow in played for exchange in flow.exchanges]
    document = json.loads(har(exchanges, origin=origin, started=started, version=version))
    entries = document["log"]["entries"]
    pages = []
    position = 0
    for flow in played:
        own = entries[position : position + len(flow.exchanges)]
        position += len(flow.exchanges)
        for entry in own:
            entry["pageref"] = flow.name
        pages.append(
            {
                "startedDateTime": own[0]["startedDateTime"],
                "id": flow.name,
                "title": flow.title,
                "pageTimings": {},
            }
        )
    document["log"]["pages"] = pages
    return json.dumps(document, indent=1) + "\n"
