"""Which flows are played first."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, MERGE, OPEN, PROJECT, REQUEST, World, forge

from lobrest.fuzz.opening import in_playing_order, interleaved
from lobrest.fuzz.pool import PoolItem
from lobrest.model.seed import Origin
from lobrest.model.slice import Slice


def flow(world: World, *operations: str) -> Slice:
    path = {"id": PROJECT, "iid": REQUEST}
    return Slice(tuple(world.entry(one, at, path=path) for at, one in enumerate(operations)))


def test_flows_that_show_something_new_come_first_and_long_ones_before_short_ones():
    world = forge()
    short, long, again = flow(world, MERGE), flow(world, OPEN, APPROVE), flow(world, APPROVE)
    assert in_playing_order([again, short, long]) == ([long, short], [again])


def test_what_needs_nothing_comes_before_everything():
    world = forge()
    cheap = Slice((world.entry("GET /projects", 1),))
    leading, _ = in_playing_order([flow(world, OPEN, APPROVE), cheap])
    assert leading[0] == cheap


def test_two_lists_are_mixed_evenly_and_keep_their_order():
    world = forge()
    many = [PoolItem(flow(world, OPEN), Origin.LOG) for _ in range(4)]
    few = [PoolItem(flow(world, MERGE), Origin.AUGMENTED) for _ in range(2)]
    mixed = interleaved(many, few)
    assert [one for one in mixed if one.origin is Origin.LOG] == many
    assert [one.origin for one in mixed].index(Origin.AUGMENTED) in (1, 2)
    assert interleaved([], few) == few
