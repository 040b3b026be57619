"""Where values come from at run time."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.enhance.world import APPROVE, BRANCHES, FIX, PROJECT, REQUEST, forge, ref, thing

from lobrest.enhance.sources import names_to_make, sources_of
from lobrest.model.resource import Source


def test_of_a_creation_the_answer_of_a_list_the_items():
    world = forge()
    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))
    wire = next(one for one in seed.wires if one.parameter == ref(APPROVE, "path/iid"))
    assert sources_of(wire, seed, world.model)
    assert all(one.source is not Source.LIST for one in sources_of(wire, seed, world.model))
    listed = world.complete(world.entry("GET /licences/{key}", 1, path={"key": thing("/licences", "mit")}))
    (wire,) = listed.wires
    assert {one.source for one in sources_of(wire, listed, world.model)} == {Source.LIST}


def test_what_depends_on_nothing_known_has_no_source():
    world = forge()
    seed = world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))
    (wire,) = seed.wires
    assert sources_of(replace(wire, parameter=ref("GET /nothing", "path/id")), seed, world.model) == ()


def test_names_are_made_new_where_nothing_around_them_is():
    world = forge()
    world.resource("/projects", creators=("POST /projects",), identified_by="body/name")
    entry = world.entry(f"GET {BRANCHES}/{{branch}}", 1, path={"id": PROJECT, "branch": FIX})
    seed = world.complete(entry)
    operations = [step.entry.operation for step in seed.steps]
    assert operations.index("POST /projects") == 0
    assert names_to_make(seed, world.model) == {(0, ref("POST /projects", "body/name"))}
    more = ref(f"POST {BRANCHES}", "body/colour")
    assert (operations.index(f"POST {BRANCHES}"), more) in names_to_make(seed, world.model, {more})
