"""Approval of merge requests by somebody other than their author."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import project_of, project_to_change, role_in
from lobrest.demo.declare import B, Call, Module, Q, Timestamp, get, post
from lobrest.demo.merge_view import find_merge_request
from lobrest.demo.records import MergeRequestRecord, MergeRequestState, ProjectRecord, Role
from lobrest.demo.refusal import conflict, forbidden, not_found

MAY_PUSH: Final = {"developer": False, "maintainer": True, "owner": True}


class Approval(Struct):
    user_id: int
    username: str
    approved_at: Timestamp


class Approvals(Struct):
    iid: int
    project_id: int
    approved: bool
    approvals_required: int
    approvals_left: int
    approved_by: list[Approval]


class ApproveOptions(Struct):
    sha: Annotated[str | UnsetType, Meta(description="If given, must be the head of the source branch")] = (
        UNSET
    )


def get_approvals(call: Call[None, None]) -> Approvals:
    project = project_of(call)
    return render_approvals(call, project, find_merge_request(call, project))


def approve_merge_request(call: Call[None, ApproveOptions]) -> Approvals:
    project = project_to_change(call, Role.DEVELOPER)
    request = open_request(call, project)
    if request.author_id == call.user.id:
        raise forbidden("you cannot approve your own merge request")
    if call.user.id in request.approvals:
        raise conflict("You have already approved this merge request")
    source = project.branches.get(request.source_branch)
    if call.body.sha is not UNSET and (source is None or source.head != call.body.sha):
        raise conflict("SHA does not match HEAD of source branch")
    if call.faults.enabled("approve-after-author-demoted"):
        check_author(call, project, request)
    request.approvals[call.user.id] = call.state.now()
    return render_approvals(call, project, request)


def check_author(
    call: Call[None, ApproveOptions], project: ProjectRecord, request: MergeRequestRecord
) -> None:
    """The author may merge alone after the approval if the target branch takes their pushes."""
    role = role_in(call.state, project, call.state.users[request.author_id])
    if role is not None and not MAY_PUSH[role.value]:
        request.updated_at = call.state.now()


def unapprove_merge_request(call: Call[None, None]) -> Approvals:
    project = project_to_change(call, Role.DEVELOPER)
    request = open_request(call, project)
    if request.approvals.pop(call.user.id, None) is None:
        raise not_found("Approval")
    return render_approvals(call, project, request)


def open_request(call: Call[Q, B], project: ProjectRecord) -> MergeRequestRecord:
    request = find_merge_request(call, project)
    if request.state is not MergeRequestState.OPENED:
        raise conflict(f"Merge request is {request.state}")
    return request


def render_approvals(call: Call[Q, B], project: ProjectRecord, request: MergeRequestRecord) -> Approvals:
    left = max(0, project.approvals_required - len(request.approvals))
    return Approvals(
        iid=request.iid,
        project_id=project.id,
        approved=left == 0,
        approvals_required=project.approvals_required,
        approvals_left=left,
        approved_by=[
            Approval(user_id, call.state.users[user_id].username, approved_at)
            for user_id, approved_at in request.approvals.items()
        ],
    )


REQUEST: Final = "/projects/{id}/merge_requests/{merge_request_iid}"

MODULE: Final = Module(
    "approvals",
    "Reviews that let a merge request pass",
    (
        get(REQUEST + "/approvals", get_approvals, "Get the approvals of a merge request"),
        post(REQUEST + "/approve", approve_merge_request, "Approve a merge request", errors=(409,)),
        post(REQUEST + "/unapprove", unapprove_merge_request, "Take an approval back", errors=(409,)),
    ),
)
