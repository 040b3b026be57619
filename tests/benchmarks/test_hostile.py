"""A few hundred requests of the hostile benchmark: every nastiness is met, counted, and survived."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from benchmarks.hostile import Tally, campaign, document
from tests.unit.transport.hostile_server import BEHAVIOURS, hostile_server

from lobrest.app.pipeline import Reading, prepare
from lobrest.store import Keep

KINDS = {
    "/closed": {"closed"},
    "/reset": {"closed"},
    "/too-short": {"closed"},
    "/silent": {"timeout"},
    "/one-byte": {"timeout"},
    "/not-http": {"protocol"},
    "/bad-chunk": {"protocol"},
    "/negative-length": {"protocol"},
    "/many-headers": {"protocol"},
    "/endless": {"200 cut"},
    "/bomb": {"200 cut"},
    "/nested-bomb": {"200 cut"},
    "/redirect-loop": {"302"},
    "/deep-json": {"200"},
    "/cut-json": {"200"},
    "/bad-charset": {"200"},
}


def test_every_nastiness_is_survived_and_counted(tmp_path: Path):
    known = dict(BEHAVIOURS)
    try:
        spec = tmp_path / "api.json"
        spec.write_text(json.dumps(document()))
        prepared = prepare(str(spec), [], Reading(), lambda _: None)
        arguments = argparse.Namespace(requests=250, concurrency=32, keep=Keep.BUGS, minutes=5.0)
        tally = Tally(arguments.requests)

        async def run() -> object:
            async with hostile_server() as server:
                return await campaign(prepared, server.url, tmp_path, arguments, tally)

        result, transport, _, _ = asyncio.run(run())
    finally:
        BEHAVIOURS.clear()
        BEHAVIOURS.update(known)
    assert result.reason == "the requests are spent"
    assert result.outages == []
    for path, kinds in KINDS.items():
        # On a machine that is busy anything may time out, too.
        assert set(tally.outcomes[path]) <= kinds | {"timeout"}, path
    assert set(result.failures) == {"closed", "protocol", "timeout"}
    assert sum(result.failures.values()) == sum(
        times
        for outcomes in tally.outcomes.values()
        for came, times in outcomes.items()
        if came in ("closed", "protocol", "timeout", "connect")
    )
    assert transport.counts["failure:protocol"] >= result.failures["protocol"]
