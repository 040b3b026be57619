"""Who may see and do what, and finding the object that a path names."""

from __future__ import annotations

from lobrest.demo.declare import B, Call, Q
from lobrest.demo.records import GroupRecord, ProjectRecord, Role, UserRecord, Visibility
from lobrest.demo.refusal import bad_request, forbidden, not_found
from lobrest.demo.state import State

LONGEST_NUMBER = 18


def number(call: Call[Q, B], parameter: str) -> int:
    """A path parameter that must be a number."""
    value = as_number(call.path[parameter])
    if value is None:
        raise bad_request(f"{parameter} is invalid")
    return value


def as_number(text: str) -> int | None:
    """Longer digits are no identity of ours, and `int` would refuse the longest of them."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else None


def find_user(state: State, text: str) -> UserRecord:
    """By id or by username."""
    user_id = as_number(text)
    user = state.user_named(text) if user_id is None else state.users.get(user_id)
    if user is None:
        raise not_found("User")
    return user


def require_admin(call: Call[Q, B]) -> None:
    if not call.user.is_admin:
        raise forbidden()


def role_in_group(group: GroupRecord, user: UserRecord) -> Role | None:
    return Role.OWNER if user.is_admin else group.members.get(user.id)


def role_in(state: State, project: ProjectRecord, user: UserRecord) -> Role | None:
    """The higher of the role in the project and the role in its group; administrators own everything."""
    if user.is_admin:
        return Role.OWNER
    group = state.groups.get(project.namespace)
    roles = [project.members.get(user.id), group.members.get(user.id) if group else None]
    return max((role for role in roles if role), key=lambda role: role.rank, default=None)


def has_role(role: Role | None, at_least: Role) -> bool:
    return role is not None and role.rank >= at_least.rank


def can_read(state: State, project: ProjectRecord, user: UserRecord) -> bool:
    return project.visibility is not Visibility.PRIVATE or role_in(state, project, user) is not None


def find_project(state: State, user: UserRecord, text: str) -> ProjectRecord:
    """By id or by full path; what the user may not read does not exist for them."""
    project_id = as_number(text)
    project = state.project_at(text) if project_id is None else state.projects.get(project_id)
    if project is None or not can_read(state, project, user):
        raise not_found("Project")
    return project


def project_of(call: Call[Q, B]) -> ProjectRecord:
    """The project in the path, to be read."""
    return find_project(call.state, call.user, call.path["id"])


def project_to_change(call: Call[Q, B], at_least: Role | None = None) -> ProjectRecord:
    """The project in the path, to be changed with at least this role (None: by anybody who can read it)."""
    project = project_of(call)
    if at_least is not None and not has_role(role_in(call.state, project, call.user), at_least):
        raise forbidden()
    if project.archived:
        raise forbidden("project is archived")
    return project


def group_of(call: Call[Q, B], at_least: Role | None = None) -> GroupRecord:
    """The group in the path, with the role that is needed to go on."""
    group = call.state.groups.get(call.path["group"])
    if group is None:
        raise not_found("Group")
    role = role_in_group(group, call.user)
    if group.visibility is Visibility.PRIVATE and role is None:
        raise not_found("Group")
    if at_least is not None and not has_role(role, at_least):
        raise forbidden()
    return group
