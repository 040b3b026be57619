"""The kernel's parts: links to the next use, and the set of waiting entries."""

from __future__ import annotations

import random

import pytest

from lobrest.slicing import kernel
from lobrest.slicing.locality import _LOWEST_BIT, _tree_levels


def test_links_point_to_the_next_use_by_the_same_user():
    following = [0] * 7
    kernel.link([0, 3, 4], [0, 2, 3, 5, 7], [0, 1, 1, 0, 1, 0, 1], [-1, -1], following)
    assert following == [2, 1, 2, -1, -1, -1, -1]


def test_an_instance_named_twice_by_an_entry_links_once():
    following = [0] * 3
    kernel.link([0, 2], [0, 2, 3], [0, 0, 0], [-1], following)
    assert sorted(following) == [-1, -1, 1]


def test_a_negative_id_links_nothing():
    following = [0] * 2
    kernel.link([0, 2], [0, 1, 2], [-1, -1], [], following)
    assert following == [-1, -1]


@pytest.mark.parametrize("size", [1, 31, 32, 33, 1023, 1024, 1025, 40_000])
def test_the_set_of_entries_behaves_like_a_set(size: int):
    chance = random.Random(size)
    levels, words = _tree_levels(size)
    waiting, begins, lowest_bit = [0] * words, levels.tolist(), _LOWEST_BIT.tolist()
    reference: set[int] = set()
    for _ in range(600):
        entry = chance.randrange(size)
        if chance.random() < 0.6:
            kernel.include(entry, waiting, begins)
            reference.add(entry)
        else:
            kernel.exclude(entry, waiting, begins)
            reference.discard(entry)
        probe = chance.randrange(size)
        wanted = min((later for later in reference if later > probe), default=-1)
        assert kernel.next_after(probe, waiting, begins, lowest_bit) == wanted
    for entry in reference:
        kernel.exclude(entry, waiting, begins)
    assert not any(waiting)
