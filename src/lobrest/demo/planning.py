"""What issues and merge requests share: who has it, what it is about, when it is due."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from lobrest.demo.access import role_in
from lobrest.demo.declare import B, Call, Q
from lobrest.demo.records import IssueRecord, MergeRequestRecord, MilestoneState, NoteRecord, ProjectRecord
from lobrest.demo.refusal import unprocessable


def checked_assignee(call: Call[Q, B], project: ProjectRecord, user_id: int | UnsetType | None) -> int | None:
    if user_id is UNSET or user_id is None:
        return None
    user = call.state.users.get(user_id)
    if user is None or role_in(call.state, project, user) is None:
        raise unprocessable("assignee_id", "is not a member of the project")
    return user_id


def checked_labels(project: ProjectRecord, names: list[str] | UnsetType) -> list[str]:
    if names is UNSET:
        return []
    for name in names:
        if name not in project.labels:
            raise unprocessable("labels", "contains a label that does not exist")
    return list(dict.fromkeys(names))


def checked_milestone(project: ProjectRecord, milestone_id: int | UnsetType | None) -> int | None:
    if milestone_id is UNSET or milestone_id is None:
        return None
    milestone = project.milestones.get(milestone_id)
    if milestone is None:
        raise unprocessable("milestone_id", "does not exist")
    if milestone.state is MilestoneState.CLOSED:
        raise unprocessable("milestone_id", "is closed")
    return milestone_id


def wanted_labels(text: str) -> frozenset[str]:
    """A filter's comma-separated names."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def add_note(
    call: Call[Q, B], subject: IssueRecord | MergeRequestRecord, body: str, *, system: bool = False
) -> NoteRecord:
    note = NoteRecord(call.state.next_id("note"), body, call.user.id, system, call.state.now())
    subject.notes[note.id] = note
    return note
