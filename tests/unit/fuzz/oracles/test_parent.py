"""Reached through the wrong parent."""

from __future__ import annotations

from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, base, probed, world
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.oracles.parent import CROSS, OTHER, RIGHT, ParentOracle
from lobrest.model.bug import BugKind


def test_a_note_shown_by_another_project_is_found():
    made = world()
    oracle = ParentOracle(made.spec, made.model)
    (found,) = probed(made, oracle, f"GET {NOTE}", Little(frozenset({"any-parent"})))
    assert found.key.kind is BugKind.WRONG_PARENT
    assert found.check.same_as in found.needs


def test_a_service_that_looks_at_the_parent_is_right():
    made = world()
    assert probed(made, ParentOracle(made.spec, made.model), f"GET {NOTE}", Little()) == []


def test_the_other_parent_has_another_name_and_is_used_once():
    made = world()
    seed = ParentOracle(made.spec, made.model).probe(base(made, f"GET {NOTE}"), context_of(made))
    assert seed is not None
    at = {step.reason: index for index, step in enumerate(seed.steps)}
    first = next(step for step in seed.steps if step.entry.operation == "POST /projects")
    assert seed.steps[at[OTHER]].entry.arguments.body != first.entry.arguments.body
    through = {wire.step: wire.producer for wire in seed.wires if wire.parameter.pointer == "id"}
    assert through[at[CROSS]] == at[OTHER] != through[at[RIGHT]]
    note = {wire.step: wire.producer for wire in seed.wires if wire.parameter.pointer == "note_id"}
    assert note[at[CROSS]] == note[at[RIGHT]]


def test_only_reads_of_things_in_things_are_probed():
    made = world()
    oracle = ParentOracle(made.spec, made.model)
    for operation in ("GET /projects/{id}", f"PUT {NOTE}", f"GET {NOTES}"):
        assert oracle.probe(base(made, operation), context_of(made)) is None
