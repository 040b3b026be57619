"""What people do before an operation, read out of the log."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import (
    APPROVE,
    BRANCHES,
    MERGE,
    OPEN,
    PROJECT,
    REQUEST,
    REQUESTS,
    TEXT,
    World,
    forge,
    thing,
)

from lobrest.enhance.recipes import Recipe, RecipeBook, adapted, exchanged, mine_recipes, moved, pairs
from lobrest.model.entry import LogEntry
from lobrest.model.operation import OperationId
from lobrest.model.slice import Slice

MERGING = OperationId(MERGE)


@pytest.fixture
def world() -> World:
    return forge()


def mine(world: World, *entries: LogEntry) -> RecipeBook:
    return mine_recipes([Slice(entries)], world.spec, world.model)


def flow(world: World, number: int, *, approved: bool = True, status: int = 200) -> list[LogEntry]:
    request = thing(REQUESTS, str(number), PROJECT)
    path = {"id": PROJECT, "iid": request}
    at = number * 10.0
    entries = [world.entry(OPEN, at, path={"id": PROJECT}, body={"title": "t"}, creates=request)]
    if approved:
        entries.append(world.entry(APPROVE, at + 1, path=path, user="bo"))
    return [*entries, world.entry(MERGE, at + 2, path=path, status=status)]


def test_a_preparation_that_was_never_left_out_is_a_custom(world: World):
    book = mine(world, *flow(world, 1), *flow(world, 2))
    assert book.always[MERGING].signature == (APPROVE,)
    assert book.get(MERGING)[0].signature == (APPROVE,)


def test_one_case_is_no_custom(world: World):
    book = mine(world, *flow(world, 1))
    assert MERGING not in book.always
    assert book.get(MERGING)[0].signature == (APPROVE,)


def test_an_exception_ends_a_custom_and_leaves_the_recipe(world: World):
    book = mine(world, *flow(world, 1), *flow(world, 2), *flow(world, 3, approved=False))
    assert MERGING not in book.always
    assert book.get(MERGING)


def test_what_failed_teaches_nothing(world: World):
    book = mine(world, *flow(world, 1, status=500), *flow(world, 2, status=302))
    assert book.get(MERGING) == ()


def test_what_was_done_to_other_instances_or_later_is_no_preparation(world: World):
    other = {"id": PROJECT, "iid": thing(REQUESTS, "77", PROJECT)}
    entries = []
    for number in (1, 2):
        one = flow(world, number, approved=False)
        after = world.entry(APPROVE, number * 10 + 5, path=one[-1].arguments.path | {}, user="bo")
        entries += [*one, after, world.entry(APPROVE, number * 10 + 0.5, path=other, user="bo")]
    assert MERGING not in mine(world, *entries).always


def test_reads_and_creations_of_the_thing_itself_are_no_preparation(world: World):
    entries = []
    for number in (1, 2):
        opened, approved, merged = flow(world, number)
        read = world.entry(f"GET {REQUESTS}/{{iid}}", number * 10 + 1.5, path={
            "id": PROJECT, "iid": thing(REQUESTS, str(number), PROJECT)})  # fmt: skip
        entries += [opened, approved, read, merged]
    assert mine(world, *entries).always[MERGING].signature == (APPROVE,)


def test_two_users_make_one_recipe(world: World):
    """The approval is in another user's slice: the book reads all slices together."""
    one, two = flow(world, 1), flow(world, 2)
    theirs = Slice((one[1], two[1]))
    ours = Slice((one[0], one[2], two[0], two[2]))
    book = mine_recipes([theirs, ours], world.spec, world.model)
    assert book.always[MERGING].signature == (APPROVE,)


def test_a_recipe_is_adapted_to_other_instances_and_its_own_user(world: World):
    book = mine(world, *flow(world, 1), *flow(world, 2))
    project = thing("/projects", "900")
    request = thing(REQUESTS, "4", project)
    entry = world.entry(MERGE, 77, path={"id": project, "iid": request}, user="zoe")
    (approve,) = adapted(book.always[MERGING], entry)
    assert set(approve.uses.values()) == {project, request}
    assert approve.user == "bo"
    assert approve.source is None
    assert approve.at == 77


def test_steps_of_the_recipes_own_user_are_done_by_the_user_at_hand(world: World):
    path = {"id": PROJECT, "iid": REQUEST}
    entries = []
    for number in (1, 2):
        request = thing(REQUESTS, str(number), PROJECT)
        path = {"id": PROJECT, "iid": request}
        entries += [
            world.entry(OPEN, number * 10, path={"id": PROJECT}, body={"title": "t"}, creates=request),
            world.entry(APPROVE, number * 10 + 1, path=path, user="ann"),
            world.entry(MERGE, number * 10 + 2, path=path, user="ann"),
        ]
    recipe = mine(world, *entries).always[MERGING]
    (approve,) = adapted(recipe, world.entry(MERGE, 99, path=path, user="zoe"))
    assert approve.user == "zoe"


def test_pairs_go_up_while_the_parents_are_alike():
    ours = thing("/groups", "g")
    left = thing(REQUESTS, "1", thing("/projects", "15", thing("/orgs", "o")))
    right = thing(REQUESTS, "2", thing("/projects", "16", ours))
    assert pairs(left, right) == {left: right, left.parent: right.parent}


def test_an_entry_is_moved_with_everything_inside_what_moves(world: World):
    project = thing("/projects", "16")
    note = thing(f"{REQUESTS}/{{iid}}/notes", "7", REQUEST)
    entry = world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}, creates=note)
    there = moved(entry, {PROJECT: project})
    request = thing(REQUESTS, "3", project)
    assert set(there.uses.values()) == {project, request}
    assert there.creates == thing(f"{REQUESTS}/{{iid}}/notes", "7", request)


def test_what_a_recipe_makes_is_exchanged_too(world: World):
    theirs = thing(REQUESTS, "9", thing("/projects", "1"))
    recipe = Recipe((), world.entry(OPEN, 1, path={}, body={}, creates=theirs))
    made = world.entry(OPEN, 1, path={"id": PROJECT}, body={}, creates=REQUEST)
    assert exchanged(recipe, made) == {theirs: REQUEST, theirs.parent: PROJECT}


def test_of_two_like_preparations_the_later_is_taken_whatever_the_names(world: World):
    """Commits on both branches went before: which one is remembered must not depend on how names hash."""
    commit = "POST /projects/{id}/commits"
    world.operation(commit, body={"branch": TEXT}, required=("branch",))
    world.refers(commit, "path/id", "/projects")
    world.refers(commit, "body/branch", BRANCHES, "name")
    for number in range(25):
        source, target = thing(BRANCHES, f"fix{number}", PROJECT), thing(BRANCHES, f"main{number}", PROJECT)
        entries = [
            world.entry(commit, 1, path={"id": PROJECT}, body={"branch": source}),
            world.entry(commit, 2, path={"id": PROJECT}, body={"branch": target}),
            world.entry(
                OPEN,
                3,
                path={"id": PROJECT},
                body={"source_branch": source, "target_branch": target},
                creates=REQUEST,
            ),
        ]
        (recipe,) = mine(world, *entries).get(OperationId(OPEN))
        assert [one.at for one in recipe.before] == [2]
