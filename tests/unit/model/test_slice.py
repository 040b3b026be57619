"""Slices."""

from __future__ import annotations

from tests.unit.enhance.world import FIX, PROJECT, forge

from lobrest.model.entry import Arguments, LogEntry, Place, UserId
from lobrest.model.operation import OperationId
from lobrest.model.slice import Slice, logged_entries


def test_a_slice_has_the_user_of_its_first_entry_and_everything_its_entries_involve():
    world = forge()
    piece = Slice(
        (
            world.entry("GET /projects/{id}", 1, path={"id": PROJECT}, user="ann"),
            world.entry("GET /projects/{id}/branches/{branch}", 2, path={"branch": FIX}, user="ann"),
        )
    )
    assert piece.user == "ann"
    assert piece.instances == {PROJECT, FIX}


def test_entries_of_all_slices_come_once_and_in_time_order():
    def entry(at: float, line: int | None) -> LogEntry:
        place = Place("log", line) if line is not None else None
        return LogEntry(at, OperationId("GET /x"), Arguments(), UserId("ann"), 200, source=place)

    early, late, invented = entry(1.0, 7), entry(2.0, 3), entry(0.0, None)
    assert logged_entries([Slice((late,)), Slice((early, late, invented))]) == [early, late]
