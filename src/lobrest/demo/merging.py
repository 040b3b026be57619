"""Merging a merge request, and taking a merge back."""

from __future__ import annotations

import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import has_role, project_to_change, role_in
from lobrest.demo.commits import Commit, passed, render_commit
from lobrest.demo.declare import B, Call, Q
from lobrest.demo.history import append
from lobrest.demo.merge_view import MergeRequest, find_merge_request, render_merge_request
from lobrest.demo.records import BranchRecord, MergeRequestRecord, MergeRequestState, ProjectRecord, Role
from lobrest.demo.refusal import conflict, forbidden, unprocessable


class ProtectedBranchError(Exception):
    """A protected branch was to be removed."""


class MergeOptions(Struct):
    squash: Annotated[bool, Meta(description="Squash all commits into one")] = False
    should_remove_source_branch: bool = False
    merge_commit_message: Annotated[str | UnsetType, Meta(description="Custom merge commit message")] = UNSET
    sha: Annotated[str | UnsetType, Meta(description="If given, must be the head of the source branch")] = (
        UNSET
    )


class RevertOptions(Struct):
    branch: Annotated[
        str | UnsetType, Meta(description="Branch to revert on; the target branch if left out")
    ] = UNSET


def merge_merge_request(call: Call[None, MergeOptions]) -> MergeRequest:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    request = find_merge_request(call, project)
    source, target = branches_to_merge(project, request)
    check_push(call, project, target)
    if body.sha not in (UNSET, source.head):
        raise conflict("SHA does not match HEAD of source branch")
    check_approvals(call, project, request)
    if project.merge_requires_success and not passed(project, source.head):
        raise unprocessable("base", "the statuses of the last commit must be a success")
    merge(call, project, request, source, target)
    if body.should_remove_source_branch:
        remove_source(call, project, source)
    return render_merge_request(project, request)


def branches_to_merge(
    project: ProjectRecord, request: MergeRequestRecord
) -> tuple[BranchRecord, BranchRecord]:
    if request.state is not MergeRequestState.OPENED:
        raise conflict(f"Merge request is {request.state}")
    source = project.branches.get(request.source_branch)
    target = project.branches.get(request.target_branch)
    if source is None or target is None:
        raise conflict("Source or target branch is gone")
    return source, target


def check_push(call: Call[Q, B], project: ProjectRecord, branch: BranchRecord) -> None:
    if branch.protected and not has_role(role_in(call.state, project, call.user), Role.MAINTAINER):
        raise forbidden("you are not allowed to push into this branch")


def check_approvals(
    call: Call[None, MergeOptions], project: ProjectRecord, request: MergeRequestRecord
) -> None:
    """Enough people who may approve have done so; who has left the project does not count."""
    roles = [role_in(call.state, project, call.state.users[approver]) for approver in request.approvals]
    if call.faults.enabled("merge-after-approver-left"):
        roles = [Role(str(role)) for role in roles]
    if call.faults.enabled("merge-after-reopen"):
        for approved_at in request.approvals.values():
            datetime.datetime.fromisoformat(approved_at)
    missing = project.approvals_required - sum(has_role(role, Role.DEVELOPER) for role in roles)
    if missing > 0:
        raise unprocessable("base", f"{missing} more approval(s) required")


def merge(
    call: Call[None, MergeOptions],
    project: ProjectRecord,
    request: MergeRequestRecord,
    source: BranchRecord,
    target: BranchRecord,
) -> None:
    files = project.commits[target.head].files | project.commits[source.head].files
    also = (source.head,)
    if call.body.squash:
        squashed = append(
            call.state, project, BranchRecord("squash", target.head), call.user, request.title, files
        )
        request.squash_commit_sha, also = squashed.sha, (squashed.sha,)
    message = call.body.merge_commit_message
    if message is UNSET:
        message = f"Merge branch '{source.name}' into '{target.name}'"
    request.squashed = call.body.squash
    request.merge_commit_sha = append(call.state, project, target, call.user, message, files, also=also).sha
    request.merged_by_id = call.user.id
    request.state = MergeRequestState.MERGED
    request.updated_at = call.state.now()


def remove_source(call: Call[None, MergeOptions], project: ProjectRecord, source: BranchRecord) -> None:
    """A protected or default branch stays, whatever was asked for."""
    if source.protected or source.name == project.default_branch:
        if source.protected and call.faults.enabled("merge-removes-protected-source"):
            raise ProtectedBranchError("cannot remove a protected branch after merge")
        return
    del project.branches[source.name]


def revert_merge_request(call: Call[None, RevertOptions]) -> Commit:
    project = project_to_change(call, Role.DEVELOPER)
    request = find_merge_request(call, project)
    if request.state is not MergeRequestState.MERGED:
        raise unprocessable("base", "only a merged merge request can be reverted")
    if request.reverted_by_sha is not None:
        raise conflict("Merge request is already reverted")
    name = request.target_branch if call.body.branch is UNSET else call.body.branch
    branch = project.branches.get(name)
    if branch is None:
        raise unprocessable("branch", "does not exist")
    check_push(call, project, branch)
    merge_commit = project.commits[merged_sha(call, request)]
    files = project.commits[merge_commit.parents[0]].files
    commit = append(call.state, project, branch, call.user, f'Revert "{request.title}"', files)
    request.reverted_by_sha = commit.sha
    return render_commit(commit)


def merged_sha(call: Call[None, RevertOptions], request: MergeRequestRecord) -> str:
    shas = {"merge_commit": request.merge_commit_sha or ""}
    if request.squashed and call.faults.enabled("revert-of-squash-merge"):
        return shas["squash_commit"]
    return shas["merge_commit"]
