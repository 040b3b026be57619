from __future__ import annotations


def test_a_request_shows_the_head_of_its_branch(forge):
    forge.project()
    shown = forge.change()
    sha = forge.push(file="b.txt")["id"]
    assert shown["sha"] != sha
    assert forge.good("bob", "GET", "/projects/1/merge_requests/1")["sha"] == sha


def test_a_request_outlives_its_branch(forge):
    forge.project()
    forge.change()
    forge.good("alice", "DELETE", "/projects/1/repository/branches/feature")
    assert forge.good("bob", "GET", "/projects/1/merge_requests/1")["sha"] is None


def test_an_unknown_request_is_not_found(forge):
    forge.project()
    answer = forge.send("alice", "GET", "/projects/1/merge_requests/7")
    assert (answer.status, answer.body) == (404, {"message": "404 Merge Request Not Found"})
