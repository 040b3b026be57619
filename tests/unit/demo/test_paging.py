from __future__ import annotations

import pytest


@pytest.fixture
def labels(forge):
    forge.project()
    for number in range(5):
        forge.good("alice", "POST", "/projects/1/labels", {"name": f"l{number}", "color": "#000000"})
    return forge


def test_a_page_is_a_part_of_the_whole(labels):
    answer = labels.send("alice", "GET", "/projects/1/labels", page=2, per_page=2)
    assert [label["name"] for label in answer.body] == ["l2", "l3"]
    assert {name: answer.headers[name] for name in ("X-Page", "X-Per-Page", "X-Total", "X-Total-Pages")} == {
        "X-Page": "2",
        "X-Per-Page": "2",
        "X-Total": "5",
        "X-Total-Pages": "3",
    }


def test_after_the_end_there_is_nothing(labels):
    assert labels.good("alice", "GET", "/projects/1/labels", page=10**12) == []


@pytest.mark.parametrize(
    "query", [{"page": 0}, {"per_page": 0}, {"per_page": 101}, {"page": "x"}, {"page": ""}]
)
def test_the_limits_are_kept(labels, query):
    assert labels.send("alice", "GET", "/projects/1/labels", **query).status == 400
