from __future__ import annotations

import pytest

N = "/projects/1/issues/1/notes"


@pytest.fixture
def issue(forge):
    forge.project()
    forge.member("bob")
    forge.good("alice", "POST", "/projects/1/labels", {"name": "bug", "color": "#ff0000"})
    forge.good("alice", "POST", "/projects/1/issues", {"title": "Broken"})

    def say(text, user="alice"):
        forge.good(user, "POST", N, {"body": text})
        return forge.good("alice", "GET", "/projects/1/issues/1")

    return forge, say


def test_words_are_only_words(issue):
    _, say = issue
    shown = say("Any news? /close", "erin")
    assert (shown["state"], shown["user_notes_count"]) == ("opened", 1)


def test_a_line_with_a_slash_acts(issue):
    _, say = issue
    assert say("/label ~bug")["labels"] == ["bug"]
    assert say("/label ~bug")["labels"] == ["bug"]
    assert say("/unlabel bug")["labels"] == []
    assert say("/assign @bob")["assignee_id"] == 3
    assert say("/assign @nobody")["assignee_id"] == 3
    assert say("/unassign")["assignee_id"] is None
    assert say("/close\nthank you")["state"] == "closed"
    assert say("/reopen")["state"] == "opened"


def test_strangers_only_talk(issue):
    _, say = issue
    assert say("/close", "erin")["state"] == "opened"


def test_a_note_is_removed_by_its_author_or_a_maintainer(issue):
    forge, _ = issue
    notes = [forge.good("bob", "POST", N, {"body": "x"})["id"] for _ in range(2)]
    assert forge.send("erin", "DELETE", f"{N}/{notes[0]}").status == 403
    forge.good("bob", "DELETE", f"{N}/{notes[0]}")
    forge.good("alice", "DELETE", f"{N}/{notes[1]}")
    assert forge.send("alice", "DELETE", f"{N}/{notes[1]}").status == 404


def test_merge_requests_are_talked_about_too(forge):
    forge.project()
    forge.change()
    path = "/projects/1/merge_requests/1/notes"
    forge.good("bob", "POST", path, {"body": "Nice"})
    assert [note["body"] for note in forge.good("alice", "GET", path)] == ["Nice"]
    assert forge.send("bob", "POST", path, {"body": ""}).status == 400
