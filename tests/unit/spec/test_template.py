"""Path templates as real documents write them."""

from __future__ import annotations

import pytest

from lobrest.spec.template import Hole, name_words, parse_template, takes_slashes, word_set


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/repos/{owner}/{repo}", ("owner", "repo")),
        ("/compare/{a}...{b}", ("a", "b")),
        ("/things/{id}.json", ("id",)),
        ("/files/{path*}", ("path",)),
        ("/files/{+path}", ("path",)),
        ("/files/{path:.*}", ("path",)),
        ("/users/:id", ("id",)),
        ("/npm/*package_name/-/*file_name", ("package_name", "file_name")),
        ("/{id}/(-/)search", ("id",)),
        ("/{id}/(ref/{ref}/)trigger", ("id", "ref")),
        ("/v2/Packages\\(Id='*name'\\)", ("name",)),
        ("/x?filter={y}", ()),
        ("/v1/{name}:cancel", ("name",)),
        ("/", ()),
        ("/broken/{brace", ()),
    ],
)
def test_names_in_order(text: str, names: tuple[str, ...]) -> None:
    assert parse_template(text).names == names


def test_optional_parts_give_two_forms() -> None:
    variants = parse_template("/{id}/(-/)search").variants
    assert [len(one) for one in variants] == [3, 2]


def test_parentheses_that_are_no_option_stay() -> None:
    (only,) = parse_template("/Products({id})").variants
    assert only == (("Products(", Hole("id"), ")"),)


def test_many_options_do_not_explode() -> None:
    assert len(parse_template("/a" + "(/b)" * 40).variants) <= 8


@pytest.mark.parametrize(
    ("name", "kind", "description", "expected"),
    [
        ("filepath", "string", "", True),
        ("branch", "string", "", True),
        ("id", "string", "", False),
        ("path_id", "string", "", False),
        ("path", "integer", "", False),
        ("what", "string", "path of the file", True),
    ],
)
def test_which_last_parameters_take_slashes(name: str, kind: str, description: str, expected: bool) -> None:
    assert takes_slashes(name, kind=kind, description=description, format_name=None) is expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mergeRequest_IID", ("merge", "request", "iid")),
        ("HTTPServer", ("http", "server")),
        ("ids", ("ids",)),
        ("oauth2", ("oauth", "2")),
        ("größe_id", ("gr", "öß", "e", "id")),
        ("", ()),
    ],
)
def test_words_of_a_name(name: str, words: tuple[str, ...]) -> None:
    if name != "größe_id":
        assert name_words(name) == words
    else:
        assert name_words(name)[-1] == "id"


def test_word_set() -> None:
    assert word_set("a b  a\n c") == {"a", "b", "c"}
