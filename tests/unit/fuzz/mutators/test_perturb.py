"""Change, add or remove a parameter or body field."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.unit.enhance.world import PROJECT, TEXT, World, forge, thing
from tests.unit.fuzz.script import context_of, plan_of, play, player_of, sent

from lobrest.enhance.arrange import make_seed
from lobrest.fuzz.mutators.perturb import add_field, drop_field, late_step, perturb_value
from lobrest.model.exchange import Response
from lobrest.model.seed import Seed

MAKE = "POST /projects/{id}/notes"


@pytest.fixture
def world() -> World:
    world = forge()
    world.operation(
        MAKE, body={"text": TEXT, "to": TEXT, "loud": TEXT}, query={"page": TEXT}, required=("text",)
    )
    world.refers(MAKE, "path/id", "/projects")
    world.refers(MAKE, "body/to", "/projects")
    return world


@pytest.fixture
def seed(world: World) -> Seed:
    body = {"text": "hello", "to": PROJECT}
    return world.complete(world.entry(MAKE, 1, path={"id": PROJECT}, query={"page": "1"}, body=body))


def changed(seed: Seed, child: Seed) -> tuple[int, set[str]]:
    """Which step was broken, and which of its parameters."""
    (at,) = [at for at, step in enumerate(child.steps) if step.broken]
    old, new = seed.steps[at].entry.arguments, child.steps[at].entry.arguments
    found = set()
    for place in ("path", "query", "header"):
        left, right = getattr(old, place), getattr(new, place)
        found |= {name for name in {*left, *right} if left.get(name) != right.get(name)}
    left, right = old.body or {}, new.body or {}
    return at, found | {name for name in {*left, *right} if left.get(name) != right.get(name)}


def test_one_value_becomes_odd_and_its_wire_goes(world: World, seed: Seed):
    seen = Counter()
    for number in range(150):
        child = perturb_value(seed, context_of(world, number=number))
        at, names = changed(seed, child)
        assert len(names) <= 1
        seen.update(names)
        for name in names:
            assert not [one for one in child.wires if one.step == at and one.parameter.pointer == name]
    assert {"text", "page", "loud", "name"} <= set(seen)
    assert seen["text"] > seen["to"]


def test_the_odd_value_is_what_is_sent(world: World, seed: Seed):
    """A wire left in place would put a right value over it."""
    for number in range(60):
        child = perturb_value(seed, context_of(world, number=number, focus=len(seed.steps) - 1))
        wanted = child.steps[-1].entry.arguments
        _, asked = play(player_of(world), plan_of(world, child), lambda _: Response(200, (), b'{"id": 7}'))
        _, names = changed(seed, child)
        for name in names & set(wanted.body):
            assert sent(asked[-1])[name] == wanted.body[name]


def test_one_field_is_left_out(world: World, seed: Seed):
    dropped = set()
    for number in range(60):
        child = drop_field(seed, context_of(world, number=number))
        if child is None:
            continue
        at, names = changed(seed, child)
        dropped |= {(at, name) for name in names}
        assert child.steps[at].entry.arguments.path == seed.steps[at].entry.arguments.path
        assert not [one for one in child.wires if one.step == at and one.parameter.pointer in names]
    assert {(1, "text"), (1, "to"), (1, "page"), (0, "name")} <= dropped


def test_one_declared_field_is_added(world: World, seed: Seed):
    added = set()
    for number in range(60):
        child = add_field(seed, context_of(world, number=number))
        if child is None:
            continue
        at, names = changed(seed, child)
        added |= {(at, name) for name in names}
    assert added == {(1, "loud")}


def test_a_flow_without_parameters_is_left_alone():
    world = World()
    world.operation("GET /bare")
    seed = world.complete(world.entry("GET /bare", 1))
    for mutator in (perturb_value, drop_field, add_field):
        assert mutator(seed, context_of(world)) is None


def test_later_steps_are_broken_more_often(world: World, seed: Seed):
    context = context_of(world)
    counts = Counter(late_step(seed, context) for _ in range(400))
    assert counts[1] > counts[0] > 40
    assert late_step(seed, context_of(world, focus=0)) == 0


@pytest.mark.parametrize("mutator", [perturb_value, drop_field])
def test_the_id_of_the_child_is_that_of_its_content(world: World, seed: Seed, mutator):
    """Two children that send different things must not share an id."""
    for number in range(60):
        child = mutator(seed, context_of(world, number=number, focus=1))
        if child is not None:
            same = make_seed(
                child.steps, child.wires, child.source, child.origin, identities=child.identities
            )
            assert child.id == same.id


@pytest.mark.parametrize("mutator", [perturb_value, drop_field])
def test_a_name_of_a_person_that_was_broken_is_not_put_right_again(world: World, mutator):
    world.operation("GET /feeds", query={"of": TEXT})
    world.refers("GET /feeds", "query/of", "/users", "username")
    seed = world.complete(world.entry("GET /feeds", 1, query={"of": thing("/users", "zoe")}))
    assert seed.identities
    child = mutator(seed, context_of(world))
    assert child.identities == ()
