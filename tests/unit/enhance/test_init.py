"""Stage 3 as a whole."""

from __future__ import annotations

import random

from tests.unit.enhance.world import APPROVE, MERGE, PROJECT, REQUEST, World, forge, thing

from lobrest.enhance import enhanced
from lobrest.model.corpus import Corpus
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice


def seeds_of(world: World, *slices: Slice, reuse: bool = True, number: int = 0) -> list[Seed]:
    return enhanced(
        world.spec,
        world.model,
        Corpus(),
        slices,
        chance=random.Random(number),
        now=1_700_000_000.0,
        reuse=reuse,
    )


def test_every_operation_is_in_some_seed():
    world = forge()
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))
    seeds = seeds_of(world, piece)
    assert {step.entry.operation for seed in seeds for step in seed.steps} == set(world.spec.operations)
    assert seeds[0].origin is Origin.LOG
    assert {seed.origin for seed in seeds[1:]} == {Origin.AUGMENTED}
    assert len(seeds) == len(world.spec.operations)


def test_the_same_number_gives_the_same_seeds():
    def ids(number: int) -> list[str]:
        return [seed.id for seed in seeds_of(forge(), number=number)]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)


def test_customs_of_the_log_are_followed_unless_the_paper_is_asked_for():
    world = forge()
    slices = []
    for number in range(3):
        path = {"id": PROJECT, "iid": thing(REQUEST.resource, str(number), PROJECT)}
        opened = world.entry("POST /projects/{id}/merge_requests", number * 10, path={"id": PROJECT},
                             body={"title": "t"}, creates=path["iid"])  # fmt: skip
        approved = world.entry(APPROVE, number * 10 + 1, path=path, user="bo")
        merged = world.entry(MERGE, number * 10 + 2, path=path)
        slices.append(Slice((opened, approved, merged)))
    later = Slice((world.entry(MERGE, 99, path={"id": PROJECT, "iid": REQUEST}),))

    def shown(*, reuse: bool) -> list[str]:
        return [step.entry.operation for step in seeds_of(world, *slices, later, reuse=reuse)[3].steps]

    assert shown(reuse=True)[-2:] == [APPROVE, MERGE]
    assert APPROVE not in shown(reuse=False)
