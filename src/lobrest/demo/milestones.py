"""Milestones: what is to be done by when."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from lobrest.demo.access import number, project_of, project_to_change
from lobrest.demo.declare import B, Call, Module, Name, Q, Text, Timestamp, delete, get, post, put
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import MilestoneRecord, MilestoneState, ProjectRecord, Role
from lobrest.demo.refusal import conflict, not_found, taken, unprocessable


class MilestoneEvent(StrEnum):
    CLOSE = "close"
    ACTIVATE = "activate"


class Milestone(Struct):
    id: int
    iid: int
    project_id: int
    title: str
    description: str
    state: MilestoneState
    start_date: datetime.date | None
    due_date: datetime.date | None
    created_at: Timestamp


class MilestoneQuery(Paging, kw_only=True):
    state: MilestoneState | UnsetType = UNSET
    title: str | UnsetType = UNSET


class MilestoneCreate(Struct):
    title: Name
    description: Text = ""
    start_date: datetime.date | None = None
    due_date: datetime.date | None = None


class MilestoneUpdate(Struct):
    title: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    state_event: MilestoneEvent | UnsetType = UNSET
    start_date: datetime.date | UnsetType | None = UNSET
    due_date: datetime.date | UnsetType | None = UNSET


def list_milestones(call: Call[MilestoneQuery, None]) -> list[Milestone]:
    project, query = project_of(call), call.query
    found = [
        milestone
        for milestone in project.milestones.values()
        if query.state in (UNSET, milestone.state) and query.title in (UNSET, milestone.title)
    ]
    return [render_milestone(project, milestone) for milestone in page_of(call, found)]


def create_milestone(call: Call[None, MilestoneCreate]) -> Milestone:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    check_title(project, body.title)
    check_dates(body.start_date, body.due_date)
    milestone = MilestoneRecord(
        id=call.state.next_id("milestone"),
        iid=call.state.next_id(f"milestone of {project.id}"),
        title=body.title,
        description=body.description,
        state=MilestoneState.ACTIVE,
        start_date=body.start_date,
        due_date=body.due_date,
        created_at=call.state.now(),
    )
    project.milestones[milestone.id] = milestone
    return render_milestone(project, milestone)


def check_title(project: ProjectRecord, title: str) -> None:
    if any(known.title == title for known in project.milestones.values()):
        raise taken("title")


def check_dates(start: datetime.date | None, due: datetime.date | None) -> None:
    if start is not None and due is not None and due < start:
        raise unprocessable("due_date", "must be greater than start date")


def find_milestone(call: Call[Q, B], project: ProjectRecord) -> MilestoneRecord:
    milestone = project.milestones.get(number(call, "milestone_id"))
    if milestone is None:
        raise not_found("Milestone")
    return milestone


def get_milestone(call: Call[None, None]) -> Milestone:
    project = project_of(call)
    if call.faults.enabled("milestone-of-any-project"):
        wanted = number(call, "milestone_id")
        project = next((one for one in call.state.projects.values() if wanted in one.milestones), project)
    return render_milestone(project, find_milestone(call, project))


def update_milestone(call: Call[None, MilestoneUpdate]) -> Milestone:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    milestone = find_milestone(call, project)
    start = milestone.start_date if body.start_date is UNSET else body.start_date
    due = milestone.due_date if body.due_date is UNSET else body.due_date
    check_dates(start, due)
    if body.title is not UNSET and body.title != milestone.title:
        check_title(project, body.title)
        milestone.title = body.title
    if body.state_event is not UNSET:
        wanted = MilestoneState.CLOSED if body.state_event is MilestoneEvent.CLOSE else MilestoneState.ACTIVE
        if milestone.state is wanted:
            raise conflict(f"Milestone is already {wanted}")
        milestone.state = wanted
    if body.description is not UNSET:
        milestone.description = body.description
    milestone.start_date, milestone.due_date = start, due
    return render_milestone(project, milestone)


def delete_milestone(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.DEVELOPER)
    milestone = find_milestone(call, project)
    if call.faults.enabled("milestone-stays"):
        return
    del project.milestones[milestone.id]
    project.deleted_milestones[milestone.id] = {"id": milestone.id, "iid": milestone.iid}
    for subject in project.planned:
        if subject.milestone_id == milestone.id:
            subject.milestone_id = None


def render_milestone(project: ProjectRecord, milestone: MilestoneRecord) -> Milestone:
    return Milestone(
        id=milestone.id,
        iid=milestone.iid,
        project_id=project.id,
        title=milestone.title,
        description=milestone.description,
        state=milestone.state,
        start_date=milestone.start_date,
        due_date=milestone.due_date,
        created_at=milestone.created_at,
    )


MILESTONES: Final = "/projects/{id}/milestones"

MODULE: Final = Module(
    "milestones",
    "Goals with a date",
    (
        get(MILESTONES, list_milestones, "List milestones"),
        post(MILESTONES, create_milestone, "Create a milestone", errors=(422,)),
        get(MILESTONES + "/{milestone_id}", get_milestone, "Get a milestone"),
        put(MILESTONES + "/{milestone_id}", update_milestone, "Update, close or activate", errors=(409, 422)),
        delete(MILESTONES + "/{milestone_id}", delete_milestone, "Delete a milestone"),
    ),
)
