"""Members of projects and of groups."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from lobrest.demo.access import (
    group_of,
    has_role,
    number,
    project_of,
    project_to_change,
    role_in,
    role_in_group,
)
from lobrest.demo.declare import B, Call, Module, Q, delete, get, post, put
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import Role
from lobrest.demo.refusal import conflict, forbidden, not_found


class Member(Struct):
    id: int
    username: str
    name: str
    role: Role


class MemberCreate(Struct):
    user_id: Annotated[int, Meta(description="The user ID of the new member")]
    role: Role


class MemberUpdate(Struct):
    role: Role


def list_project_members(call: Call[Paging, None]) -> list[Member]:
    members = list(project_of(call).members.items())
    return [render_member(call, user_id, role) for user_id, role in page_of(call, members)]


def add_project_member(call: Call[None, MemberCreate]) -> Member:
    project = project_to_change(call, Role.MAINTAINER)
    return add_member(call, project.members, role_in(call.state, project, call.user))


def update_project_member(call: Call[None, MemberUpdate]) -> Member:
    project = project_to_change(call, Role.MAINTAINER)
    own_role, user_id = role_in(call.state, project, call.user), known_member(call, project.members)
    check_rank(own_role, project.members[user_id], call.body.role)
    check_owner_stays(project.members, user_id, call.body.role)
    project.members[user_id] = call.body.role
    return render_member(call, user_id, call.body.role)


def remove_project_member(call: Call[None, None]) -> None:
    leaving = number(call, "user_id") == call.user.id
    project = project_to_change(call, None if leaving else Role.MAINTAINER)
    user_id = known_member(call, project.members)
    if not leaving:
        check_rank(role_in(call.state, project, call.user), project.members[user_id])
    check_owner_stays(project.members, user_id, None)
    del project.members[user_id]


def list_group_members(call: Call[Paging, None]) -> list[Member]:
    members = list(group_of(call).members.items())
    return [render_member(call, user_id, role) for user_id, role in page_of(call, members)]


def add_group_member(call: Call[None, MemberCreate]) -> Member:
    group = group_of(call, Role.MAINTAINER)
    return add_member(call, group.members, role_in_group(group, call.user))


def remove_group_member(call: Call[None, None]) -> None:
    group = group_of(call, Role.MAINTAINER)
    user_id = known_member(call, group.members)
    check_rank(role_in_group(group, call.user), group.members[user_id])
    check_owner_stays(group.members, user_id, None)
    del group.members[user_id]


def add_member(call: Call[None, MemberCreate], members: dict[int, Role], own_role: Role | None) -> Member:
    user_id, role = call.body.user_id, call.body.role
    if user_id not in call.state.users:
        raise not_found("User")
    if user_id in members:
        raise conflict("Member already exists")
    check_rank(own_role, role)
    members[user_id] = role
    return render_member(call, user_id, role)


def known_member(call: Call[Q, B], members: dict[int, Role]) -> int:
    user_id = number(call, "user_id")
    if user_id not in members:
        raise not_found("Member")
    return user_id


def check_rank(own_role: Role | None, *roles: Role) -> None:
    """Nobody gives or takes away more than they have."""
    if not all(has_role(own_role, role) for role in roles):
        raise forbidden("role is higher than yours")


def check_owner_stays(members: dict[int, Role], user_id: int, role: Role | None) -> None:
    owners = [member for member, held in members.items() if held is Role.OWNER]
    if owners == [user_id] and role is not Role.OWNER:
        raise conflict("The last owner cannot leave")


def render_member(call: Call[Q, B], user_id: int, role: Role) -> Member:
    user = call.state.users[user_id]
    return Member(user.id, user.username, user.name, role)


MODULE: Final = Module(
    "members",
    "Who works on what, and in which role",
    (
        get("/projects/{id}/members", list_project_members, "List the members of a project"),
        post("/projects/{id}/members", add_project_member, "Add a member to a project", errors=(409,)),
        put(
            "/projects/{id}/members/{user_id}", update_project_member, "Change a member's role", errors=(409,)
        ),
        delete("/projects/{id}/members/{user_id}", remove_project_member, "Remove a member", errors=(409,)),
        get("/groups/{group}/members", list_group_members, "List the members of a group"),
        post("/groups/{group}/members", add_group_member, "Add a member to a group", errors=(409,)),
        delete(
            "/groups/{group}/members/{user_id}",
            remove_group_member,
            "Remove a member from a group",
            errors=(409,),
        ),
    ),
)
