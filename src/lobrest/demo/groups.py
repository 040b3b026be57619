"""Groups: namespaces with members of their own."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import can_read, group_of, role_in_group
from lobrest.demo.declare import Call, Module, Name, Text, Timestamp, delete, get, post, put
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.projects import Project, render_project
from lobrest.demo.records import GroupRecord, Role, Visibility
from lobrest.demo.refusal import bad_request, conflict, taken

LONGEST_PATH: Final = 64

# The length is checked when the row is written; the document declares it.
GroupPath = Annotated[
    str,
    Meta(min_length=2, pattern=r"^[a-z0-9][a-z0-9_.-]*$", extra_json_schema={"maxLength": LONGEST_PATH}),
]


class DataError(Exception):
    """What the database says to a value that its column cannot hold."""


class Group(Struct):
    id: int
    path: str
    name: str
    description: str
    visibility: Visibility
    created_at: Timestamp


class GroupQuery(Paging, kw_only=True):
    search: Annotated[str, Meta(description="Find groups whose name or path contains this")] = ""


class GroupCreate(Struct):
    path: GroupPath
    name: Name
    description: Text = ""
    visibility: Visibility = Visibility.INTERNAL


class GroupUpdate(Struct):
    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET


def list_groups(call: Call[GroupQuery, None]) -> list[Group]:
    word = call.query.search.lower()
    groups = [
        group
        for group in call.state.groups.values()
        if word in f"{group.path}\n{group.name.lower()}"
        and (group.visibility is not Visibility.PRIVATE or role_in_group(group, call.user))
    ]
    return [render_group(group) for group in page_of(call, groups)]


def create_group(call: Call[None, GroupCreate]) -> Group:
    body = call.body
    if len(body.path) > LONGEST_PATH:
        if call.faults.enabled("group-path-too-long"):
            raise DataError(f"value too long for type character varying({LONGEST_PATH})")
        raise bad_request(f"path is too long (maximum is {LONGEST_PATH} characters)")
    if body.path in call.state.groups or call.state.user_named(body.path):
        raise taken("path")
    group = GroupRecord(
        call.state.next_id("group"),
        body.path,
        body.name,
        body.description,
        body.visibility,
        call.state.now(),
        {call.user.id: Role.OWNER},
    )
    call.state.groups[group.path] = group
    return render_group(group)


def get_group(call: Call[None, None]) -> Group:
    return render_group(group_of(call))


def update_group(call: Call[None, GroupUpdate]) -> Group:
    group, body = group_of(call, Role.OWNER), call.body
    if body.name is not UNSET:
        group.name = body.name
    if body.description is not UNSET:
        group.description = body.description
    if body.visibility is not UNSET:
        group.visibility = body.visibility
    return render_group(group)


def delete_group(call: Call[None, None]) -> None:
    group = group_of(call, Role.OWNER)
    if any(project.namespace == group.path for project in call.state.projects.values()):
        raise conflict("Group still has projects")
    del call.state.groups[group.path]


def list_group_projects(call: Call[Paging, None]) -> list[Project]:
    group = group_of(call)
    projects = [
        project
        for project in call.state.projects.values()
        if project.namespace == group.path and can_read(call.state, project, call.user)
    ]
    return [render_project(project) for project in page_of(call, projects)]


def render_group(group: GroupRecord) -> Group:
    return Group(group.id, group.path, group.name, group.description, group.visibility, group.created_at)


MODULE: Final = Module(
    "groups",
    "Namespaces shared by several people",
    (
        get("/groups", list_groups, "List groups"),
        post("/groups", create_group, "Create a group", errors=(422,)),
        get("/groups/{group}", get_group, "Get a group"),
        put("/groups/{group}", update_group, "Update a group"),
        delete("/groups/{group}", delete_group, "Delete an empty group", errors=(409,)),
        get("/groups/{group}/projects", list_group_projects, "List the projects of a group"),
    ),
)
