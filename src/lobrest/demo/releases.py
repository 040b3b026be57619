"""Releases, known by the tag that the client chooses."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import project_of, project_to_change
from lobrest.demo.declare import B, Call, Module, Name, Q, Text, Timestamp, delete, get, post, put
from lobrest.demo.history import ahead, find_commit
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import ProjectRecord, ReleaseRecord, Role
from lobrest.demo.refusal import Refusal, not_found, taken, unprocessable

TagName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+/-]*$")]


class Release(Struct):
    tag_name: str
    name: str
    description: str
    ref: str
    commit_sha: str
    author_id: int
    milestones: list[str]
    created_at: Timestamp


class ReleaseDetail(Release):
    commits_since: int


class ReleaseCreate(Struct):
    tag_name: TagName
    ref: Annotated[str, Meta(description="The branch or commit hash to tag")]
    name: Annotated[Name | UnsetType, Meta(description="The tag if left out")] = UNSET
    description: Text = ""
    milestones: Annotated[list[str], Meta(description="Titles of milestones")] = []


class ReleaseUpdate(Struct):
    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    milestones: list[str] | UnsetType = UNSET


def list_releases(call: Call[Paging, None]) -> list[Release]:
    releases = list(reversed(project_of(call).releases.values()))
    return [render_release(release) for release in page_of(call, releases)]


def create_release(call: Call[None, ReleaseCreate]) -> Release:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    if body.tag_name in project.releases:
        raise taken("tag_name", status=409)
    try:
        sha = find_commit(project, body.ref).sha
    except Refusal as refusal:
        raise unprocessable("ref", "is not a known branch or commit") from refusal
    check_milestones(project, body.milestones)
    name = body.tag_name if body.name is UNSET else body.name
    release = ReleaseRecord(
        tag_name=body.tag_name,
        name=name,
        description=body.description,
        ref=body.ref,
        sha=sha,
        author_id=call.user.id,
        created_at=call.state.now(),
        milestones=body.milestones,
    )
    project.releases[release.tag_name] = release
    return render_release(release)


def check_milestones(project: ProjectRecord, titles: list[str]) -> None:
    known = {milestone.title for milestone in project.milestones.values()}
    if not known.issuperset(titles):
        raise unprocessable("milestones", "contains a milestone that does not exist")


def find_release(call: Call[Q, B], project: ProjectRecord) -> ReleaseRecord:
    release = project.releases.get(call.path["tag_name"])
    if release is None:
        raise not_found("Release")
    return release


def get_release(call: Call[None, None]) -> ReleaseDetail:
    project = project_of(call)
    release = find_release(call, project)
    return ReleaseDetail(
        **msgspec.structs.asdict(render_release(release)), commits_since=commits_since(call, project, release)
    )


def commits_since(call: Call[Q, B], project: ProjectRecord, release: ReleaseRecord) -> int:
    """How far the released branch has moved on; a branch that is gone, or a hash, moves no more."""
    if release.ref in project.commits:
        return 0
    branch = project.branches.get(release.ref)
    if branch is None and not call.faults.enabled("release-branch-deleted"):
        return 0
    return len(ahead(project, branch.head if branch else "", release.sha))


def update_release(call: Call[None, ReleaseUpdate]) -> Release:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    release = find_release(call, project)
    if body.milestones is not UNSET:
        check_milestones(project, body.milestones)
        release.milestones = body.milestones
    if body.name is not UNSET:
        release.name = body.name
    if body.description is not UNSET:
        release.description = body.description
    return render_release(release)


def delete_release(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.MAINTAINER)
    del project.releases[find_release(call, project).tag_name]


def render_release(release: ReleaseRecord) -> Release:
    return Release(
        tag_name=release.tag_name,
        name=release.name,
        description=release.description,
        ref=release.ref,
        commit_sha=release.sha,
        author_id=release.author_id,
        milestones=release.milestones,
        created_at=release.created_at,
    )


RELEASES: Final = "/projects/{id}/releases"

MODULE: Final = Module(
    "releases",
    "Tagged states for the world",
    (
        get(RELEASES, list_releases, "List releases"),
        post(RELEASES, create_release, "Create a release", errors=(409, 422)),
        get(RELEASES + "/{tag_name}", get_release, "Get a release"),
        put(RELEASES + "/{tag_name}", update_release, "Update a release", errors=(422,)),
        delete(RELEASES + "/{tag_name}", delete_release, "Delete a release"),
    ),
)
