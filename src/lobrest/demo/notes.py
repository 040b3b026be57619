"""Comments on issues and merge requests; a line that begins with a slash can change the issue."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from lobrest.demo.access import has_role, number, project_of, project_to_change, role_in
from lobrest.demo.declare import Call, Module, Timestamp, delete, get, post
from lobrest.demo.issues import find_issue
from lobrest.demo.merge_view import find_merge_request
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.planning import add_note
from lobrest.demo.records import IssueRecord, IssueState, NoteRecord, ProjectRecord, Role
from lobrest.demo.refusal import forbidden, not_found

ACTIONS: Final = frozenset({"/close", "/reopen", "/label", "/unlabel", "/assign", "/unassign"})
EVENT_OF_STATE: Final = {"opened": "issue.updated"}


class Note(Struct):
    id: int
    body: str
    author_id: int
    system: bool
    created_at: Timestamp


class NoteCreate(Struct):
    body: Annotated[
        str, Meta(min_length=1, max_length=10000, description="The text; /close, /label bug … act")
    ]


def list_issue_notes(call: Call[Paging, None]) -> list[Note]:
    issue = find_issue(call, project_of(call))
    return [render_note(note) for note in page_of(call, list(issue.notes.values()))]


def create_issue_note(call: Call[None, NoteCreate]) -> Note:
    project = project_to_change(call)
    issue = find_issue(call, project)
    command, _, argument = call.body.body.partition("\n")[0].partition(" ")
    if command in ACTIONS:
        act(call, project, issue, command, argument.strip())
    return render_note(add_note(call, issue, call.body.body, system=command in ACTIONS))


def act(
    call: Call[None, NoteCreate], project: ProjectRecord, issue: IssueRecord, command: str, argument: str
) -> None:
    """Does what the command says; an argument that means nothing is ignored, as usual in a comment."""
    if call.user.id != issue.author_id and not has_role(
        role_in(call.state, project, call.user), Role.DEVELOPER
    ):
        return
    if call.faults.enabled("closed-issue-quick-action"):
        add_note(call, issue, EVENT_OF_STATE[issue.state.value], system=True)
    user = call.state.user_named(argument.removeprefix("@"))
    label = argument.removeprefix("~")
    if command == "/close":
        issue.state = IssueState.CLOSED
    elif command == "/reopen" and issue.moved_to_id is None:
        issue.state = IssueState.OPENED
    elif command == "/label" and label in project.labels and label not in issue.labels:
        issue.labels.append(label)
    elif command == "/unlabel" and label in issue.labels:
        issue.labels.remove(label)
    elif command == "/assign" and user is not None and role_in(call.state, project, user):
        issue.assignee_id = user.id
    elif command == "/unassign":
        issue.assignee_id = None


def delete_issue_note(call: Call[None, None]) -> None:
    project = project_to_change(call)
    issue = find_issue(call, project)
    note = issue.notes.get(number(call, "note_id"))
    if note is None:
        raise not_found("Note")
    if note.author_id != call.user.id and not has_role(
        role_in(call.state, project, call.user), Role.MAINTAINER
    ):
        raise forbidden()
    del issue.notes[note.id]


def list_merge_request_notes(call: Call[Paging, None]) -> list[Note]:
    request = find_merge_request(call, project_of(call))
    return [render_note(note) for note in page_of(call, list(request.notes.values()))]


def create_merge_request_note(call: Call[None, NoteCreate]) -> Note:
    request = find_merge_request(call, project_to_change(call))
    return render_note(add_note(call, request, call.body.body))


def render_note(note: NoteRecord) -> Note:
    return Note(note.id, note.body, note.author_id, note.system, note.created_at)


ISSUE_NOTES: Final = "/projects/{id}/issues/{issue_iid}/notes"
REQUEST_NOTES: Final = "/projects/{id}/merge_requests/{merge_request_iid}/notes"

MODULE: Final = Module(
    "notes",
    "Comments",
    (
        get(ISSUE_NOTES, list_issue_notes, "List the notes of an issue"),
        post(ISSUE_NOTES, create_issue_note, "Comment on an issue"),
        delete(ISSUE_NOTES + "/{note_id}", delete_issue_note, "Delete a note of an issue"),
        get(REQUEST_NOTES, list_merge_request_notes, "List the notes of a merge request"),
        post(REQUEST_NOTES, create_merge_request_note, "Comment on a merge request"),
    ),
)
