"""What a specification declares."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import ref

from lobrest.model.operation import Answer, ApiSpec, Method, Operation, OperationId, Parameter, RequestBody


def operation(template: str = "/a/{b}", **more: object) -> Operation:
    return Operation(OperationId(f"GET {template}"), Method.GET, template, **more)


@pytest.mark.parametrize(
    ("template", "tags", "module"),
    [("/a/{b}", (), "a"), ("/{a}/b", (), "b"), ("/{a}", (), "/"), ("/", (), "/"), ("/a", ("t", "u"), "t")],
)
def test_the_module_is_the_tag_else_the_first_word_of_the_path(template: str, tags: tuple, module: str):
    assert operation(template, tags=tags).module == module


def test_the_answer_of_success_is_the_first_that_has_a_schema():
    answers = {
        "404": Answer({"application/json": {"type": "null"}}),
        "204": Answer({}),
        "201": Answer({"text/plain": {"type": "string"}, "application/json": {"type": "object"}}),
    }
    assert operation(answers=answers).success_schema() == {"type": "object"}
    assert operation(answers={"default": Answer({"a/b": {}})}).success_schema() is None


def test_json_is_preferred_then_forms_then_whatever_there_is():
    media = {
        "text/csv": {},
        "multipart/form-data": {},
        "application/x-www-form-urlencoded": {},
        "application/json": {},
    }
    order = []
    while media:
        chosen = RequestBody(True, media).preferred()
        assert chosen is not None
        order.append(chosen[0])
        del media[chosen[0]]
    assert order == [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/csv",
    ]
    assert RequestBody(True, {}).preferred() is None


@pytest.mark.parametrize(
    ("where", "name"), [("body/a/b", "b"), ("body/items/*", "items"), ("path/id", "id"), ("body/", "")]
)
def test_the_name_of_a_parameter_is_the_last_part_that_is_one(where: str, name: str):
    assert Parameter(ref("GET /x", where), True, {}).name == name


def test_references_are_followed_and_circles_end():
    spec = ApiSpec(
        "t", "1", {},
        schemas={"A": {"$ref": "#/schemas/B"}, "B": {"type": "x"}, "C": {"$ref": "#/schemas/C"}, "a/b~": {"type": "y"}},
    )  # fmt: skip
    assert spec.resolve({"$ref": "#/schemas/A"}) == {"type": "x"}
    assert spec.resolve({"$ref": "#/schemas/C"}) == {}
    assert spec.resolve({"$ref": "#/schemas/None"}) == {}
    assert spec.resolve({"$ref": "#/schemas/a~1b~0"}) == {"type": "y"}
    assert spec.resolve({"$ref": 3}) == {"$ref": 3}
