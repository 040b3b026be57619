"""RCSC on small services: who is made, where, in which order, by whom, and what is wired to it."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import (
    APPROVE,
    BRANCHES,
    FIX,
    MAIN,
    MERGE,
    OPEN,
    PROJECT,
    REQUEST,
    REQUESTS,
    TEXT,
    World,
    forge,
    ref,
    thing,
)

from lobrest.enhance.arrange import make_seed
from lobrest.enhance.complete import COLLEAGUE
from lobrest.enhance.people import People
from lobrest.enhance.recipes import Recipe
from lobrest.enhance.sources import sources_of
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments, UserId
from lobrest.model.operation import OperationId
from lobrest.model.resource import Binding, Dependency, ResourceName, Source
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice


def operations(seed: Seed) -> list[str]:
    return [step.entry.operation for step in seed.steps]


def producer(seed: Seed, step: int, place: str) -> int:
    """The step that gives a parameter of another its value."""
    location, _, name = place.partition("/")
    found = [
        wire.producer
        for wire in seed.wires
        if wire.step == step and (wire.parameter.location, wire.parameter.pointer) == (location, name)
    ]
    assert len(found) == 1, (step, place, seed.wires)
    return found[0]


@pytest.fixture
def world() -> World:
    return forge()


def open_request(world: World, **more: object):
    body = {"source_branch": FIX, "target_branch": MAIN, "title": "t", **more}
    return world.entry(OPEN, 1, path={"id": PROJECT}, body=body, creates=REQUEST)


def test_source_and_target_branch_are_two_creations_in_one_project(world: World):
    seed = world.complete(open_request(world))
    at = len(seed.steps) - 1
    source, target = producer(seed, at, "body/source_branch"), producer(seed, at, "body/target_branch")
    project = producer(seed, at, "path/id")
    assert source != target
    assert seed.steps[source].entry.creates == FIX
    assert seed.steps[target].entry.creates == MAIN
    assert operations(seed)[source] == operations(seed)[target] == f"POST {BRANCHES}"
    assert producer(seed, source, "path/id") == producer(seed, target, "path/id") == project


def test_an_instance_is_created_once_however_often_it_is_used(world: World):
    seed = world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry(f"GET {BRANCHES}/{{branch}}", 2, path={"id": PROJECT, "branch": FIX}),
        world.entry("GET /projects/{id}", 3, path={"id": PROJECT}),
    )
    assert operations(seed).count("POST /projects") == 1
    assert {producer(seed, at, "path/id") for at in range(1, len(seed.steps))} == {0}


def test_equal_numbers_in_different_parents_are_different_things(world: World):
    other = thing("/projects", "16")
    seed = world.complete(
        world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}),
        world.entry(APPROVE, 2, path={"id": other, "iid": thing(REQUESTS, "3", other)}),
    )
    last = len(seed.steps) - 1
    assert operations(seed).count("POST /projects") == 2
    assert operations(seed).count(OPEN) == 2
    assert producer(seed, last - 1, "path/iid") != producer(seed, last, "path/iid")
    assert producer(seed, producer(seed, last, "path/iid"), "path/id") == producer(seed, last, "path/id")


def test_parents_come_before_their_children(world: World):
    """Also where the log uses the child first and names the parent only inside it."""
    deep = thing("/projects/{id}/merge_requests/{iid}/notes", "7", REQUEST)
    notes = "/projects/{id}/merge_requests/{iid}/notes"
    world.operation(f"POST {notes}", body={"text": TEXT}, required=("text",))
    world.operation(f"DELETE {notes}/{{note}}")
    world.resource(notes, parent=REQUESTS, creators=(f"POST {notes}",))
    for operation in (f"POST {notes}", f"DELETE {notes}/{{note}}"):
        world.refers(operation, "path/id", "/projects")
        world.refers(operation, "path/iid", REQUESTS, "iid")
    world.refers(f"DELETE {notes}/{{note}}", "path/note", notes)
    seed = world.complete(world.entry(f"DELETE {notes}/{{note}}", 1, path={"note": deep}))
    created = [step.entry.creates for step in seed.steps]
    assert created.index(PROJECT) < created.index(REQUEST) < created.index(deep)


def test_all_parents_come_before_any_child(world: World):
    """By depth, as the paper has it: also a parent that has nothing to do with the child."""
    other = thing("/projects", "16")
    seed = world.complete(
        world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}),
        world.entry("GET /projects/{id}", 2, path={"id": other}),
    )
    created = [step.entry.creates for step in seed.steps]
    assert created.index(PROJECT) < created.index(other) < created.index(REQUEST)


def test_a_parent_comes_first_even_where_the_childs_creation_does_not_name_it(world: World):
    world.operation("POST /rooms", body={"name": TEXT})
    world.operation("POST /desks", body={"name": TEXT})
    world.operation("GET /desks/{desk}")
    world.resource("/rooms", creators=("POST /rooms",))
    world.resource("/desks", parent="/rooms", creators=("POST /desks",))
    world.refers("GET /desks/{desk}", "path/desk", "/desks")
    desk = thing("/desks", "d", thing("/rooms", "r"))
    seed = world.complete(world.entry("GET /desks/{desk}", 1, path={"desk": desk}))
    assert operations(seed) == ["POST /rooms", "POST /desks", "GET /desks/{desk}"]


def test_creations_stand_before_the_slice_and_say_why(world: World):
    other = thing("/projects", "16")
    seed = world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry("GET /projects/{id}", 2, path={"id": other}),
    )
    assert [step.origin for step in seed.steps] == [Origin.CREATION] * 2 + [Origin.LOG] * 2
    assert [step.reason for step in seed.steps[:2]] == ["makes /projects (15)", "makes /projects (16)"]
    assert seed.steps[0].entry.source is None
    assert seed.steps[0].entry.at == 1


def test_what_the_slice_creates_itself_is_not_created_again(world: World):
    seed = world.complete(
        world.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT),
        world.entry("GET /projects/{id}", 2, path={"id": PROJECT}),
    )
    assert operations(seed) == ["POST /projects", "GET /projects/{id}"]
    assert seed.steps[0].origin is Origin.LOG
    assert producer(seed, 1, "path/id") == 0


def test_a_creation_after_the_first_use_does_not_serve_that_use(world: World):
    seed = world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry("POST /projects", 2, body={"name": "p"}, creates=PROJECT),
        world.entry("GET /projects/{id}", 3, path={"id": PROJECT}),
    )
    assert operations(seed) == [
        "POST /projects",
        "GET /projects/{id}",
        "POST /projects",
        "GET /projects/{id}",
    ]
    assert producer(seed, 1, "path/id") == 0
    assert producer(seed, 3, "path/id") == 0, "the same instance has the same creation to the end"


def test_the_paper_creates_even_what_the_slice_creates(world: World):
    entries = (
        world.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT),
        world.entry("GET /projects/{id}", 2, path={"id": PROJECT}),
    )
    seed = world.complete(*entries, reuse=False)
    assert operations(seed) == ["POST /projects", "POST /projects", "GET /projects/{id}"]
    assert producer(seed, 2, "path/id") == 0


def test_a_creation_that_needs_its_own_kind_begins_with_one_that_is_there(world: World):
    """A branch is made from a branch: the first comes with the project, so it is listed."""
    seed = world.complete(world.entry(f"GET {BRANCHES}/{{branch}}", 1, path={"id": PROJECT, "branch": FIX}))
    assert operations(seed) == [
        "POST /projects",
        f"GET {BRANCHES}",
        f"POST {BRANCHES}",
        f"GET {BRANCHES}/{{branch}}",
    ]
    assert seed.steps[1].origin is Origin.LISTING
    assert producer(seed, 2, "body/ref") == 1


def test_two_creations_that_need_each_other_end(world: World):
    world.operation("POST /eggs", body={"hen": TEXT}, required=("hen",))
    world.operation("POST /hens", body={"egg": TEXT}, required=("egg",))
    world.operation("GET /eggs/{egg}")
    world.resource("/eggs", creators=("POST /eggs",))
    world.resource("/hens", creators=("POST /hens",))
    world.refers("POST /eggs", "body/hen", "/hens")
    world.refers("POST /hens", "body/egg", "/eggs")
    world.refers("GET /eggs/{egg}", "path/egg", "/eggs")
    egg = thing("/eggs", "e1")
    seed = world.complete(world.entry("GET /eggs/{egg}", 1, path={"egg": egg}))
    assert operations(seed)[-2:] == ["POST /eggs", "GET /eggs/{egg}"]
    assert len(seed.steps) <= 4
    assert any("/eggs" in note and "kept" in note for note in seed.notes)


def test_a_deep_chain_of_needs_stops_somewhere(world: World):
    """Hundreds of resources, each needing the next: too many creations, and the seed says so."""
    for number in range(400):
        world.operation(f"POST /r{number}", body={"next": TEXT}, required=("next",))
        world.resource(f"/r{number}", creators=(f"POST /r{number}",))
        world.refers(f"POST /r{number}", "body/next", f"/r{(number + 1)}")
    world.operation("GET /r0/{id}")
    world.refers("GET /r0/{id}", "path/id", "/r0")
    seed = world.complete(world.entry("GET /r0/{id}", 1, path={"id": thing("/r0", "x")}))
    assert len(seed.steps) <= 60
    assert any("too many creations" in note for note in seed.notes)
    for wire in seed.wires:
        assert wire.producer < wire.step


def test_what_nothing_creates_is_listed_right_before_its_use(world: World):
    """When the list is asked, everything that will be there is there."""
    seed = world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry("GET /licences/{key}", 2, path={"key": thing("/licences", "mit")}),
    )
    assert operations(seed) == [
        "POST /projects",
        "GET /projects/{id}",
        "GET /licences",
        "GET /licences/{key}",
    ]
    assert seed.steps[2].origin is Origin.LISTING
    assert producer(seed, 3, "path/key") == 2
    assert any("GET /licences" in note and "nothing creates it" in note for note in seed.notes)


def test_one_list_serves_several_instances(world: World):
    mit, gpl = thing("/licences", "mit"), thing("/licences", "gpl")
    seed = world.complete(
        world.entry("GET /licences/{key}", 1, path={"key": mit}),
        world.entry("GET /licences/{key}", 2, path={"key": gpl}),
    )
    assert operations(seed).count("GET /licences") == 1
    assert [wire.instance for wire in seed.wires] == [mit, gpl]


def test_what_nothing_creates_or_lists_keeps_its_value_and_a_note(world: World):
    world.operation("GET /relics/{id}")
    world.resource("/relics")
    world.refers("GET /relics/{id}", "path/id", "/relics")
    seed = world.complete(world.entry("GET /relics/{id}", 1, path={"id": thing("/relics", "7")}))
    assert operations(seed) == ["GET /relics/{id}"]
    assert seed.steps[0].entry.arguments.path == {"id": "7"}
    assert seed.notes == ("/relics (7): nothing creates or lists it; its value is kept",)


def test_an_identity_that_the_client_chooses_is_the_one_of_the_log(world: World):
    seed = world.complete(world.entry(f"GET {BRANCHES}/{{branch}}", 1, path={"id": PROJECT, "branch": FIX}))
    made = next(step for step in seed.steps if step.entry.creates == FIX)
    assert made.entry.arguments.get(ref(f"POST {BRANCHES}", "body/branch")) == "fix"


@pytest.mark.parametrize("value", ["15", "0123456789abcdef0123", "2f1b6ad0-5f2c-4a8e-9a64-1f0f6c4b7d11"])
def test_an_identity_that_a_service_gives_is_not_forced_on_it(world: World, value: str):
    branch = thing(BRANCHES, value, PROJECT)
    path = {"id": PROJECT, "branch": branch}
    seed = world.complete(world.entry(f"GET {BRANCHES}/{{branch}}", 1, path=path))
    made = next(step for step in seed.steps if step.entry.creates == branch)
    assert made.entry.arguments.get(ref(f"POST {BRANCHES}", "body/branch")) != value


def test_the_creator_that_needs_least_is_taken(world: World):
    world.operation("POST /groups/{group}/projects", body={"name": TEXT}, required=("name",))
    world.operation("POST /groups", body={"name": TEXT}, required=("name",))
    world.resource("/groups", creators=("POST /groups",))
    world.refers("POST /groups/{group}/projects", "path/group", "/groups")
    world.resource("/projects", creators=("POST /groups/{group}/projects", "POST /projects"))
    seed = world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))
    assert operations(seed) == ["POST /projects", "GET /projects/{id}"]


def test_a_creator_that_keeps_failing_gives_way_to_another(world: World):
    world.operation("POST /imports", body={"name": TEXT})
    world.resource("/projects", creators=("POST /projects", "POST /imports"))
    scores = {OperationId("POST /projects"): 0.05, OperationId("POST /imports"): 0.9}
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))
    assert operations(world.completer(scores=scores).complete(piece))[0] == "POST /imports"
    assert operations(world.completer().complete(piece))[0] == "POST /projects"


def test_creators_and_listers_that_are_held_back_are_not_used(world: World):
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),))
    no_creator = world.completer(held_back=frozenset({OperationId("POST /projects")})).complete(piece)
    assert operations(no_creator) == ["GET /projects", "GET /projects/{id}"]
    both = frozenset({OperationId("POST /projects"), OperationId("GET /projects")})
    neither = world.completer(held_back=both).complete(piece)
    assert operations(neither) == ["GET /projects/{id}"]
    assert neither.notes


def test_a_creation_that_the_log_never_did_without_keeps_its_reference(world: World):
    """An assignee that only some merge requests had is left out of one that completion makes."""
    some = Arguments(body={"source_branch": "a", "target_branch": "b", "title": "t"}, has_body=True)
    other = Arguments(
        body={"source_branch": "a", "target_branch": "b", "title": "t", "assignee": "bo"}, has_body=True
    )
    corpus = Corpus(examples={OperationId(OPEN): (other, some)})
    piece = Slice((world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}),))
    for _ in range(6):
        seed = world.completer(corpus=corpus).complete(piece)
        made = next(step for step in seed.steps if step.entry.creates == REQUEST)
        assert "assignee" not in made.entry.arguments.body
        assert {one.pointer for one in made.entry.uses} == {"id", "source_branch", "target_branch"}


def test_an_entry_that_no_log_shows_is_done_to_what_the_slice_has(world: World):
    """A grafted operation works on the project of the flow, not on a new one."""
    own = world.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT)
    grafted = world.entry("DELETE /projects/{id}", 2, path={}, logged=False)
    seed = world.complete(own, grafted)
    assert operations(seed) == ["POST /projects", "DELETE /projects/{id}"]
    assert producer(seed, 1, "path/id") == 0


def test_an_augmented_entry_gets_new_instances_of_everything(world: World):
    seed = world.complete(world.entry(MERGE, 1, path={}, logged=False), origin=Origin.AUGMENTED)
    last = len(seed.steps) - 1
    assert seed.steps[last].origin is Origin.AUGMENTED
    assert operations(seed)[0] == "POST /projects"
    assert operations(seed)[producer(seed, last, "path/iid")] == OPEN
    assert producer(seed, producer(seed, last, "path/iid"), "path/id") == producer(seed, last, "path/id")


# People ---------------------------------------------------------------------------------------------


def test_a_person_is_named_and_not_created(world: World):
    seed = world.complete(world.entry("GET /users/{username}", 1, path={"username": thing("/users", "ann")}))
    assert operations(seed) == ["GET /users/{username}"]
    assert [(one.step, one.user) for one in seed.identities] == [(0, "ann")]
    assert not seed.wires


def test_a_person_that_is_changed_is_made_for_it(world: World):
    """Nobody deletes who is playing."""
    seed = world.complete(
        world.entry("DELETE /users/{username}", 1, path={"username": thing("/users", "bo")})
    )
    assert operations(seed) == ["POST /users", "DELETE /users/{username}"]
    assert producer(seed, 1, "path/username") == 0
    assert not seed.identities


def test_a_second_person_is_somebody_else(world: World):
    ann, bo = thing("/users", "u1"), thing("/users", "u2")
    seed = world.complete(
        world.entry("GET /users/{username}", 1, path={"username": ann}),
        world.entry("GET /users/{username}", 2, path={"username": bo}),
    )
    first, second = (one.user for one in seed.identities)
    assert first == "ann"
    assert second not in ("ann", "")


def test_a_person_the_log_knows_is_that_user(world: World):
    bo = thing("/users", "7")
    people = People(users={bo: UserId("token:b0")})
    piece = Slice((open_request(world, assignee=bo),))
    seed = world.completer(people=people).complete(piece)
    assert [one.user for one in seed.identities] == ["token:b0"]


def with_owners(world: World) -> World:
    """``/repos/{owner}/{repo}``: a person in front of what they own; groups may stand in for people."""
    world.operation("POST /repos", body={"name": TEXT}, required=("name",))
    world.operation("POST /groups/{group}/repos", body={"name": TEXT}, required=("name",))
    world.operation("GET /repos/{owner}/{repo}")
    world.operation("POST /groups", body={"name": TEXT}, required=("name",))
    world.operation("GET /groups/{group}")
    world.resource("/groups", creators=("POST /groups",))
    world.resource("/repos", creators=("POST /repos", "POST /groups/{group}/repos"))
    world.refers("GET /repos/{owner}/{repo}", "path/owner", "/users", "username")
    world.refers("GET /repos/{owner}/{repo}", "path/repo", "/repos", "name")
    world.refers("GET /groups/{group}", "path/group", "/groups", "name")
    world.refers("POST /groups/{group}/repos", "path/group", "/groups", "name")
    return world


def test_what_stands_behind_a_person_is_made_by_them_and_its_owner_is_asked(world: World):
    with_owners(world)
    bo = thing("/users", "bo")
    people = People(users={bo: UserId("bo")})
    path = {"owner": bo, "repo": thing("/repos", "billing", bo)}
    piece = Slice((world.entry("GET /repos/{owner}/{repo}", 1, path=path, user="ann"),))
    seed = world.completer(people=people).complete(piece)
    assert operations(seed) == ["POST /repos", "GET /repos/{owner}/{repo}"]
    assert seed.steps[0].entry.user == "bo"
    assert seed.steps[1].entry.user == "ann"
    assert [(one.step, one.parameter.pointer, one.user, one.owner_of) for one in seed.identities] == [
        (1, "owner", "bo", 0)
    ]


def test_a_group_in_a_persons_place_is_created_and_owns_what_is_made(world: World):
    with_owners(world)
    acme, group = thing("/users", "acme"), thing("/groups", "acme")
    people = People(stand_ins={acme: group})
    path = {"owner": acme, "repo": thing("/repos", "billing", acme)}
    piece = Slice((world.entry("GET /repos/{owner}/{repo}", 1, path=path),))
    seed = world.completer(people=people).complete(piece)
    assert operations(seed) == ["POST /groups", "POST /groups/{group}/repos", "GET /repos/{owner}/{repo}"]
    assert producer(seed, 2, "path/owner") == 0
    assert producer(seed, 1, "path/group") == 0
    assert all(one.owner_of == 1 for one in seed.identities), "at most the owner of what was made is asked"


def test_whoever_made_it_in_the_log_makes_it_again(world: World):
    people = People(makers={PROJECT: UserId("bo")})
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}, user="ann"),))
    seed = world.completer(people=people).complete(piece)
    assert [step.entry.user for step in seed.steps] == ["bo", "ann"]


def test_children_are_made_by_the_maker_of_their_parent(world: World):
    people = People(makers={PROJECT: UserId("bo")})
    path = {"id": PROJECT, "branch": FIX}
    piece = Slice((world.entry(f"GET {BRANCHES}/{{branch}}", 1, path=path, user="ann"),))
    seed = world.completer(people=people).complete(piece)
    assert {step.entry.user for step in seed.steps[:-1]} == {"bo"}


def test_what_is_only_done_to_others_things_is_done_to_a_colleagues(world: World):
    """Nobody approves their own request: where the log does not say whose it was, it is somebody else's."""
    people = People(for_others=frozenset({OperationId(APPROVE)}))
    piece = Slice((world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}, user="ann"),))
    seed = world.completer(people=people).complete(piece)
    made = next(step for step in seed.steps if step.entry.creates == REQUEST)
    assert made.entry.user == COLLEAGUE
    assert seed.steps[-1].entry.user == "ann"
    plain = world.completer().complete(piece)
    assert {step.entry.user for step in plain.steps} == {"ann"}


# Recipes --------------------------------------------------------------------------------------------


def approve_first(world: World) -> dict[OperationId, Recipe]:
    theirs = thing("/projects", "1")
    request = thing(REQUESTS, "9", theirs)
    path = {"id": theirs, "iid": request}
    return {
        OperationId(MERGE): Recipe(
            (world.entry(APPROVE, 1, path=path, user="bo"),), world.entry(MERGE, 2, path=path, user="ann")
        )
    }


def test_a_recipe_is_followed_on_the_instances_of_the_slice(world: World):
    piece = Slice((world.entry(MERGE, 5, path={"id": PROJECT, "iid": REQUEST}, user="cy"),))
    seed = world.completer(recipes=approve_first(world)).complete(piece)
    assert operations(seed)[-2:] == [APPROVE, MERGE]
    approve, merge = len(seed.steps) - 2, len(seed.steps) - 1
    assert producer(seed, approve, "path/iid") == producer(seed, merge, "path/iid")
    assert seed.steps[approve].entry.user == "bo"
    assert seed.steps[approve].origin is Origin.CREATION
    assert "people do this before" in seed.steps[approve].reason


def test_a_slice_that_did_it_already_needs_no_recipe(world: World):
    path = {"id": PROJECT, "iid": REQUEST}
    piece = Slice((world.entry(APPROVE, 4, path=path, user="bo"), world.entry(MERGE, 5, path=path)))
    seed = world.completer(recipes=approve_first(world)).complete(piece)
    assert operations(seed).count(APPROVE) == 1


def test_recipes_for_creations_go_in_front_of_them(world: World):
    """A merge request needs a commit on its source branch: also when completion makes the request."""
    world.operation("POST /projects/{id}/commits", body={"branch": TEXT}, required=("branch",))
    world.refers("POST /projects/{id}/commits", "path/id", "/projects")
    world.refers("POST /projects/{id}/commits", "body/branch", BRANCHES, "name")
    theirs = thing("/projects", "1")
    branch = thing(BRANCHES, "topic", theirs)
    commit = world.entry("POST /projects/{id}/commits", 1, path={"id": theirs}, body={"branch": branch})
    opened = world.entry(
        OPEN,
        2,
        path={"id": theirs},
        body={"source_branch": branch, "target_branch": thing(BRANCHES, "main", theirs), "title": "t"},
        creates=thing(REQUESTS, "9", theirs),
    )
    piece = Slice((world.entry(MERGE, 5, path={"id": PROJECT, "iid": REQUEST}),))
    seed = world.completer(recipes={OperationId(OPEN): Recipe((commit,), opened)}).complete(piece)
    shown = operations(seed)
    assert shown.index("POST /projects/{id}/commits") < shown.index(OPEN) < shown.index(MERGE)
    at, made = shown.index("POST /projects/{id}/commits"), shown.index(OPEN)
    assert producer(seed, at, "body/branch") == producer(seed, made, "body/source_branch")
    assert seed.steps[made].entry.creates == REQUEST


def test_the_recipe_followed_is_told(world: World):
    completer = world.completer(recipes=approve_first(world))
    assert completer.followed(OperationId(MERGE)) == (APPROVE,)
    assert completer.followed(OperationId(APPROVE)) == ()


# Seeds ----------------------------------------------------------------------------------------------


def test_equal_content_is_an_equal_id_and_other_content_another(world: World):
    seed = world.complete(open_request(world))
    again = forge().complete(open_request(forge()))
    assert seed.id == again.id
    assert make_seed(seed.steps[:-1], (), seed.source, seed.origin).id != seed.id
    assert make_seed(seed.steps, seed.wires[:-1], seed.source, seed.origin).id != seed.id


def test_values_that_json_cannot_write_still_have_an_id(world: World):
    odd = world.entry("POST /projects", 1, body={"name": "\ud800", "size": 10**400})
    assert world.complete(odd).id


def test_lineage_is_kept(world: World):
    piece = Slice((open_request(world),))
    first = world.completer().complete(piece)
    child = world.completer().complete(piece, parents=(first.id,), mutations=("splice",))
    assert child.parents == (first.id,)
    assert child.mutations == ("splice",)
    assert child.source == piece


def test_a_number_in_the_path_and_a_digest_beside_it_are_one_thing():
    world = forge()
    world.operation(MERGE, body={"sha": TEXT})
    world.refers(MERGE, "body/sha", REQUESTS, "sha")
    digest = thing(REQUESTS, "8694955b276bf773d3a90d75146ae025046e4b24", PROJECT)
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}, body={"sha": digest}))
    made = [step.entry.operation for step in seed.steps if step.entry.creates is not None]
    assert made.count(f"POST {REQUESTS}") == 1
    producers = {wire.producer for wire in seed.wires if wire.instance == REQUEST}
    assert len(producers) == 1


def test_two_numbers_are_two_things():
    world = forge()
    world.operation(MERGE, body={"after": TEXT})
    world.refers(MERGE, "body/after", REQUESTS, "iid")
    other = thing(REQUESTS, "4", PROJECT)
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}, body={"after": other}))
    assert len({wire.producer for wire in seed.wires if wire.instance in (REQUEST, other)}) == 2


def test_a_recipe_is_followed_for_each_thing_though_it_was_followed_for_another():
    """A commit on one branch does not make a request of another branch possible."""
    world = forge()
    commit = "POST /projects/{id}/commits"
    world.operation(commit, body={"branch": TEXT})
    world.refers(commit, "path/id", "/projects")
    world.refers(commit, "body/branch", BRANCHES, "name")
    known = thing(BRANCHES, "known", PROJECT)
    opened = world.entry(
        OPEN, 2, path={"id": PROJECT}, body={"source_branch": known, "target_branch": MAIN, "title": "x"}
    )
    recipe = Recipe((world.entry(commit, 1, path={"id": PROJECT}, body={"branch": known}),), opened)
    piece = Slice(
        (
            world.entry(commit, 1, path={"id": PROJECT}, body={"branch": FIX}),
            world.entry(APPROVE, 2, path={"id": PROJECT, "iid": REQUEST}),
            world.entry(APPROVE, 3, path={"id": PROJECT, "iid": thing(REQUESTS, "4", PROJECT)}),
        )
    )
    seed = world.completer(recipes={OperationId(OPEN): recipe}).complete(piece)
    branches = [
        step.entry.uses[ref(commit, "body/branch")].value
        for step in seed.steps
        if step.entry.operation == commit
    ]
    assert sorted(branches) == ["fix", "known", "known-2"]


def test_what_is_only_listed_is_the_thing_that_its_parameter_names_everywhere_else():
    world = forge()
    for action in ("a", "b", "c", "d", "e"):
        world.operation(f"POST /projects/{{project}}/{action}")
        world.refers(f"POST /projects/{{project}}/{action}", "path/project", "/projects", "id")
    star = "PUT /starred/{project}"
    world.operation("GET /starred")
    world.operation(star)
    world.resource("/starred", listers=("GET /starred",))
    where = ref(star, "path/project")
    world.dependencies[where] = Dependency(where, ResourceName("/starred"), (Binding(Source.LIST, "id"),))
    seed = world.complete(world.entry(star, 1, path={"project": thing("/starred", "15")}))
    assert [step.entry.operation for step in seed.steps] == ["POST /projects", star]
    (wire,) = seed.wires
    assert sources_of(wire, seed, world.model)[0] == Binding(Source.RESPONSE, "id")
