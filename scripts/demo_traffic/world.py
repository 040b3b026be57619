"""What people at the company know of their common work."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote

USER_IDS = {
    name: number
    for number, name in enumerate(
        (
            "root",
            "alice",
            "bob",
            "carol",
            "dave",
            "erin",
            "frank",
            "oscar",
            "peggy",
            "victor",
            "nina",
            "ci-bot",
        ),
        1,
    )
}


@dataclass(slots=True)
class Project:
    id: int
    path: str
    name: str
    maintainers: list[str]
    developers: list[str]
    labels: list[str] = field(default_factory=list)
    milestones: dict[int, str] = field(default_factory=dict)
    issues: list[int] = field(default_factory=list)
    with_milestone: set[int] = field(default_factory=set)
    closed_issues: list[int] = field(default_factory=list)
    hooks: list[int] = field(default_factory=list)
    merges: int = 0
    releases: int = 0
    spike: bool = False

    @property
    def people(self) -> list[str]:
        return [*self.maintainers, *self.developers]

    @property
    def by_path(self) -> str:
        return f"/projects/{quote(self.path, safe='')}"

    @property
    def by_id(self) -> str:
        return f"/projects/{self.id}"


@dataclass(slots=True)
class Change:
    """A merge request on its way."""

    project: Project
    iid: int
    author: str
    branch: str
    sha: str
    target: str = "main"
    wants_changes: bool = False
    approved: bool = False
    being_reviewed: bool = False
    merged: bool = False
    closed: bool = False


@dataclass(slots=True)
class World:
    projects: list[Project] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    built: set[str] = field(default_factory=set)
    groups: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, kind: str) -> int:
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return self.numbers[kind]

    def shared(self, user: str) -> list[Project]:
        """The lasting projects somebody works on."""
        return [project for project in self.projects if user in project.people and not project.spike]

    def to_review(self, user: str) -> list[Change]:
        return [
            change
            for change in self.changes
            if change.author != user
            and user in change.project.people
            and not (change.approved or change.wants_changes or change.being_reviewed or change.closed)
        ]

    def to_merge(self, user: str) -> list[Change]:
        return [
            change
            for change in self.changes
            if change.approved
            and not change.merged
            and not change.closed
            and user in change.project.maintainers
        ]
