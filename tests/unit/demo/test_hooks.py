from __future__ import annotations

import pytest

H = "/projects/1/hooks"
HOOK = {"url": "https://hooks.example/1", "issues_events": True, "token": "secret"}


@pytest.fixture
def project(forge):
    forge.project()
    forge.member("bob")
    return forge


def test_a_hook_is_added_shown_without_its_secret_changed_and_removed(project):
    hook = project.good("alice", "POST", H, HOOK)
    assert "secret" not in repr(hook)
    assert (hook["push_events"], hook["issues_events"], hook["merge_requests_events"]) == (True, True, False)
    assert project.good("alice", "GET", H) == [hook]
    changed = project.good("alice", "PUT", f"{H}/1", {"url": "http://other.example", "push_events": False})
    assert (changed["url"], changed["push_events"]) == ("http://other.example", False)
    project.good("alice", "DELETE", f"{H}/1")
    assert project.send("alice", "DELETE", f"{H}/1").status == 404


def test_hooks_are_for_maintainers(project):
    assert project.send("bob", "POST", H, HOOK).status == 403
    assert project.send("bob", "GET", H).status == 403


@pytest.mark.parametrize("url", ["hooks.example", "ftp://x", "https:// x", "https://"])
def test_the_address_is_checked(project, url):
    assert project.send("alice", "POST", H, {"url": url}).body == {"error": "url is invalid"}


def test_a_test_is_delivered_to_subscribers_only(project):
    project.good("alice", "POST", H, HOOK)
    first = project.good("alice", "POST", f"{H}/1/test", {"trigger": "push_events"})
    second = project.good("alice", "POST", f"{H}/1/test", {"trigger": "issues_events"})
    assert (first["delivery"], second["delivery"]) == (1, 2)
    assert project.send("alice", "POST", f"{H}/1/test", {"trigger": "merge_requests_events"}).status == 422
    assert project.send("alice", "POST", f"{H}/1/test", {"trigger": "x"}).status == 400


def test_there_is_an_end_to_hooks(project):
    for _ in range(20):
        project.good("alice", "POST", H, HOOK)
    assert project.send("alice", "POST", H, HOOK).status == 422
