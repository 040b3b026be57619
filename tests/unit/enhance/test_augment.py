"""Slices for what no log shows."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, forge

from lobrest.enhance.augment import SOMEBODY, augment, invented_entry
from lobrest.model.operation import OperationId


def test_each_operation_outside_the_log_gets_a_slice_of_one_entry_in_document_order():
    world = forge()
    shown = {OperationId("POST /projects"), OperationId(APPROVE)}
    slices = augment(world.spec, shown, world.values())
    assert [len(piece.entries) for piece in slices] == [1] * len(slices)
    made = [piece.entries[0].operation for piece in slices]
    assert made == [one for one in world.spec.operations if one not in shown]


def test_nothing_is_left_to_add_when_the_log_shows_everything():
    world = forge()
    assert augment(world.spec, world.spec.operations, world.values()) == []


def test_an_invented_entry_has_what_the_document_requires_and_no_source():
    world = forge()
    entry = invented_entry(OperationId("POST /projects/{id}/branches"), world.values())
    assert entry.source is None
    assert entry.status == 0
    assert entry.user == SOMEBODY
    assert set(entry.arguments.body) >= {"branch", "ref"}
    assert entry.arguments.path["id"]
    assert not entry.uses
