"""The grammar of names."""

from __future__ import annotations

import pytest

from lobrest.resources.words import (
    entity_noun,
    first_words,
    is_plural,
    noun_of,
    parameter_noun,
    same_noun,
    singular,
)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("users", "user"),
        ("branches", "branch"),
        ("policies", "policy"),
        ("statuses", "status"),
        ("people", "person"),
        ("addresses", "address"),
        ("boxes", "box"),
        ("indices", "index"),
        ("series", "series"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("releases", "release"),
        ("s", "s"),
    ],
)
def test_singular(plural: str, one: str) -> None:
    assert singular(plural) == one
    assert singular(one) == one


def test_is_plural() -> None:
    assert is_plural("merge_requests") and is_plural("data")
    assert not is_plural("status") and not is_plural("")


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("merge_requests", ("merge", "request")),
        ("repos", ("repository",)),
        ("userOrgs", ("user", "organization")),
        ("mr", ("merge", "request")),
    ],
)
def test_noun_of(name: str, noun: tuple[str, ...]) -> None:
    assert noun_of(name) == noun


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("project_id", ("project",)),
        ("merge_request_iid", ("merge", "request")),
        ("pageName", ("page",)),
        ("username", ("user",)),
        ("variablename", ("variable",)),
        ("key_id", ("key",)),
        ("team_ids", ("team",)),
        ("id", ()),
        ("name", ()),
        ("sha", ()),
        ("index", ()),
        ("grid", ("grid",)),
        ("target_commitish", ("target", "commit")),
    ],
)
def test_parameter_noun(name: str, noun: tuple[str, ...]) -> None:
    assert parameter_noun(name) == noun


@pytest.mark.parametrize(
    ("schema", "noun"),
    [
        ("API_Entities_BasicProjectDetails", ("project",)),
        ("UserDTORes", ("user",)),
        ("MergeRequest", ("merge", "request")),
        ("ProjectWithAccess", ("project",)),
        ("WikiPageMetaData", ("wiki", "page")),
        ("data", ()),
        ("com.example.OrderResponse", ("order",)),
    ],
)
def test_entity_noun(schema: str, noun: tuple[str, ...]) -> None:
    assert entity_noun(schema) == noun


def test_same_noun() -> None:
    assert same_noun(("annotated", "tag"), ("tag",))
    assert not same_noun(("tag", "rule"), ("tag",))
    assert not same_noun((), ("tag",))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("[BETA] Create a link", "create"),
        ("(Deprecated) Get it.", "get"),
        ("Manually creates a to-do", "creates"),
        ("", None),
    ],
)
def test_first_words(text: str, first: str | None) -> None:
    words = first_words(text)
    assert (words[0] if words else None) == first
