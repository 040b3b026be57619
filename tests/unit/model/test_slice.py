"""Slices."""

from __future__ import annotations

from tests.unit.enhance.world import FIX, PROJECT, forge

from lobrest.model.slice import Slice


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
