"""What the forge keeps: plain mutable rows, one class per kind, no behaviour beyond naming."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """What a member may do, from least to most."""

    GUEST = "guest"
    DEVELOPER = "developer"
    MAINTAINER = "maintainer"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        return list(Role).index(self)


class Visibility(StrEnum):
    PRIVATE = "private"
    INTERNAL = "internal"
    PUBLIC = "public"


class IssueState(StrEnum):
    OPENED = "opened"
    CLOSED = "closed"


class MergeRequestState(StrEnum):
    OPENED = "opened"
    CLOSED = "closed"
    MERGED = "merged"


class MilestoneState(StrEnum):
    ACTIVE = "active"
    CLOSED = "closed"


class StatusState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    CANCELED = "canceled"


@dataclass(slots=True)
class UserRecord:
    id: int
    username: str
    name: str
    email: str
    created_at: str
    is_admin: bool = False


@dataclass(slots=True)
class TokenRecord:
    id: int
    user_id: int
    name: str
    secret: str
    scopes: list[str]
    created_at: str
    expires_at: datetime.date | None = None
    # Cannot be revoked here, so that nobody locks the others out.
    from_directory: bool = False


@dataclass(slots=True)
class GroupRecord:
    id: int
    path: str
    name: str
    description: str
    visibility: Visibility
    created_at: str
    members: dict[int, Role] = field(default_factory=dict)


@dataclass(slots=True)
class BranchRecord:
    name: str
    head: str
    protected: bool = False


@dataclass(slots=True)
class StatusRecord:
    id: int
    name: str
    state: StatusState
    target_url: str | None
    description: str | None
    author_id: int
    created_at: str


@dataclass(slots=True)
class CommitRecord:
    sha: str
    parents: tuple[str, ...]
    message: str
    author_id: int
    created_at: str
    files: dict[str, str] = field(default_factory=dict)
    statuses: list[StatusRecord] = field(default_factory=list)


@dataclass(slots=True)
class LabelRecord:
    id: int
    name: str
    color: str
    description: str


@dataclass(slots=True)
class MilestoneRecord:
    id: int
    iid: int
    title: str
    description: str
    state: MilestoneState
    start_date: datetime.date | None
    due_date: datetime.date | None
    created_at: str


@dataclass(slots=True)
class NoteRecord:
    id: int
    body: str
    author_id: int
    system: bool
    created_at: str


@dataclass(slots=True)
class IssueRecord:
    id: int
    iid: int
    title: str
    description: str
    author_id: int
    created_at: str
    updated_at: str
    state: IssueState = IssueState.OPENED
    assignee_id: int | None = None
    labels: list[str] = field(default_factory=list)
    milestone_id: int | None = None
    due_date: datetime.date | None = None
    moved_to_id: int | None = None
    notes: dict[int, NoteRecord] = field(default_factory=dict)


@dataclass(slots=True)
class MergeRequestRecord:
    id: int
    iid: int
    title: str
    description: str
    source_branch: str
    target_branch: str
    author_id: int
    # The project's full path when the request was opened: old links carry it.
    reference_path: str
    created_at: str
    updated_at: str
    state: MergeRequestState = MergeRequestState.OPENED
    assignee_id: int | None = None
    labels: list[str] = field(default_factory=list)
    milestone_id: int | None = None
    approvals: dict[int, str] = field(default_factory=dict)
    squashed: bool = False
    merged_by_id: int | None = None
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    reverted_by_sha: str | None = None
    notes: dict[int, NoteRecord] = field(default_factory=dict)


@dataclass(slots=True)
class ReleaseRecord:
    tag_name: str
    name: str
    description: str
    ref: str
    sha: str
    author_id: int
    created_at: str
    milestones: list[str] = field(default_factory=list)


@dataclass(slots=True)
class HookRecord:
    id: int
    url: str
    push_events: bool
    issues_events: bool
    merge_requests_events: bool
    created_at: str
    deliveries: int = 0


@dataclass(slots=True)
class ProjectRecord:
    id: int
    name: str
    path: str
    namespace: str
    description: str
    visibility: Visibility
    creator_id: int
    created_at: str
    default_branch: str = "main"
    archived: bool = False
    approvals_required: int = 1
    merge_requires_success: bool = False
    members: dict[int, Role] = field(default_factory=dict)
    branches: dict[str, BranchRecord] = field(default_factory=dict)
    commits: dict[str, CommitRecord] = field(default_factory=dict)
    merge_requests: dict[int, MergeRequestRecord] = field(default_factory=dict)
    issues: dict[int, IssueRecord] = field(default_factory=dict)
    labels: dict[str, LabelRecord] = field(default_factory=dict)
    milestones: dict[int, MilestoneRecord] = field(default_factory=dict)
    # What is left of a deleted milestone: its numbers, not its words.
    deleted_milestones: dict[int, dict[str, object]] = field(default_factory=dict)
    releases: dict[str, ReleaseRecord] = field(default_factory=dict)
    hooks: dict[int, HookRecord] = field(default_factory=dict)

    @property
    def full_path(self) -> str:
        return f"{self.namespace}/{self.path}"

    @property
    def planned(self) -> list[IssueRecord | MergeRequestRecord]:
        """All that labels and milestones can be put on."""
        return [*self.issues.values(), *self.merge_requests.values()]
