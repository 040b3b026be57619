"""Packed items and counted drops."""

from __future__ import annotations

from lobrest.logs.arguments import Detail
from lobrest.logs.columns import PLACES, SEGMENT, CreationSeen, Drop, pack, unpack


def test_items_come_back_from_their_segments():
    texts = [f"/a/{number}" for number in range(SEGMENT + 3)]
    segments = pack(texts)
    assert len(segments) == 2
    assert [text for segment in segments for text in unpack(segment, str)] == texts
    details = [Detail("/a", "b", 1, "c", (("x", "y"),))]
    assert unpack(pack(details)[0], Detail) == details
    assert pack([]) == []


def test_a_drop_counts_all_and_remembers_a_few():
    drop = Drop()
    drop.add(list(range(20)))
    drop.add([99])
    assert drop.count == 21
    assert drop.lines == list(range(PLACES))


def test_the_same_creation_again():
    seen = CreationSeen(1, 2, 3, True, ("a",), ("b",), ("c",))
    again = seen.again(9)
    assert (again.row, again.names, again.scope_open) == (9, ("a",), True)
    assert seen.row == 1
