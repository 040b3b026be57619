"""All that moves in a campaign, as one value."""

from __future__ import annotations

import random

from lobrest.fuzz.state import EngineState


def test_two_states_share_nothing() -> None:
    """What one campaign learns is not another's."""
    one, other = EngineState(random.Random(1)), EngineState(random.Random(1))
    one.queue.append(1)
    one.knowledge.unique.add("anything")  # type: ignore[arg-type]
    assert other.queue == []
    assert other.knowledge.unique == set()
