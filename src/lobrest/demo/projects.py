"""Projects: create, configure, archive, move to another namespace."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import can_read, has_role, project_of, project_to_change, role_in, role_in_group
from lobrest.demo.declare import B, Call, Module, Name, Q, Text, Timestamp, delete, get, post, put
from lobrest.demo.history import first_commit
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import MergeRequestState, ProjectRecord, Role, Visibility
from lobrest.demo.refusal import bad_request, conflict, forbidden, not_found, taken, unprocessable

ARCHIVING: Final = {("active", "archive"): True, ("archived", "unarchive"): False}

ProjectPath = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
Approvals = Annotated[int, Meta(ge=0, le=10, description="Approvals a merge request needs")]


class ProjectOrder(StrEnum):
    ID = "id"
    NAME = "name"
    CREATED_AT = "created_at"


class Project(Struct):
    id: int
    name: str
    path: str
    path_with_namespace: str
    namespace: str
    description: str
    visibility: Visibility
    default_branch: str
    archived: bool
    approvals_required: int
    merge_requires_success: bool
    open_issues_count: int
    creator_id: int
    created_at: Timestamp


class ProjectQuery(Paging, kw_only=True):
    search: Annotated[
        str, Meta(description="Find projects whose name matches; [abc] stands for one of abc")
    ] = ""
    visibility: Visibility | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    membership: Annotated[bool, Meta(description="Only projects you are a member of")] = False
    order_by: ProjectOrder = ProjectOrder.ID


class ProjectCreate(Struct):
    name: Name
    path: ProjectPath | UnsetType = UNSET
    namespace: Annotated[str | UnsetType, Meta(description="Path of the group; yours if left out")] = UNSET
    description: Text = ""
    visibility: Visibility = Visibility.INTERNAL
    default_branch: Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")] = "main"
    approvals_required: Approvals = 1
    merge_requires_success: bool = False


class ProjectUpdate(Struct):
    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    default_branch: str | UnsetType = UNSET
    approvals_required: Approvals | UnsetType = UNSET
    merge_requires_success: bool | UnsetType = UNSET


class ProjectTransfer(Struct):
    namespace: Annotated[str, Meta(description="Path of the group that takes the project")]


def list_projects(call: Call[ProjectQuery, None]) -> list[Project]:
    query = call.query
    pattern = search_pattern(call)
    projects = [
        project
        for project in call.state.projects.values()
        if can_read(call.state, project, call.user)
        and query.visibility in (UNSET, project.visibility)
        and query.archived in (UNSET, project.archived)
        and (not query.membership or call.user.id in project.members)
        and pattern.search(project.name)
    ]
    projects.sort(
        key=lambda project: (project.name if query.order_by is ProjectOrder.NAME else "", project.id)
    )
    return [render_project(project) for project in page_of(call, projects)]


def search_pattern(call: Call[ProjectQuery, None]) -> re.Pattern[str]:
    """Only the first pair of brackets is special, and only if it is one."""
    literal = re.escape(call.query.search)
    with_set = literal.replace(r"\[", "[", 1).replace(r"\]", "]", 1)
    if call.faults.enabled("project-search-bracket"):
        return re.compile(with_set, re.IGNORECASE)
    try:
        return re.compile(with_set, re.IGNORECASE)
    except re.error:
        return re.compile(literal, re.IGNORECASE)


def create_project(call: Call[None, ProjectCreate]) -> Project:
    body, state = call.body, call.state
    namespace = call.user.username if body.namespace is UNSET else group_to_fill(call, body.namespace)
    path = re.sub(r"[^a-z0-9_.]+", "-", body.name.lower()).strip("-.") if body.path is UNSET else body.path
    if not path:
        raise bad_request("path is missing")
    if state.project_at(f"{namespace}/{path}"):
        raise taken("name" if body.path is UNSET else "path")
    project = ProjectRecord(
        id=state.next_id("project"),
        name=body.name,
        path=path,
        namespace=namespace,
        description=body.description,
        visibility=body.visibility,
        creator_id=call.user.id,
        created_at=state.now(),
        default_branch=body.default_branch,
        approvals_required=body.approvals_required,
        merge_requires_success=body.merge_requires_success,
        members={call.user.id: Role.OWNER},
    )
    first_commit(state, project, call.user)
    state.add_project(project)
    return render_project(project)


def group_to_fill(call: Call[Q, B], path: str) -> str:
    """The group's path, if the user may put projects there."""
    group = call.state.groups.get(path)
    if path == call.user.username:
        return path
    if group is None:
        raise not_found("Namespace")
    if not has_role(role_in_group(group, call.user), Role.DEVELOPER):
        raise forbidden("you cannot create projects in this namespace")
    return group.path


def get_project(call: Call[None, None]) -> Project:
    return render_project(project_of(call))


def update_project(call: Call[None, ProjectUpdate]) -> Project:
    project, body = project_to_change(call, Role.MAINTAINER), call.body
    if body.default_branch is not UNSET:
        if body.default_branch not in project.branches:
            raise unprocessable("default_branch", "does not exist")
        project.default_branch = body.default_branch
    if body.name is not UNSET:
        project.name = body.name
    if body.description is not UNSET:
        project.description = body.description
    if body.visibility is not UNSET:
        project.visibility = body.visibility
    if body.approvals_required is not UNSET:
        project.approvals_required = body.approvals_required
    if body.merge_requires_success is not UNSET:
        project.merge_requires_success = body.merge_requires_success
    return render_project(project)


def owned_project(call: Call[Q, B]) -> ProjectRecord:
    """Archived or not: that is the owner's to change."""
    project = project_of(call)
    if not has_role(role_in(call.state, project, call.user), Role.OWNER):
        raise forbidden()
    return project


def delete_project(call: Call[None, None]) -> None:
    call.state.remove_project(owned_project(call))


def archive_project(call: Call[None, None]) -> Project:
    project = owned_project(call)
    state = "archived" if project.archived else "active"
    if call.faults.enabled("archive-twice"):
        project.archived = ARCHIVING[state, "archive"]
    project.archived = True
    return render_project(project)


def unarchive_project(call: Call[None, None]) -> Project:
    project = owned_project(call)
    project.archived = False
    return render_project(project)


def transfer_project(call: Call[None, ProjectTransfer]) -> Project:
    project, state = owned_project(call), call.state
    if project.archived:
        raise forbidden("project is archived")
    namespace = group_to_fill(call, call.body.namespace)
    if namespace == project.namespace:
        raise conflict("Project is already in this namespace")
    if state.project_at(f"{namespace}/{project.path}"):
        raise taken("path")
    state.forget_path(project)
    project.namespace = namespace
    state.add_project(project)
    update_references(call, project)
    return render_project(project)


def update_references(call: Call[None, ProjectTransfer], project: ProjectRecord) -> None:
    """Open merge requests get links to the new place; merged and closed ones keep what they had."""
    for merge_request in project.merge_requests.values():
        if merge_request.state is not MergeRequestState.OPENED:
            continue
        if call.faults.enabled("transfer-with-open-merge-request"):
            old = call.state.project_at(merge_request.reference_path)
            if old is None:
                raise LookupError("no project at the path of merge request reference")
        merge_request.reference_path = project.full_path


def render_project(project: ProjectRecord) -> Project:
    return Project(
        id=project.id,
        name=project.name,
        path=project.path,
        path_with_namespace=project.full_path,
        namespace=project.namespace,
        description=project.description,
        visibility=project.visibility,
        default_branch=project.default_branch,
        archived=project.archived,
        approvals_required=project.approvals_required,
        merge_requires_success=project.merge_requires_success,
        open_issues_count=sum(issue.state == "opened" for issue in project.issues.values()),
        creator_id=project.creator_id,
        created_at=project.created_at,
    )


MODULE: Final = Module(
    "projects",
    "Repositories with everything around them",
    (
        get("/projects", list_projects, "List projects"),
        post("/projects", create_project, "Create a project", errors=(404, 422)),
        get("/projects/{id}", get_project, "Get a project"),
        put("/projects/{id}", update_project, "Update a project", errors=(422,)),
        delete("/projects/{id}", delete_project, "Delete a project"),
        post("/projects/{id}/archive", archive_project, "Archive a project"),
        post("/projects/{id}/unarchive", unarchive_project, "Unarchive a project"),
        post(
            "/projects/{id}/transfer",
            transfer_project,
            "Transfer a project to another namespace",
            status=200,
            errors=(409, 422),
        ),
    ),
)
