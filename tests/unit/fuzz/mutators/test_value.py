"""One value becomes another that the corpus or the document has."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, TEXT, World, ref
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.value import swap_value
from lobrest.model.corpus import Corpus

MAKE = "POST /notes/{id}"


def world_of() -> World:
    world = World()
    world.operation(MAKE, body={"state": {"enum": ["open", "shut"]}, "text": TEXT, "to": TEXT})
    world.refers(MAKE, "path/id", "/projects")
    world.refers(MAKE, "body/to", "/projects")
    world.resource("/projects")
    return world


def test_values_come_from_the_corpus_and_the_enumeration_and_are_others():
    world = world_of()
    corpus = Corpus(values={ref(MAKE, "body/text"): ("a", "b"), ref(MAKE, "body/to"): ("never",)})
    body = {"state": "open", "text": "a", "to": PROJECT}
    seed = world.complete(world.entry(MAKE, 1, path={"id": PROJECT}, body=body))
    seen = set()
    for number in range(40):
        child = swap_value(seed, context_of(world, corpus=corpus, number=number))
        assert child is not None
        now = child.steps[-1].entry.arguments.body
        assert now["to"] == "15"
        changed = {name for name in now if now[name] != seed.steps[-1].entry.arguments.body[name]}
        assert len(changed) == 1
        seen.add((changed.copy().pop(), now[changed.pop()]))
        assert not child.steps[-1].broken
    assert seen == {("state", "shut"), ("text", "b")}


def test_without_other_values_nothing_is_swapped():
    world = World()
    world.operation("GET /plain/{id}")
    seed = world.complete(world.entry("GET /plain/{id}", 1, path={"id": "1"}))
    assert swap_value(seed, context_of(world)) is None
