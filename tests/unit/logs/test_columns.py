"""Packed items and counted drops."""

from __future__ import annotations

from lobrest.logs.arguments import Detail
from lobrest.logs.columns import PLACES, SEGMENT, Drop, pack, unpack


def test_items_come_back_from_their_segments():
    details = [Detail(f"/a/{number}", "b", 1, "c", (("x", "y"),)) for number in range(SEGMENT + 3)]
    segments = pack(details)
    assert len(segments) == 2
    assert [detail for segment in segments for detail in unpack(segment)] == details
    assert pack([]) == []


def test_a_drop_counts_all_and_remembers_a_few():
    drop = Drop()
    drop.add(list(range(20)))
    drop.add([99])
    assert drop.count == 21
    assert drop.lines == list(range(PLACES))
