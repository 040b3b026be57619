"""Another combination of parameters that once gave 2XX."""

from __future__ import annotations

from tests.unit.enhance.world import FIX, MAIN, OPEN, PROJECT, REQUEST, forge, ref
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.mutators.combination import swap_combination
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import OperationId


def test_everything_but_what_is_bound_comes_from_another_request():
    world = forge()
    corpus = Corpus(
        examples={
            OperationId(OPEN): tuple(
                Arguments(
                    path={"id": "1"},
                    body={"source_branch": "s", "title": title, "extra": True},
                    has_body=True,
                )
                for title in ("one", "two")
            )
        }
    )
    body = {"source_branch": FIX, "target_branch": MAIN, "title": "mine"}
    seed = world.complete(world.entry(OPEN, 1, path={"id": PROJECT}, body=body, creates=REQUEST))
    titles = set()
    for number in range(20):
        child = swap_combination(seed, context_of(world, corpus=corpus, number=number))
        assert child is not None
        last = child.steps[-1].entry.arguments
        titles.add(last.body["title"])
        assert last.body["extra"] is True
        assert last.get(ref(OPEN, "body/source_branch")) == "fix"
        assert last.path == {"id": "15"}
        assert child.wires == seed.wires
        assert child.mutations == ("combination",)
    assert titles == {"one", "two"}


def test_one_known_request_is_no_choice():
    world = forge()
    corpus = Corpus(examples={OperationId("POST /projects"): (Arguments(),)})
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "p"}))
    assert swap_combination(seed, context_of(world, corpus=corpus)) is None
