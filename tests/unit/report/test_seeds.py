"""Seeds as a person reads them."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.enhance.world import APPROVE, PROJECT, REQUEST, World, forge, thing

from lobrest.enhance.people import People
from lobrest.model.entry import Arguments, UserId
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice
from lobrest.report.seeds import seed_lines


def listing(seed: Seed, world: World) -> list[str]:
    return [line.plain for line in seed_lines(seed, world.model, number=3)]


def approval(world: World, **people: object) -> Seed:
    entry = world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}, user="bo")
    return world.completer(people=People(**people)).complete(Slice((entry,)))


def line_with(lines: list[str], *words: str) -> str:
    found = [line for line in lines if all(word in line for word in words)]
    assert len(found) == 1, (words, lines)
    return found[0]


def test_the_heading_says_how_long_where_from_and_by_whom():
    world = forge()
    seed = approval(world, makers={PROJECT: UserId("ann")})
    heading = listing(seed, world)[0]
    assert heading.startswith(f"seed 3  {len(seed.steps)} steps, {len(seed.steps) - 1} added")
    assert "access.log:1" in heading and "ann" in heading and "bo" in heading and seed.id in heading


def test_what_was_added_says_why_and_for_which_steps():
    world = forge()
    lines = listing(approval(world), world)
    made = line_with(lines, "+ POST /projects  ", "makes /projects (15)")
    assert "for steps 2–" in made
    assert line_with(lines, "? GET", "finds /projects/{id}/branches")
    assert not [line for line in lines if APPROVE in line and "+" in line]


def test_values_say_which_answer_they_come_from_and_what_else_is_tried():
    world = forge()
    lines = listing(approval(world), world)
    assert line_with(lines, "iid ← answer of step", "/iid, else /id")
    assert any(line.strip() == "id ← answer of step 1 /id" for line in lines)
    assert line_with(lines, "source_branch ←")


def test_people_names_made_new_and_what_the_log_hides_are_told_apart():
    world = forge()
    world.resource("/projects", creators=("POST /projects",), identified_by="body/name")
    entry = world.entry("POST /projects", 1, body={"name": "billing"}, body_known=True)
    hidden = replace(entry, arguments=replace(entry.arguments, hidden=("body/secret",)))
    lines = listing(world.complete(hidden), world)
    assert line_with(lines, 'name ← "billing"', "of its own in every play")
    assert line_with(lines, "secret made up: the log hides it")
    unknown = replace(entry, arguments=Arguments(body_known=False))
    assert line_with(listing(world.complete(unknown), world), "body made up: the log keeps none")
    person = world.complete(
        world.entry("GET /users/{username}", 1, path={"username": thing("/users", "zoe")})
    )
    assert line_with(listing(person, world), "username ← whoever plays ann")


def test_what_could_not_be_completed_is_said():
    world = forge()
    seed = world.complete(world.entry("GET /licences/{key}", 1, path={"key": thing("/licences", "mit")}))
    lines = listing(seed, world)
    assert line_with(lines, "! /licences (mit): nothing creates it")
    assert line_with(lines, "key ← an item of the list in step 1 /key")


def test_an_operation_that_no_log_shows_says_so():
    world = forge()
    seed = world.complete(world.entry("GET /projects", logged=False), origin=Origin.AUGMENTED)
    lines = listing(seed, world)
    assert "no log shows" in lines[0]
    assert line_with(lines, "* GET /projects")


def test_hostile_values_stay_on_their_line():
    world = forge()
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "a\n\x1b[2J\u202eb"}, user="x\ny"))
    for line in listing(seed, world):
        assert "\n" not in line and "\x1b" not in line and "\u202e" not in line
