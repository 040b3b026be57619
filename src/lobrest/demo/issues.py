"""Issues: report, plan, close, move to another project."""

from __future__ import annotations

import datetime
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import find_project, has_role, number, project_of, project_to_change, role_in
from lobrest.demo.declare import B, Call, Module, Name, Q, Text, Timestamp, delete, get, post, put
from lobrest.demo.merge_requests import StateEvent
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.planning import add_note, checked_assignee, checked_labels, checked_milestone, wanted_labels
from lobrest.demo.records import IssueRecord, IssueState, ProjectRecord, Role
from lobrest.demo.refusal import conflict, forbidden, not_found

NOTIFICATION_LEVELS: Final[dict[Role | None, str]] = {
    Role.GUEST: "mention",
    Role.DEVELOPER: "participating",
    Role.MAINTAINER: "watch",
    Role.OWNER: "watch",
}


class IntegrityError(Exception):
    """What the database says to a reference that leads nowhere."""


class Issue(Struct):
    id: int
    iid: int
    project_id: int
    title: str
    description: str
    state: IssueState
    author_id: int
    assignee_id: int | None
    labels: list[str]
    milestone_id: int | None
    due_date: datetime.date | None
    moved_to_id: int | None
    user_notes_count: int
    created_at: Timestamp
    updated_at: Timestamp


class IssueQuery(Paging, kw_only=True):
    state: IssueState | UnsetType = UNSET
    labels: Annotated[str, Meta(description="Comma-separated label names")] = ""
    milestone_id: Annotated[int | UnsetType, Meta(description="Issues of this milestone")] = UNSET
    assignee_id: int | UnsetType = UNSET
    author_id: int | UnsetType = UNSET
    search: Annotated[str, Meta(description="Find issues whose title or description contains this")] = ""


class IssueCreate(Struct):
    title: Name
    description: Text = ""
    assignee_id: int | None = None
    labels: list[str] = []
    milestone_id: int | None = None
    due_date: datetime.date | None = None


class IssueUpdate(Struct):
    title: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    state_event: StateEvent | UnsetType = UNSET
    assignee_id: int | UnsetType | None = UNSET
    labels: list[str] | UnsetType = UNSET
    milestone_id: int | UnsetType | None = UNSET
    due_date: datetime.date | UnsetType | None = UNSET


class IssueMove(Struct):
    to_project_id: Annotated[int, Meta(description="The ID of the project that takes the issue")]


def list_issues(call: Call[IssueQuery, None]) -> list[Issue]:
    project, query = project_of(call), call.query
    if query.milestone_id in project.deleted_milestones and call.faults.enabled("milestone-deleted-filter"):
        project.deleted_milestones[int(query.milestone_id)]["title"]
    wanted, word = wanted_labels(query.labels), query.search.lower()
    found = [
        issue
        for issue in project.issues.values()
        if query.state in (UNSET, issue.state)
        and query.milestone_id in (UNSET, issue.milestone_id)
        and query.assignee_id in (UNSET, issue.assignee_id)
        and query.author_id in (UNSET, issue.author_id)
        and wanted.issubset(issue.labels)
        and word in f"{issue.title}\n{issue.description}".lower()
    ]
    return [render_issue(project, issue) for issue in page_of(call, found)]


def create_issue(call: Call[None, IssueCreate]) -> Issue:
    project, body = project_to_change(call), call.body
    created_at = call.state.now()
    issue = IssueRecord(
        id=0,
        iid=0,
        title=body.title,
        description=body.description,
        author_id=call.user.id,
        created_at=created_at,
        updated_at=created_at,
        assignee_id=checked_assignee(call, project, body.assignee_id),
        labels=checked_labels(project, body.labels),
        milestone_id=checked_milestone(project, body.milestone_id),
        due_date=body.due_date,
    )
    insert(call, project, issue)
    return render_issue(project, issue)


def insert(call: Call[Q, B], project: ProjectRecord, issue: IssueRecord) -> None:
    """Numbers the issue and puts it into the project; its references must lead somewhere."""
    if issue.milestone_id is not None and issue.milestone_id not in project.milestones:
        raise IntegrityError('insert on table "issues" violates foreign key constraint "fk_issues_milestone"')
    issue.id = call.state.next_id("issue")
    issue.iid = call.state.next_id(f"issue of {project.id}")
    project.issues[issue.iid] = issue


def find_issue(call: Call[Q, B], project: ProjectRecord) -> IssueRecord:
    issue = project.issues.get(number(call, "issue_iid"))
    if issue is None:
        raise not_found("Issue")
    return issue


def get_issue(call: Call[None, None]) -> Issue:
    if call.faults.enabled("private-issue-shown"):
        call.user = call.state.users[1]
    project = project_of(call)
    return render_issue(project, find_issue(call, project))


def update_issue(call: Call[None, IssueUpdate]) -> Issue:
    if call.faults.enabled("private-issue-changed"):
        call.user = call.state.users[1]
    project, body = project_to_change(call), call.body
    issue = find_issue(call, project)
    involved = call.user.id in (issue.author_id, issue.assignee_id)
    if not involved and not has_role(role_in(call.state, project, call.user), Role.DEVELOPER):
        raise forbidden()
    assignee_id = checked_assignee(call, project, body.assignee_id)
    labels = checked_labels(project, body.labels)
    milestone_id = checked_milestone(project, body.milestone_id)
    if body.state_event is not UNSET:
        change_state(call, project, issue, body.state_event)
    if body.title is not UNSET:
        issue.title = body.title
    if body.description is not UNSET:
        issue.description = body.description
    if body.assignee_id is not UNSET:
        issue.assignee_id = assignee_id
    if body.labels is not UNSET:
        issue.labels = labels
    if body.milestone_id is not UNSET:
        issue.milestone_id = milestone_id
    if body.due_date is not UNSET:
        issue.due_date = body.due_date
    issue.updated_at = call.state.now()
    return render_issue(project, issue)


def change_state(call: Call[Q, B], project: ProjectRecord, issue: IssueRecord, event: StateEvent) -> None:
    """Closing tells the assignee, if they are still there to be told."""
    if issue.moved_to_id is not None:
        raise conflict("Issue has been moved")
    wanted = IssueState.CLOSED if event is StateEvent.CLOSE else IssueState.OPENED
    if issue.state is wanted:
        raise conflict(f"Issue is already {wanted}")
    if event is StateEvent.CLOSE and issue.assignee_id is not None:
        role = role_in(call.state, project, call.state.users[issue.assignee_id])
        if role is not None or call.faults.enabled("close-issue-of-departed-assignee"):
            add_note(call, issue, f"closed (notified as {NOTIFICATION_LEVELS[role]})", system=True)
    issue.state = wanted


def delete_issue(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.MAINTAINER)
    del project.issues[find_issue(call, project).iid]


def move_issue(call: Call[None, IssueMove]) -> Issue:
    project = project_to_change(call, Role.DEVELOPER)
    issue = find_issue(call, project)
    target = find_project(call.state, call.user, str(call.body.to_project_id))
    if target is project:
        raise conflict("Cannot move an issue to the project it is in")
    if issue.moved_to_id is not None:
        raise conflict("Issue has been moved")
    if target.archived or not has_role(role_in(call.state, target, call.user), Role.DEVELOPER):
        raise forbidden("you cannot create issues in the target project")
    moved = IssueRecord(
        id=0,
        iid=0,
        title=issue.title,
        description=issue.description,
        author_id=issue.author_id,
        created_at=issue.created_at,
        updated_at=call.state.now(),
        labels=[label for label in issue.labels if label in target.labels],
        due_date=issue.due_date,
    )
    if call.faults.enabled("move-issue-with-milestone"):
        moved.milestone_id = issue.milestone_id
    insert(call, target, moved)
    issue.moved_to_id, issue.state = moved.id, IssueState.CLOSED
    return render_issue(target, moved)


def render_issue(project: ProjectRecord, issue: IssueRecord) -> Issue:
    return Issue(
        id=issue.id,
        iid=issue.iid,
        project_id=project.id,
        title=issue.title,
        description=issue.description,
        state=issue.state,
        author_id=issue.author_id,
        assignee_id=issue.assignee_id,
        labels=issue.labels,
        milestone_id=issue.milestone_id,
        due_date=issue.due_date,
        moved_to_id=issue.moved_to_id,
        user_notes_count=sum(not note.system for note in issue.notes.values()),
        created_at=issue.created_at,
        updated_at=issue.updated_at,
    )


ISSUES: Final = "/projects/{id}/issues"

MODULE: Final = Module(
    "issues",
    "Work to be done",
    (
        get(ISSUES, list_issues, "List issues"),
        post(ISSUES, create_issue, "Create an issue", errors=(422,)),
        get(ISSUES + "/{issue_iid}", get_issue, "Get an issue"),
        put(ISSUES + "/{issue_iid}", update_issue, "Update, close or reopen an issue", errors=(409, 422)),
        delete(ISSUES + "/{issue_iid}", delete_issue, "Delete an issue"),
        post(ISSUES + "/{issue_iid}/move", move_issue, "Move an issue to another project", errors=(409,)),
    ),
)
