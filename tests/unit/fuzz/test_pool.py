"""Seeds and their energy."""

from __future__ import annotations

import random
from collections import Counter

from tests.unit.enhance.world import PROJECT, forge

from lobrest.fuzz.pool import _LARGEST, PoolItem, SeedPool
from lobrest.model.seed import Origin

WORLD = forge()
SEED = WORLD.complete(WORLD.entry("GET /projects/{id}", 1, path={"id": PROJECT}))


def item(*, child: bool = False, **figures: float) -> PoolItem:
    made = PoolItem(SEED.source, Origin.LOG, SEED if child else None)
    for name, value in figures.items():
        setattr(made, name, value)
    return made


def test_energy_grows_with_what_is_found_and_falls_with_plays():
    assert item(gain=5.0).energy > item(gain=1.0).energy
    assert item(plays=9).energy < item(plays=1).energy
    assert item(good_share=1.0).energy > item(good_share=0.1).energy


def test_better_seeds_are_chosen_more_often_and_weak_ones_sometimes():
    pool = SeedPool()
    weak = [pool.add(item(plays=50)) for _ in range(20)]
    strong = pool.add(item(gain=40.0, good_share=1.0))
    chance = random.Random(1)
    chosen = Counter(pool.choose(chance) for _ in range(500))
    assert chosen[strong] > 60
    assert sum(chosen[one] for one in weak) > 100


def test_a_full_pool_gives_the_place_of_its_weakest_child_away():
    pool = SeedPool()
    first = pool.add(item())
    weakest = pool.add(item(child=True, plays=500))
    for _ in range(_LARGEST - 1):
        pool.add(item(child=True, gain=1.0))
    assert pool.add(item(child=True, gain=2.0)) == weakest
    assert pool.items[first].seed is None


def test_a_large_log_leaves_room_for_children():
    """Thousands of slices must not mean that only one child is ever kept."""
    pool = SeedPool()
    for _ in range(_LARGEST + 10):
        pool.add(item())
    places = {pool.add(item(child=True, gain=1.0)) for _ in range(25)}
    assert len(places) == 25
    assert sum(one.seed is not None for one in pool.items) == 25
