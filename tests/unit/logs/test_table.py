"""A read log."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.logs.forge import line, table, trail

from lobrest.logs.arguments import Detail
from lobrest.logs.columns import SEGMENT, pack
from lobrest.logs.table import Instances, PackedStore
from lobrest.model.resource import ResourceName


def test_instances_are_made_when_asked_for_and_only_once():
    held = Instances(
        (ResourceName("/a"), ResourceName("/a/b")),
        np.asarray([0, 1], np.int32),
        ["x", "y"],
        np.asarray([-1, 0], np.int32),
    )
    assert trail(held[1]) == "y@x"
    assert held[1] is held[-1]
    assert held[1].parent is held[0]
    assert [instance.value for instance in held] == ["x", "y"]
    assert [instance.value for instance in held[:1]] == ["x"]
    assert held.resource_name(1) == "/a/b"
    with pytest.raises(IndexError):
        held[2]


def test_packed_items_of_many_blocks_by_number():
    store = PackedStore()
    texts = [Detail(f"t{number}") for number in range(3 * SEGMENT)]
    firsts = [
        store.add(pack(texts[start:end]), end - start)
        for start, end in ((0, 700), (700, 701), (701, len(texts)))
    ]
    assert firsts == [0, 700, 701]
    for number in (0, 699, 700, 701, len(texts) - 1):
        assert store.get(number) == texts[number]
    assert store.size > 0


def test_entries_far_apart_can_be_looked_at_in_any_order():
    log = table(*(line("GET", f"/api/projects/{number}?page={number}", at=number) for number in range(1500)))
    for index in (1499, 0, 700, 3, 1200):
        entry = log.entry(index)
        assert entry.arguments.path == {"id": str(index)}
        assert entry.arguments.query == {"page": str(index)}
    assert log.memory > 0


def test_a_body_is_made_again_from_what_was_kept():
    log = table(
        line("POST", "/api/projects", 201, body={"name": "x", "size": 3}), line("GET", "/api/projects")
    )
    assert log.entry(0).arguments.body == {"name": "x", "size": 3}
    assert not log.entry(1).arguments.has_body
    assert log.entry(1).arguments.body_known
