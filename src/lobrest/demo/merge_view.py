"""How a merge request is found and shown."""

from __future__ import annotations

from msgspec import Struct

from lobrest.demo.access import number
from lobrest.demo.declare import B, Call, Q, Timestamp
from lobrest.demo.records import MergeRequestRecord, MergeRequestState, ProjectRecord
from lobrest.demo.refusal import not_found


class MergeRequest(Struct):
    id: int
    iid: int
    project_id: int
    title: str
    description: str
    state: MergeRequestState
    source_branch: str
    target_branch: str
    reference: str
    author_id: int
    assignee_id: int | None
    labels: list[str]
    milestone_id: int | None
    sha: str | None
    approved_by: list[int]
    squash: bool
    merged_by_id: int | None
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    created_at: Timestamp
    updated_at: Timestamp


def find_merge_request(call: Call[Q, B], project: ProjectRecord) -> MergeRequestRecord:
    request = project.merge_requests.get(number(call, "merge_request_iid"))
    if request is None:
        raise not_found("Merge Request")
    return request


def render_merge_request(project: ProjectRecord, request: MergeRequestRecord) -> MergeRequest:
    source = project.branches.get(request.source_branch)
    return MergeRequest(
        id=request.id,
        iid=request.iid,
        project_id=project.id,
        title=request.title,
        description=request.description,
        state=request.state,
        source_branch=request.source_branch,
        target_branch=request.target_branch,
        reference=f"{request.reference_path}!{request.iid}",
        author_id=request.author_id,
        assignee_id=request.assignee_id,
        labels=request.labels,
        milestone_id=request.milestone_id,
        sha=source.head if source else None,
        approved_by=list(request.approvals),
        squash=request.squashed,
        merged_by_id=request.merged_by_id,
        merge_commit_sha=request.merge_commit_sha,
        squash_commit_sha=request.squash_commit_sha,
        created_at=request.created_at,
        updated_at=request.updated_at,
    )
