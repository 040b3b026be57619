"""Commits, and what continuous integration says about them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import has_role, project_of, project_to_change, role_in
from lobrest.demo.declare import Call, Module, Name, Text, Timestamp, get, post
from lobrest.demo.history import ancestors, append, find_commit
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import (
    CommitRecord,
    MergeRequestRecord,
    MergeRequestState,
    ProjectRecord,
    Role,
    StatusRecord,
    StatusState,
)
from lobrest.demo.refusal import bad_request, forbidden, unprocessable

MOST_FILES: Final = 200


class FileAction(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class CommitAction(Struct):
    action: FileAction
    file_path: Annotated[str, Meta(min_length=1, max_length=500)]
    content: Text = ""


class Commit(Struct):
    id: str
    short_id: str
    title: str
    message: str
    author_id: int
    parent_ids: list[str]
    created_at: Timestamp


class CommitQuery(Paging, kw_only=True):
    ref_name: Annotated[
        str | UnsetType, Meta(description="Branch, tag or hash; the default branch if left out")
    ] = UNSET


class CommitCreate(Struct):
    branch: Annotated[str, Meta(description="The branch to commit to")]
    commit_message: Annotated[str, Meta(min_length=1, max_length=5000)]
    actions: Annotated[list[CommitAction], Meta(min_length=1, max_length=50)]


class CommitStatus(Struct):
    id: int
    sha: str
    name: str
    status: StatusState
    target_url: str | None
    description: str | None
    author_id: int
    created_at: Timestamp


class StatusCreate(Struct):
    state: StatusState
    name: Name = "default"
    target_url: Annotated[str, Meta(max_length=255)] | None = None
    description: Annotated[str, Meta(max_length=255)] | None = None


def list_commits(call: Call[CommitQuery, None]) -> list[Commit]:
    project, ref = project_of(call), call.query.ref_name
    start = find_commit(project, project.default_branch if ref is UNSET else ref)
    return [render_commit(commit) for commit in page_of(call, list(ancestors(project, start.sha).values()))]


def create_commit(call: Call[None, CommitCreate]) -> Commit:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    branch = project.branches.get(body.branch)
    if branch is None:
        raise unprocessable("branch", "does not exist")
    if branch.protected and not has_role(role_in(call.state, project, call.user), Role.MAINTAINER):
        raise forbidden("you are not allowed to push into this branch")
    files = changed(project.commits[branch.head].files, body.actions)
    commit = append(call.state, project, branch, call.user, body.commit_message, files)
    for merge_request in project.merge_requests.values():
        if merge_request.source_branch == branch.name and merge_request.state is MergeRequestState.OPENED:
            reset_approvals(call, merge_request)
    return render_commit(commit)


def changed(files: dict[str, str], actions: list[CommitAction]) -> dict[str, str]:
    """The files after the actions; an action that does not fit the files is refused."""
    result = dict(files)
    for action in actions:
        exists = action.file_path in result
        if action.action is FileAction.CREATE and exists:
            raise bad_request("A file with this name already exists")
        if action.action is not FileAction.CREATE and not exists:
            raise bad_request("A file with this name doesn't exist")
        if action.action is FileAction.DELETE:
            del result[action.file_path]
        else:
            result[action.file_path] = action.content
    if len(result) > MOST_FILES:
        raise bad_request(f"a project holds at most {MOST_FILES} files")
    return result


def reset_approvals(call: Call[None, CommitCreate], merge_request: MergeRequestRecord) -> None:
    """What was approved is not what would be merged now."""
    if call.faults.enabled("push-after-approval"):
        for approver in merge_request.approvals:
            del merge_request.approvals[approver]
    merge_request.approvals.clear()


def get_commit(call: Call[None, None]) -> Commit:
    return render_commit(find_commit(project_of(call), call.path["sha"]))


def set_commit_status(call: Call[None, StatusCreate]) -> CommitStatus:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    commit = find_commit(project, call.path["sha"])
    status = StatusRecord(
        call.state.next_id("status"),
        body.name,
        body.state,
        body.target_url,
        body.description,
        call.user.id,
        call.state.now(),
    )
    commit.statuses = [known for known in commit.statuses if known.name != body.name] + [status]
    return render_status(commit, status)


def list_commit_statuses(call: Call[Paging, None]) -> list[CommitStatus]:
    commit = find_commit(project_of(call), call.path["sha"])
    return [render_status(commit, status) for status in page_of(call, commit.statuses)]


def passed(project: ProjectRecord, sha: str) -> bool:
    """At least one status, and all of them a success."""
    statuses = project.commits[sha].statuses
    return bool(statuses) and all(status.state is StatusState.SUCCESS for status in statuses)


def render_commit(commit: CommitRecord) -> Commit:
    return Commit(
        id=commit.sha,
        short_id=commit.sha[:8],
        title=commit.message.partition("\n")[0],
        message=commit.message,
        author_id=commit.author_id,
        parent_ids=list(commit.parents),
        created_at=commit.created_at,
    )


def render_status(commit: CommitRecord, status: StatusRecord) -> CommitStatus:
    return CommitStatus(
        id=status.id,
        sha=commit.sha,
        name=status.name,
        status=status.state,
        target_url=status.target_url,
        description=status.description,
        author_id=status.author_id,
        created_at=status.created_at,
    )


COMMITS: Final = "/projects/{id}/repository/commits"

MODULE: Final = Module(
    "commits",
    "Changes, and their build statuses",
    (
        get(COMMITS, list_commits, "List commits"),
        post(COMMITS, create_commit, "Create a commit with several file actions", errors=(422,)),
        get(COMMITS + "/{sha}", get_commit, "Get a commit"),
        get(COMMITS + "/{sha}/statuses", list_commit_statuses, "List the statuses of a commit"),
        post("/projects/{id}/statuses/{sha}", set_commit_status, "Set the status of a commit"),
    ),
)
