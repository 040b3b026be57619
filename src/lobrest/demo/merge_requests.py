"""Merge requests: open, find, edit, close and reopen."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import has_role, project_of, project_to_change, role_in
from lobrest.demo.commits import Commit, render_commit
from lobrest.demo.declare import B, Call, Module, Name, Q, Text, get, post, put
from lobrest.demo.history import ahead
from lobrest.demo.merge_view import MergeRequest, find_merge_request, render_merge_request
from lobrest.demo.merging import merge_merge_request, revert_merge_request
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.planning import checked_assignee, checked_labels, checked_milestone, wanted_labels
from lobrest.demo.records import MergeRequestRecord, MergeRequestState, ProjectRecord, Role
from lobrest.demo.refusal import conflict, forbidden, unprocessable


class StateEvent(StrEnum):
    CLOSE = "close"
    REOPEN = "reopen"


class MergeRequestQuery(Paging, kw_only=True):
    state: MergeRequestState | UnsetType = UNSET
    labels: Annotated[str, Meta(description="Comma-separated label names")] = ""
    author_id: int | UnsetType = UNSET
    milestone_id: int | UnsetType = UNSET
    source_branch: str | UnsetType = UNSET
    target_branch: str | UnsetType = UNSET


class MergeRequestCreate(Struct):
    title: Name
    source_branch: str
    target_branch: str
    description: Text = ""
    assignee_id: int | None = None
    labels: list[str] = []
    milestone_id: int | None = None


class MergeRequestUpdate(Struct):
    title: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    state_event: StateEvent | UnsetType = UNSET
    target_branch: str | UnsetType = UNSET
    assignee_id: int | UnsetType | None = UNSET
    labels: list[str] | UnsetType = UNSET
    milestone_id: int | UnsetType | None = UNSET


def list_merge_requests(call: Call[MergeRequestQuery, None]) -> list[MergeRequest]:
    project, query = project_of(call), call.query
    wanted = wanted_labels(query.labels)
    found = [
        request
        for request in project.merge_requests.values()
        if query.state in (UNSET, request.state)
        and query.author_id in (UNSET, request.author_id)
        and query.milestone_id in (UNSET, request.milestone_id)
        and query.source_branch in (UNSET, request.source_branch)
        and query.target_branch in (UNSET, request.target_branch)
        and wanted.issubset(request.labels)
    ]
    return [render_merge_request(project, request) for request in page_of(call, found)]


def create_merge_request(call: Call[None, MergeRequestCreate]) -> MergeRequest:
    project, body, state = project_to_change(call, Role.DEVELOPER), call.body, call.state
    check_branches(project, body.source_branch, body.target_branch)
    if find_open(project, body.source_branch, body.target_branch):
        raise conflict("Another open merge request already exists for this source branch")
    created_at = state.now()
    request = MergeRequestRecord(
        id=state.next_id("merge request"),
        iid=state.next_id(f"merge request of {project.id}"),
        title=body.title,
        description=body.description,
        source_branch=body.source_branch,
        target_branch=body.target_branch,
        author_id=call.user.id,
        reference_path=project.full_path,
        created_at=created_at,
        updated_at=created_at,
        assignee_id=checked_assignee(call, project, body.assignee_id),
        labels=checked_labels(project, body.labels),
        milestone_id=checked_milestone(project, body.milestone_id),
    )
    project.merge_requests[request.iid] = request
    return render_merge_request(project, request)


def check_branches(project: ProjectRecord, source: str, target: str) -> None:
    if source not in project.branches:
        raise unprocessable("source_branch", "does not exist")
    if target not in project.branches:
        raise unprocessable("target_branch", "does not exist")
    if source == target:
        raise unprocessable("target_branch", "must be different from source branch")
    if not ahead(project, project.branches[source].head, project.branches[target].head):
        raise unprocessable("source_branch", "has no commits that the target branch lacks")


def find_open(project: ProjectRecord, source: str, target: str) -> MergeRequestRecord | None:
    for request in project.merge_requests.values():
        same = (request.source_branch, request.target_branch) == (source, target)
        if same and request.state is MergeRequestState.OPENED:
            return request
    return None


def get_merge_request(call: Call[None, None]) -> MergeRequest:
    project = project_of(call)
    return render_merge_request(project, find_merge_request(call, project))


def update_merge_request(call: Call[None, MergeRequestUpdate]) -> MergeRequest:
    project, body = project_to_change(call), call.body
    request = find_merge_request(call, project)
    check_editor(call, project, request)
    if body.target_branch is not UNSET and body.target_branch != request.target_branch:
        check_branches(project, request.source_branch, body.target_branch)
    assignee_id = checked_assignee(call, project, body.assignee_id)
    labels = checked_labels(project, body.labels)
    milestone_id = checked_milestone(project, body.milestone_id)
    if body.state_event is not UNSET:
        change_state(call, project, request, body.state_event)
    if body.target_branch is not UNSET:
        request.target_branch = body.target_branch
    if body.title is not UNSET:
        request.title = body.title
    if body.description is not UNSET:
        request.description = body.description
    if body.assignee_id is not UNSET:
        request.assignee_id = assignee_id
    if body.labels is not UNSET:
        request.labels = labels
    if body.milestone_id is not UNSET:
        request.milestone_id = milestone_id
    request.updated_at = call.state.now()
    return render_merge_request(project, request)


def check_editor(call: Call[Q, B], project: ProjectRecord, request: MergeRequestRecord) -> None:
    if request.author_id != call.user.id and not has_role(
        role_in(call.state, project, call.user), Role.DEVELOPER
    ):
        raise forbidden()


def change_state(
    call: Call[None, MergeRequestUpdate],
    project: ProjectRecord,
    request: MergeRequestRecord,
    event: StateEvent,
) -> None:
    if request.state is MergeRequestState.MERGED:
        raise conflict("Merge request is merged")
    if event is StateEvent.CLOSE:
        request.state = MergeRequestState.CLOSED
        return
    if request.state is not MergeRequestState.CLOSED:
        raise conflict("Merge request is not closed")
    if request.source_branch not in project.branches:
        raise unprocessable("source_branch", "does not exist")
    if find_open(project, request.source_branch, request.target_branch):
        raise conflict("Another open merge request already exists for this source branch")
    request.state = MergeRequestState.OPENED
    if call.faults.enabled("merge-after-reopen"):
        request.approvals = dict.fromkeys(request.approvals, "")


def list_merge_request_commits(call: Call[Paging, None]) -> list[Commit]:
    project = project_of(call)
    request = find_merge_request(call, project)
    source = project.branches.get(request.source_branch)
    target = project.branches.get(request.target_branch)
    commits = ahead(project, source.head, target.head) if source and target else []
    return [render_commit(commit) for commit in page_of(call, commits)]


REQUESTS: Final = "/projects/{id}/merge_requests"
REQUEST: Final = REQUESTS + "/{merge_request_iid}"

MODULE: Final = Module(
    "merge_requests",
    "Changes proposed for another branch",
    (
        get(REQUESTS, list_merge_requests, "List merge requests"),
        post(REQUESTS, create_merge_request, "Create a merge request", errors=(409, 422)),
        get(REQUEST, get_merge_request, "Get a merge request"),
        put(REQUEST, update_merge_request, "Update, close or reopen a merge request", errors=(409, 422)),
        get(REQUEST + "/commits", list_merge_request_commits, "List the commits of a merge request"),
        put(REQUEST + "/merge", merge_merge_request, "Merge a merge request", errors=(409, 422)),
        post(REQUEST + "/revert", revert_merge_request, "Revert a merged merge request", errors=(409, 422)),
    ),
)
