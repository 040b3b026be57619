"""Branches."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from lobrest.demo.access import has_role, project_of, project_to_change, role_in
from lobrest.demo.declare import Call, Module, delete, get, post, put
from lobrest.demo.history import find_branch, find_commit
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import BranchRecord, ProjectRecord, Role
from lobrest.demo.refusal import Refusal, conflict, forbidden, taken, unprocessable

BranchName = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/+#-]*$")]


class Branch(Struct):
    name: str
    commit_sha: str
    protected: bool
    default: bool


class BranchQuery(Paging, kw_only=True):
    search: Annotated[str, Meta(description="Find branches whose name contains this")] = ""


class BranchCreate(Struct):
    branch: Annotated[BranchName, Meta(description="The name of the new branch")]
    ref: Annotated[str, Meta(description="The branch name or commit hash to start from")]


def list_branches(call: Call[BranchQuery, None]) -> list[Branch]:
    project = project_of(call)
    branches = [branch for branch in project.branches.values() if call.query.search in branch.name]
    return [render_branch(project, branch) for branch in page_of(call, branches)]


def create_branch(call: Call[None, BranchCreate]) -> Branch:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    if body.branch in project.branches:
        raise taken("branch")
    try:
        head = find_commit(project, body.ref).sha
    except Refusal as refusal:
        raise unprocessable("ref", "is not a known branch or commit") from refusal
    branch = BranchRecord(body.branch, head)
    if not call.faults.enabled("branch-forgotten"):
        project.branches[branch.name] = branch
    return render_branch(project, branch)


def get_branch(call: Call[None, None]) -> Branch:
    project = project_of(call)
    return render_branch(project, find_branch(project, call.path["branch"]))


def delete_branch(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.DEVELOPER)
    branch = find_branch(project, call.path["branch"])
    if branch.name == project.default_branch:
        raise conflict("The default branch cannot be removed")
    if branch.protected and not has_role(role_in(call.state, project, call.user), Role.MAINTAINER):
        raise forbidden("branch is protected")
    del project.branches[branch.name]


def protect_branch(call: Call[None, None]) -> Branch:
    return set_protection(call, protected=True)


def unprotect_branch(call: Call[None, None]) -> Branch:
    return set_protection(call, protected=False)


def set_protection(call: Call[None, None], *, protected: bool) -> Branch:
    project = project_to_change(call, Role.MAINTAINER)
    branch = find_branch(project, call.path["branch"])
    branch.protected = protected
    return render_branch(project, branch)


def render_branch(project: ProjectRecord, branch: BranchRecord) -> Branch:
    return Branch(branch.name, branch.head, branch.protected, branch.name == project.default_branch)


BRANCHES: Final = "/projects/{id}/repository/branches"

MODULE: Final = Module(
    "branches",
    "Lines of development",
    (
        get(BRANCHES, list_branches, "List branches"),
        post(BRANCHES, create_branch, "Create a branch", errors=(422,)),
        get(BRANCHES + "/{branch}", get_branch, "Get a branch"),
        delete(BRANCHES + "/{branch}", delete_branch, "Delete a branch", errors=(409,)),
        put(BRANCHES + "/{branch}/protect", protect_branch, "Protect a branch"),
        put(BRANCHES + "/{branch}/unprotect", unprotect_branch, "Unprotect a branch"),
    ),
)
