"""Which flows want further people, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from lobrest.fuzz.shortage import Shortage
from lobrest.model.operation import Json
from lobrest.model.summary import Summary
from lobrest.report.wording import count, one_line


def shortage_json(found: Shortage) -> dict[str, Json]:
    """The entry of the summary."""
    return {
        "credentials": found.credentials,
        "flows_not_played": found.flows,
        "people_needed": found.needed,
        "examples": [
            {
                "flow": list(one.operations[:40]),
                "people": one.people,
                "failed": one.failed,
                "said": one_line(one.said, 200),
            }
            for one in found.examples
        ],
    }


def shortage_lines(summary: Summary) -> Iterator[str]:
    """What a person is told, nothing where everybody was there."""
    found = summary.extra.get("people") or {}
    flows = found.get("flows_not_played", 0)
    if not flows:
        return
    yield (
        f"{count(flows, 'logged flow')} could not be played for want of people: they need up to "
        f"{found['people_needed']}, and there are {count(found['credentials'], 'credential')}; "
        "give --auth once a user"
    )
    for one in found["examples"][:3]:
        yield f"  {one_line(one['failed'], 100)}, in a flow of {one['people']} people: {one_line(one['said'], 120)}"
