"""What operations say about resources."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.logs.forge import BRANCHES, PEOPLE, PROJECTS, REPOS, model, spec

from lobrest.logs.plan import make_plan
from lobrest.model.resource import Resource
from lobrest.model.slice import Profile


def plan_of(operation, profile=Profile.DEFAULT, held=None):
    plan = make_plan(spec(), held or model(), profile)
    return plan, plan.operations[plan.index_of[operation]]


def test_path_parameters_know_their_scope():
    _, found = plan_of("GET /projects/{id}/issues/{iid}")
    assert [(use.ref.pointer, use.parent) for use in found.path_uses] == [("id", -1), ("iid", 0)]
    _, found = plan_of("GET /repos/{owner}/{repo}")
    assert [use.parent for use in found.path_uses] == [-1, 0]


def test_body_parameters_know_what_can_be_their_scope():
    plan, found = plan_of("POST /projects/{id}/merges")
    scopes = {use.ref.pointer: [plan.resources[number] for number in use.scopes] for use in found.value_uses}
    assert scopes == {"source": [PROJECTS], "target": [PROJECTS], "reviewers/*": []}


def test_the_paper_has_no_scopes():
    _, found = plan_of("GET /projects/{id}/issues/{iid}", Profile.PAPER)
    assert [use.parent for use in found.path_uses] == [-1, -1]


def test_a_creation_knows_where_its_identity_is():
    plan, found = plan_of("POST /projects/{id}/branches")
    assert found.creation is not None
    assert plan.resources[found.creation.resource] == BRANCHES
    assert found.creation.names == (("name",),)
    assert [ref.pointer for ref in found.creation.perhaps] == ["branch"]
    _, label = plan_of("PUT /projects/{id}/labels/{name}")
    assert label.creation is not None
    assert [ref.pointer for ref in label.creation.chosen] == ["name"]


def test_an_answer_may_name_the_scope():
    plan, found = plan_of("POST /repos")
    assert found.creation is not None
    assert [(plan.resources[kind], pointers) for kind, pointers in found.creation.parents] == [
        (PEOPLE, ("owner/login",))
    ]


def test_only_an_update_of_the_thing_itself_renames_it():
    _, found = plan_of("PATCH /repos/{owner}/{repo}")
    assert {ref.pointer for ref in found.renames} == {"name", "repo"}
    assert plan_of("GET /repos/{owner}/{repo}")[1].renames == ()
    assert plan_of("POST /projects/{id}/merges")[1].renames == ()


def test_a_tree_that_bites_its_tail_ends():
    held = model()
    resources = dict(held.resources)
    resources[PROJECTS] = Resource(PROJECTS, REPOS)
    resources[REPOS] = Resource(REPOS, PROJECTS)
    _, found = plan_of("GET /projects/{id}", held=replace(held, resources=resources))
    assert found.path_uses[0].parent == -1
